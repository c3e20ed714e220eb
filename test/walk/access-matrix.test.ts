/**
 * Every operation by every kind of caller. What is due is worked out from the declared roles, by other means than the
 * server's own; what the server answers must be that. The snapshot is for people: a change of it says who may do more.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/contract/operation.ts';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { operations } from '../../src/server/operations/index.ts';
import { startServer, type TestServer } from '../harness.ts';
import type { RawRequest } from '../server/property/raw.ts';
import { type Caller, makeCallers, type Nobody } from './matrix-callers.ts';
import { type Cell, cellOf, inBatches, tableOf, verdictOf } from './matrix-cells.ts';
import { productId } from './matrix-tokens.ts';

const registry: readonly Operation<never>[] = Object.values(operations);
/** These ask nobody who he is before they are handled; they are looked at below. */
const open = registry.filter(({ rolesText }) => rolesText === 'none');
const guarded = registry.filter(({ rolesText }) => rolesText !== 'none');

let server: TestServer;
let callers: Caller[];

beforeAll(async () => {
  server = await startServer({
    flags: { 'disable-rate-limits': true },
    seed: { products: [{ productId, productAlias: 'matrix', sku: 'one' }] },
  });
  callers = await makeCallers(server);
});
afterAll(() => server[Symbol.asyncDispose]());

/** A request that gets no further than its path, query or body: nobody is changed by it. */
function probe({ method, path, request }: Operation<never>, { headers, clientId }: Caller): RawRequest {
  const filled = path.replaceAll(/\{[^}]+\}/g, 'nothing-is-called-so');
  const type = request.form ? 'application/x-www-form-urlencoded' : 'application/json';
  const body = request.body ? { body: request.form ? 'x=1' : '{"nothing-is-called-so":1}' } : {};
  return {
    method,
    path: `${servicePrefix}${filled}${clientId === undefined ? '' : `?clientId=${clientId}`}`,
    headers: [...headers, ...(request.body ? [['Content-Type', type] as const] : [])],
    ...body,
  };
}

/** What the rules of the interface make of a caller on an operation. */
function due(operation: Operation<never>, { holds, headers, clientId }: Caller): Cell {
  const { auth, request, rolesText } = operation;
  const isPair = headers.some(([name, value]) => name === 'Authorization' && value.startsWith('Basic '));
  const isNamedOnly = clientId !== undefined && auth !== 'client-id';
  if (holds === 'CREDENTIALS_AMBIGUOUS') return refusal(operation, holds);
  // On the logins of users the pair is the user's: it says nothing of a client.
  if (isNamedOnly || (isPair && request.userPair)) return refusal(operation, 'CREDENTIALS_MISSING');
  if (typeof holds === 'string') return refusal(operation, holds);
  if (verdictOf(rolesText, holds)) return { kind: 'in' };
  return { kind: 'refused', status: operation.statuses.includes(403) ? 403 : 401, code: 'ROLE_MISSING' };
}

function refusal({ statuses }: Operation<never>, code: Nobody): Cell {
  const status = code === 'CREDENTIALS_AMBIGUOUS' && statuses.includes(400) ? 400 : 401;
  return { kind: 'refused', status, code };
}

test('each caller is let in where the roles say so, and refused as they say everywhere else', async () => {
  const cells = guarded.flatMap((operation) => callers.map((caller) => ({ operation, caller })));
  const before = await server.dump();
  const faults: string[] = [];
  await inBatches(cells, 16, async ({ operation, caller }) => {
    const answer = await server.send(probe(operation, caller));
    const expected = due(operation, caller);
    const found = cellOf(answer, expected, caller, server.log);
    if (found !== undefined) faults.push(`${operation.id} by ${caller.name}: ${found}`);
  });
  expect(faults).toEqual([]);
  expect(cells.length).toBeGreaterThan(4000);
  expect(await server.dump()).toMatchObject({ users: before.users, groups: before.groups, clients: before.clients });
});

test('who is let in where, for people to look at', async () => {
  const table = tableOf(guarded, callers, (operation, caller) => due(operation, caller));
  await expect(table).toMatchFileSnapshot('./__snapshots__/access-matrix.txt');
});

test('of what asks nobody who he is, only a client that shows its secret gets a token', async () => {
  const given: string[] = [];
  for (const operation of open)
    for (const caller of callers) {
      const { status, json } = await server.send(probe(operation, caller));
      if (status < 300 && Object.hasOwn(Object(json), 'accessToken')) given.push(caller.name);
    }
  expect(open.map(({ id }) => id)).toEqual([
    'client-identities.connect-token',
    'client-identities.login',
    'generate-token.create',
    'keys.get',
  ]);
  const isProven = ({ holds, headers }: Caller) =>
    typeof holds !== 'string' && headers.some(([, value]) => value.startsWith('Basic '));
  expect([...new Set(given)].sort()).toEqual(
    callers
      .filter(isProven)
      .map(({ name }) => name)
      .sort(),
  );
});
