/**
 * Every operation, at every parameter that names an object, with every caller that has rights over its own objects only:
 * an object of another owner gets the same response as an unknown one. Exceptions state their rule; the snapshot lists them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/server/operations/index.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../harness.ts';
import { createOwners, type Owner } from './object-access-callers.ts';
import { type AccessDifference, accessExceptions, formatDifferences } from './object-access-exceptions.ts';
import {
  createAbsentValue,
  createForeignObjects,
  createWrongCredentials,
  type ForeignObject,
  type ForeignObjects,
  foreignSeed,
} from './object-access-fixture.ts';
import { buildNamingRequest } from './object-access-requests.ts';
import { formatOutcome, normalizeResponse, readErrorCode } from './object-access-responses.ts';
import { getRequestShape, type ObjectKind, type ObjectParameter } from './object-parameters.ts';

const registry: readonly Operation<never>[] = Object.values(operations);

let server: TestServer;
let foreignObjects: ForeignObjects;

beforeAll(async () => {
  server = await startServer({ flags: { 'disable-rate-limits': true, 'fast-passwords': true }, seed: foreignSeed });
  foreignObjects = await createForeignObjects(server);
});
afterAll(() => server[Symbol.asyncDispose]());

interface Cell {
  readonly operation: Operation<never>;
  readonly place: ObjectParameter & { readonly kind: ObjectKind };
  readonly caller: Owner;
  readonly foreign: ForeignObject;
}

interface Comparison {
  readonly kind: 'refused at the gate' | 'malformed' | 'compared';
  /** Something was made, changed or removed. */
  readonly isDone: boolean;
  readonly difference?: AccessDifference | undefined;
}

let calls = 0;

/** Sends the request with an unknown object first, so that its effects do not matter. */
async function compareResponses({
  operation,
  place: parameter,
  caller,
  foreign: { what, value },
}: Cell): Promise<Comparison> {
  const sendNaming = (named: string | number) => {
    calls += 1;
    return server.send(buildNamingRequest({ operation, caller, parameter, value: named, number: calls }));
  };
  const nothing = createAbsentValue({ what, value }, calls);
  const absent = await sendNaming(nothing);
  const foreign = await sendNaming(value);
  const codes = [readErrorCode(absent), readErrorCode(foreign)];
  const difference: AccessDifference = {
    operation: operation.id,
    place: `${parameter.location} ${parameter.path.join('.')}`,
    kind: parameter.kind,
    caller: caller.name,
    what,
    foreign: formatOutcome(foreign),
    absent: formatOutcome(absent),
  };
  const isRefused = codes.every((code) => ['ROLE_MISSING', 'CREDENTIALS_MISSING'].includes(code));
  const isMalformed = codes.some((code) => /^(FIELD_|BODY_|PATH_)/.test(code));
  return {
    isDone: absent.status < 300 || foreign.status < 300,
    kind: isRefused ? 'refused at the gate' : isMalformed ? 'malformed' : 'compared',
    difference: normalizeResponse(absent, nothing) === normalizeResponse(foreign, value) ? undefined : difference,
  };
}

function isObjectParameter(parameter: ObjectParameter): parameter is Cell['place'] {
  return parameter.kind !== undefined && parameter.kind !== 'unknown';
}

/** Whom a call names as calling. */
function isCredential({ auth }: Operation<never>, { location: where, name }: ObjectParameter): boolean {
  return auth === 'client-id' && where === 'query' && name === 'clientId';
}

/** Who calls by such a name names no object by it; who shows something else beside it is refused whomever it names. */
function listForeignObjects(
  operation: Operation<never>,
  parameter: Cell['place'],
  { headers }: Owner,
): readonly ForeignObject[] {
  const all = foreignObjects[parameter.kind];
  return isCredential(operation, parameter) ? all.slice(0, headers.length === 0 ? 0 : 1) : all;
}

/** One caller at all parameters of an operation. A caller that is rejected at the first is rejected at all. */
async function checkOperation(
  operation: Operation<never>,
  caller: Owner,
  report: (cell: Cell, compared: Comparison) => void,
) {
  for (const parameter of getRequestShape(operation).places.filter(isObjectParameter)) {
    for (const foreign of listForeignObjects(operation, parameter, caller)) {
      const cell = { operation, place: parameter, caller, foreign };
      const compared = await compareResponses(cell);
      report(cell, compared);
      if (compared.kind === 'refused at the gate') return;
    }
  }
}

test('of every parameter, header and field it is said what it names', () => {
  const unknown = registry.flatMap((operation) =>
    getRequestShape(operation)
      .places.filter(({ kind }) => kind === 'unknown')
      .map(({ location: where, path }) => `${operation.id}: ${where} ${path.join('.')}`),
  );
  expect(unknown).toEqual([]);
});

test('an object of another owner gets the response of an unknown object, unless a rule of the interface differs', async () => {
  const differences: AccessDifference[] = [];
  const malformed: string[] = [];
  const counts = { 'refused at the gate': 0, malformed: 0, compared: 0 };
  const reached = new Set<string>();
  let owners = await createOwners(server);
  for (const operation of registry.filter((one) => getRequestShape(one).places.some(isObjectParameter))) {
    let isDone = false;
    await Promise.all(
      owners.map((caller) =>
        checkOperation(operation, caller, ({ place: parameter, foreign }, { kind, difference, ...compared }) => {
          isDone ||= compared.isDone;
          counts[kind] += 1;
          if (kind === 'compared') reached.add(operation.id);
          if (kind === 'malformed')
            malformed.push(`${operation.id}, ${parameter.name} by ${caller.name}: ${foreign.what}`);
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
  expect(counts['refused at the gate']).toBeGreaterThan(300);
  await expect(formatDifferences(differences)).toMatchFileSnapshot('./__snapshots__/object-access.txt');
}, 120_000);

/** Where nothing is named. */
const noParameter: ObjectParameter = { location: 'header', path: ['none'], name: 'none', kind: undefined };

test('a caller with the secret of another client gets the response of an unknown client', async () => {
  const mismatches: string[] = [];
  for (const operation of registry.filter(({ id }) => id !== 'keys.get')) {
    const isPair = operation.request.userBasicAuth === true;
    const foreign = { what: '', value: isPair ? 'name-of-another' : adminClient.clientId };
    const nothing = createAbsentValue(foreign, 1);
    const answers = await Promise.all(
      [nothing, foreign.value].map(async (value) => {
        const caller = {
          name: '',
          headers: [createWrongCredentials(value)],
          own: {},
          ...(isPair ? { clientId: appClientId } : {}),
        };
        const answer = await server.send(
          buildNamingRequest({ operation, caller, parameter: noParameter, value: '', number: 1 }),
        );
        return { answer, told: normalizeResponse(answer, value) };
      }),
    );
    const [absent, other] = answers;
    if (absent?.told !== other?.told || other?.answer.status !== 401)
      mismatches.push(`${operation.id}: ${other?.told}`);
  }
  expect(mismatches).toEqual([]);
});
