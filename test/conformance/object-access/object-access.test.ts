/**
 * Every operation, at every parameter that names an object, with every caller that has rights over its own objects only:
 * an object of another owner gets the same response as an unknown one. Exceptions state their rule; the snapshot lists them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../harness.ts';
import { createOwners, type Owner } from './object-access-callers.ts';
import { type AccessDifference, accessExceptions, formatDifferences } from './object-access-exceptions.ts';
import {
  createAbsentValue,
  createOtherObjects,
  createWrongCredentials,
  type OtherObject,
  type OtherObjects,
  otherOwnersSeed,
} from './object-access-fixture.ts';
import { buildNamingRequest } from './object-access-requests.ts';
import { formatOutcome, normalizeResponse, readErrorCode } from './object-access-responses.ts';
import { getRequestShape, type ObjectKind, type ObjectParameter } from './object-parameters.ts';

const registry: readonly Operation<never>[] = Object.values(operations);

let server: TestServer;
let otherObjects: OtherObjects;

beforeAll(async () => {
  server = await startServer({ flags: { 'disable-rate-limits': true, 'fast-passwords': true }, seed: otherOwnersSeed });
  otherObjects = await createOtherObjects(server);
});
afterAll(() => server[Symbol.asyncDispose]());

interface Cell {
  readonly operation: Operation<never>;
  readonly parameter: ObjectParameter & { readonly kind: ObjectKind };
  readonly caller: Owner;
  readonly other: OtherObject;
}

interface Comparison {
  readonly kind: 'unauthorized' | 'malformed' | 'compared';
  /** Whether a request succeeded and may have changed the store. */
  readonly isDone: boolean;
  readonly difference?: AccessDifference | undefined;
}

let requestCount = 0;

/** Sends the request with an unknown object first, so that its effects do not matter. */
async function compareResponses({ operation, parameter, caller, other: { what, value } }: Cell): Promise<Comparison> {
  const sendNaming = (named: string | number) => {
    requestCount += 1;
    return server.send(buildNamingRequest({ operation, caller, parameter, value: named, number: requestCount }));
  };
  const absentValue = createAbsentValue({ what, value }, requestCount);
  const absent = await sendNaming(absentValue);
  const other = await sendNaming(value);
  const codes = [readErrorCode(absent), readErrorCode(other)];
  const difference: AccessDifference = {
    operation: operation.id,
    parameter: `${parameter.location} ${parameter.path.join('.')}`,
    kind: parameter.kind,
    caller: caller.name,
    what,
    other: formatOutcome(other),
    absent: formatOutcome(absent),
  };
  const isUnauthorized = codes.every((code) => ['ROLE_MISSING', 'CREDENTIALS_MISSING'].includes(code));
  const isMalformed = codes.some((code) => /^(FIELD_|BODY_|PATH_)/.test(code));
  return {
    isDone: absent.status < 300 || other.status < 300,
    kind: isUnauthorized ? 'unauthorized' : isMalformed ? 'malformed' : 'compared',
    difference: normalizeResponse(absent, absentValue) === normalizeResponse(other, value) ? undefined : difference,
  };
}

function isObjectParameter(parameter: ObjectParameter): parameter is Cell['parameter'] {
  return parameter.kind !== undefined && parameter.kind !== 'unknown';
}

/** Whether the parameter identifies the caller. */
function isCredential({ auth }: Operation<never>, { location: where, name }: ObjectParameter): boolean {
  return auth === 'client-id' && where === 'query' && name === 'clientId';
}

/** A parameter that identifies the caller names no object; beside other credentials every value of it is rejected alike. */
function listOtherObjects(
  operation: Operation<never>,
  parameter: Cell['parameter'],
  { headers }: Owner,
): readonly OtherObject[] {
  const all = otherObjects[parameter.kind];
  return isCredential(operation, parameter) ? all.slice(0, headers.length === 0 ? 0 : 1) : all;
}

