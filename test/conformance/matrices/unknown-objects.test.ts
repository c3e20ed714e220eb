/**
 * Requests that name an unknown object, in each parameter of each operation that names one. The snapshot lists the
 * outcomes. Members of Object.prototype and names in upper case are unknown as well, and a rejection changes nothing.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorTable } from '../../../src/contract/error-codes.ts';
import type { ErrorCode } from '../../../src/contract/errors.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { createCallerCredentials } from '../../server/property/callers.ts';
import type { RawResponse } from '../../server/property/raw-sender.ts';
import { buildNamingRequest } from '../object-access/object-access-requests.ts';
import { formatOutcome, readErrorCode } from '../object-access/object-access-responses.ts';
import { getRequestShape, type ObjectKind, type ObjectParameter } from '../object-access/object-parameters.ts';
import { createNamingCaller, validRequestsSeed, walkedOperations } from './valid-requests.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ seed: validRequestsSeed });
});
afterAll(() => server[Symbol.asyncDispose]());

const identified: readonly (ObjectKind | 'unknown' | undefined)[] = [
  ...(['user', 'factor', 'business', 'client', 'service', 'API key', 'group', 'corporate group'] as const),
  ...(['product', 'alias of a product', 'stock keeping unit'] as const),
];
const names: readonly ((own: string) => string)[] = [
  () => 'unknown-name',
  () => 'toString',
  () => '__proto__',
  (own) => own.toUpperCase(),
];

type Walked = (typeof walkedOperations)[number];

let number = 0;
let authorization: string;

/** Removes the objects of the previous operation. */
async function reset(): Promise<void> {
  await server.appContext.state.reset('seed');
  ({ authorization } = await createCallerCredentials(server));
}

/** Sends requests with new objects, of which one has another name. @returns their outcomes */
async function sendNaming(
  operation: Walked,
  parameter: ObjectParameter,
  values: readonly ((own: string) => string)[],
): Promise<string[]> {
  number += 1;
  const caller = await createNamingCaller(server, operation, { authorization, number });
  const ofCaller = parameter.kind && parameter.kind !== 'unknown' ? caller.own[parameter.kind] : undefined;
  const before = await server.dump();
  const responses = [];
  for (const value of values.map((rename) => rename(ofCaller ?? 'name'))) {
    const response = await server.send(buildNamingRequest({ operation, caller, parameter, value, number }));
    responses.push(response);
    assertValueNamed(operation, response, value);
  }
  if (responses.every((response) => readErrorCode(response) !== ''))
    expect([operation.id, await server.dump()]).toEqual([operation.id, before]);
  return [...new Set(responses.map(formatOutcome))];
}

/** Several references can be in one body, so that the error says which one is unknown. */
function assertValueNamed({ id }: Walked, { json }: Pick<RawResponse, 'json'>, value: string | number): void {
  const items = Array.isArray(json) ? (json as readonly { code: ErrorCode; message: string }[]) : [];
  for (const { code, message } of items)
    if (errorTable[code]?.category === 'unknown-reference' && code !== 'SUBJECT_UNKNOWN')
      expect([id, message]).toEqual([id, expect.stringContaining(String(value))]);
}

test('are rejected, unless they name a new object', async () => {
  const rows: string[] = [];
  for (const operation of walkedOperations) {
    await reset();
    for (const parameter of getRequestShape(operation).parameters.filter(
      ({ kind, location }) => identified.includes(kind) || (kind !== undefined && location === 'path'),
    )) {
      const outcomes = await sendNaming(operation, parameter, names);
      if (outcomes[0]?.startsWith('2')) continue;
      rows.push(`${operation.id}, ${parameter.location} ${parameter.path.join('.')}: ${outcomes.join(' or ')}\n`);
    }
  }
  await expect(rows.join('')).toMatchFileSnapshot('./__snapshots__/unknown-objects.txt');
});

test('are rejected with 404 if a path has an impossible name', async () => {
  await reset();
  for (const operation of walkedOperations)
    for (const parameter of getRequestShape(operation).parameters.filter(({ location }) => location === 'path'))
      expect([operation.id, await sendNaming(operation, parameter, [() => 'a\u0001b', () => 'x'.repeat(201)])]).toEqual(
        [operation.id, ['404 PATH_VALUE']],
      );
});
