/**
 * Every operation, at every place where it names an object, by everybody who has rights over his own only: somebody
 * else's object and none at all are answered alike. Where they are not, a rule says why, and the snapshot is for people.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/server/operations/index.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../harness.ts';
import { briefly, codeOf, toldBy } from './foreign-answers.ts';
import { makeOwners, type Owner } from './foreign-callers.ts';
import { type Kind, type Place, shapeOf } from './foreign-places.ts';
import { type Difference, reasons, tableOfDifferences } from './foreign-reasons.ts';
import { requestNaming } from './foreign-requests.ts';
import { absentFor, type Foreign, type Foreigners, foreignSeed, makeForeigners, wrongPair } from './foreign-world.ts';

const registry: readonly Operation<never>[] = Object.values(operations);

let server: TestServer;
let foreigners: Foreigners;

beforeAll(async () => {
  server = await startServer({ flags: { 'disable-rate-limits': true, 'fast-passwords': true }, seed: foreignSeed });
  foreigners = await makeForeigners(server);
});
afterAll(() => server[Symbol.asyncDispose]());

interface Cell {
  readonly operation: Operation<never>;
  readonly place: Place & { readonly kind: Kind };
  readonly caller: Owner;
  readonly foreign: Foreign;
}

interface Compared {
  readonly kind: 'refused at the gate' | 'malformed' | 'compared';
  /** Something was made, changed or removed. */
  readonly isDone: boolean;
  readonly difference?: Difference | undefined;
}

let calls = 0;

/** Asks for nothing first, so that what it makes or takes is not in the way. */
async function compare({ operation, place, caller, foreign: { what, value } }: Cell): Promise<Compared> {
  const ask = (named: string | number) => {
    calls += 1;
    return server.send(requestNaming({ operation, caller, place, value: named, number: calls }));
  };
  const nothing = absentFor({ what, value }, calls);
  const absent = await ask(nothing);
  const foreign = await ask(value);
  const codes = [codeOf(absent), codeOf(foreign)];
  const difference: Difference = {
    operation: operation.id,
    place: `${place.where} ${place.path.join('.')}`,
    kind: place.kind,
    caller: caller.name,
    what,
    foreign: briefly(foreign),
    absent: briefly(absent),
  };
  const isRefused = codes.every((code) => ['ROLE_MISSING', 'CREDENTIALS_MISSING'].includes(code));
  const isMalformed = codes.some((code) => /^(FIELD_|BODY_|PATH_)/.test(code));
  return {
    isDone: absent.status < 300 || foreign.status < 300,
    kind: isRefused ? 'refused at the gate' : isMalformed ? 'malformed' : 'compared',
    difference: toldBy(absent, nothing) === toldBy(foreign, value) ? undefined : difference,
  };
}

function isNaming(place: Place): place is Cell['place'] {
  return place.kind !== undefined && place.kind !== 'unknown';
}

/** Whom a call names as calling. */
function isCredential({ auth }: Operation<never>, { where, name }: Place): boolean {
  return auth === 'client-id' && where === 'query' && name === 'clientId';
}

/** Who calls by such a name names no object by it; who shows something else beside it is refused whomever it names. */
function foreignersAt(operation: Operation<never>, place: Cell['place'], { headers }: Owner): readonly Foreign[] {
  const all = foreigners[place.kind];
  return isCredential(operation, place) ? all.slice(0, headers.length === 0 ? 0 : 1) : all;
}

/** One caller at all places of an operation. Who does not get through the gate at the first gets through at none. */
async function walk(operation: Operation<never>, caller: Owner, note: (cell: Cell, compared: Compared) => void) {
  for (const place of shapeOf(operation).places.filter(isNaming)) {
    for (const foreign of foreignersAt(operation, place, caller)) {
      const cell = { operation, place, caller, foreign };
      const compared = await compare(cell);
      note(cell, compared);
      if (compared.kind === 'refused at the gate') return;
    }
  }
}

test('of every parameter, header and field it is said what it names', () => {
  const unknown = registry.flatMap((operation) =>
    shapeOf(operation)
      .places.filter(({ kind }) => kind === 'unknown')
      .map(({ where, path }) => `${operation.id}: ${where} ${path.join('.')}`),
  );
  expect(unknown).toEqual([]);
});

test("what is somebody else's is answered as what is not there, or as the rules of the interface say", async () => {
  const differences: Difference[] = [];
  const malformed: string[] = [];
  const counts = { 'refused at the gate': 0, malformed: 0, compared: 0 };
  const reached = new Set<string>();
  let owners = await makeOwners(server);
  for (const operation of registry.filter((one) => shapeOf(one).places.some(isNaming))) {
    let isDone = false;
    await Promise.all(
      owners.map((caller) =>
        walk(operation, caller, ({ place, foreign }, { kind, difference, ...compared }) => {
          isDone ||= compared.isDone;
          counts[kind] += 1;
          if (kind === 'compared') reached.add(operation.id);
          if (kind === 'malformed') malformed.push(`${operation.id}, ${place.name} by ${caller.name}: ${foreign.what}`);
          if (difference) differences.push(difference);
        }),
      ),
    );
    // What one operation did to the callers and what is theirs is not in the way of the next.
    if (isDone) owners = await makeOwners(server);
  }
  const unexplained = differences.filter((one) => reasons.filter(({ explains }) => explains(one)).length !== 1);
  expect(unexplained).toEqual([]);
  expect(reasons.filter(({ explains }) => !differences.some(explains))).toEqual([]);
  // A call that fails for its form tells nothing of what it names.
  expect(malformed).toEqual([]);
  expect(reached.size).toBeGreaterThan(40);
  expect(counts.compared).toBeGreaterThan(700);
  expect(counts['refused at the gate']).toBeGreaterThan(300);
  await expect(tableOfDifferences(differences)).toMatchFileSnapshot('./__snapshots__/foreign-objects.txt');
}, 120_000);

/** Where nothing is named. */
const nowhere: Place = { where: 'header', path: ['none'], name: 'none', kind: undefined };

test('who calls as somebody else, with a secret that is not his, is refused as one who is not there', async () => {
  const faults: string[] = [];
  for (const operation of registry.filter(({ id }) => id !== 'keys.get')) {
    const isPair = operation.request.userPair === true;
    const foreign = { what: '', value: isPair ? 'name-of-another' : adminClient.clientId };
    const nothing = absentFor(foreign, 1);
    const answers = await Promise.all(
      [nothing, foreign.value].map(async (value) => {
        const caller = { name: '', headers: [wrongPair(value)], own: {}, ...(isPair ? { clientId: appClientId } : {}) };
        const answer = await server.send(requestNaming({ operation, caller, place: nowhere, value: '', number: 1 }));
        return { answer, told: toldBy(answer, value) };
      }),
    );
    const [absent, other] = answers;
    if (absent?.told !== other?.told || other?.answer.status !== 401) faults.push(`${operation.id}: ${other?.told}`);
  }
  expect(faults).toEqual([]);
});