/** Checks all parameters of an operation with one caller. An unauthorized caller is checked with one parameter only. */
async function checkOperation(
  operation: Operation<never>,
  caller: Owner,
  report: (cell: Cell, compared: Comparison) => void,
) {
  for (const parameter of getRequestShape(operation).parameters.filter(isObjectParameter)) {
    for (const other of listOtherObjects(operation, parameter, caller)) {
      const cell = { operation, parameter, caller, other };
      const compared = await compareResponses(cell);
      report(cell, compared);
      if (compared.kind === 'unauthorized') return;
    }
  }
}

test('declares what every parameter, header and field names', () => {
  const unknown = registry.flatMap((operation) =>
    getRequestShape(operation)
      .parameters.filter(({ kind }) => kind === 'unknown')
      .map(({ location: where, path }) => `${operation.id}: ${where} ${path.join('.')}`),
  );
  expect(unknown, 'needs `reference(...)` in its schema, or an entry in object-parameters.ts').toEqual([]);
});

test('an object of another owner gets the response of an unknown object, unless a rule of the interface differs', async () => {
  const differences: AccessDifference[] = [];
  const malformed: string[] = [];
  const counts = { unauthorized: 0, malformed: 0, compared: 0 };
  const reached = new Set<string>();
  let owners = await createOwners(server);
  for (const operation of registry.filter((one) => getRequestShape(one).parameters.some(isObjectParameter))) {
    let isDone = false;
    await Promise.all(
      owners.map((caller) =>
        checkOperation(operation, caller, ({ parameter, other }, { kind, difference, ...compared }) => {
          isDone ||= compared.isDone;
          counts[kind] += 1;
          if (kind === 'compared') reached.add(operation.id);
          if (kind === 'malformed')
            malformed.push(`${operation.id}, ${parameter.name} by ${caller.name}: ${other.what}`);
          if (difference) differences.push(difference);
        }),
      ),
    );
    // Effects of one operation do not reach the next.
    if (isDone) owners = await createOwners(server);
  }
  const unexplained = differences.filter(
    (one) => accessExceptions.filter(({ explains }) => explains(one)).length !== 1,
  );
  expect(unexplained).toEqual([]);
  expect(accessExceptions.filter(({ explains }) => !differences.some(explains))).toEqual([]);
  // A malformed request reveals nothing about the object.
  expect(malformed).toEqual([]);
  expect(reached.size).toBeGreaterThan(40);
  expect(counts.compared).toBeGreaterThan(700);
  expect(counts.unauthorized).toBeGreaterThan(300);
  await expect(formatDifferences(differences)).toMatchFileSnapshot('./__snapshots__/object-access.txt');
}, 120_000);

/** A parameter that names no object. */
const noParameter: ObjectParameter = { location: 'header', path: ['none'], name: 'none', kind: undefined };

test('a caller with the secret of another client gets the response of an unknown client', async () => {
  const mismatches: string[] = [];
  for (const operation of registry.filter(({ id }) => id !== 'keys.get')) {
    const isPair = operation.request.userBasicAuth === true;
    const other = { what: '', value: isPair ? 'name-of-another' : adminClient.clientId };
    const absentValue = createAbsentValue(other, 1);
    const responses = await Promise.all(
      [absentValue, other.value].map(async (value) => {
        const caller = {
          name: '',
          headers: [createWrongCredentials(value)],
          own: {},
          ...(isPair ? { clientId: appClientId } : {}),
        };
        const response = await server.send(
          buildNamingRequest({ operation, caller, parameter: noParameter, value: '', number: 1 }),
        );
        return { response, text: normalizeResponse(response, value) };
      }),
    );
    const [unknownClient, otherClient] = responses;
    if (unknownClient?.text !== otherClient?.text || otherClient?.response.status !== 401)
      mismatches.push(`${operation.id}: ${otherClient?.text}`);
  }
  expect(mismatches).toEqual([]);
});
