/**
 * The same request many times at once, to each operation that changes something, and once more for each parameter that
 * names an object. The snapshot lists the outcomes: what can be done once is done once. Names of unknown objects are left out.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { createCallerCredentials } from '../../server/property/callers.ts';
import { buildNamingRequest } from '../object-access/object-access-requests.ts';
import { formatOutcome } from '../object-access/object-access-responses.ts';
import { getRequestShape, type ObjectParameter } from '../object-access/object-parameters.ts';
import {
  chooseObjects,
  createNamingCaller,
  noParameter,
  validRequestsSeed,
  walkedOperations,
} from './valid-requests.ts';

const requestCount = 10;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ flags: { 'disable-rate-limits': true }, seed: validRequestsSeed });
});
afterAll(() => server[Symbol.asyncDispose]());

let number = 0;
let authorization: string;

/** Sends the request with new objects. @returns the number of each outcome */
async function sendConcurrently(
  operation: (typeof walkedOperations)[number],
  parameter: ObjectParameter,
  value: string,
): Promise<string> {
  const caller = await createNamingCaller(server, operation, { authorization, number });
  const request = buildNamingRequest({ operation, caller, parameter, value, number });
  const responses = await Promise.all(Array.from({ length: requestCount }, () => server.send(request)));
  const outcomes = responses.map(formatOutcome).sort();
  return [...new Set(outcomes)]
    .map((outcome) => `${outcomes.filter((one) => one === outcome).length} x ${outcome}`)
    .join(', ');
}

test('do once what can be done once', async () => {
  const rows: string[] = [];
  for (const operation of walkedOperations.filter(({ method }) => method !== 'GET')) {
    await server.appContext.state.reset('seed');
    ({ authorization } = await createCallerCredentials(server));
    const { parameters } = getRequestShape(operation);
    const named = parameters.filter(({ location, kind }) => location === 'body' && kind !== undefined);
    for (const parameter of [undefined, ...named]) {
      number += 1;
      const [chosen, value = ''] = chooseObjects(operation, number).parameter ?? [];
      const sent = parameter ?? parameters.find(({ name }) => name === chosen) ?? noParameter;
      const outcomes = await sendConcurrently(operation, sent, parameter ? `new-name-${number}` : value);
      if (parameter && outcomes.startsWith(`${requestCount} x 4`)) continue;
      rows.push(`${operation.id}${parameter ? `, ${parameter.path.join('.')}` : ''}: ${outcomes}\n`);
    }
  }
  await expect(rows.join('')).toMatchFileSnapshot('./__snapshots__/concurrent-requests.txt');
});
