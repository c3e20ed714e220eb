/**
 * Sends a request from every kind of caller to every operation. The expected outcome is computed from the declared roles
 * by an evaluator that is independent of the server. The snapshot makes a change of access visible in review.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../../src/contract/operation.ts';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { startServer, type TestServer } from '../../harness.ts';
import type { RawRequest } from '../../server/property/raw-sender.ts';
import { type Caller, createCallers, type RejectionCode } from './matrix-callers.ts';
import { evaluateRoles, findMismatch, formatMatrix, type MatrixOutcome, runInBatches } from './matrix-outcomes.ts';
import { productId } from './matrix-tokens.ts';

const registry: readonly Operation<never>[] = Object.values(operations);
/** Operations that require no authentication; tested separately below. */
const publicOperations = registry.filter(({ rolesText }) => rolesText === 'none');
const protectedOperations = registry.filter(({ rolesText }) => rolesText !== 'none');

let server: TestServer;
let callers: Caller[];

beforeAll(async () => {
  server = await startServer({
    flags: { 'disable-rate-limits': true },
    seed: { products: [{ productId, productAlias: 'matrix', sku: 'one' }] },
  });
  callers = await createCallers(server);
});
afterAll(() => server[Symbol.asyncDispose]());

/** A request whose path, query or body is invalid, so that an accepted caller changes nothing. */
function buildProbe({ method, path, request }: Operation<never>, { headers, clientId }: Caller): RawRequest {
  const filled = path.replaceAll(/\{[^}]+\}/g, 'unknown-name');
  const type = request.form ? 'application/x-www-form-urlencoded' : 'application/json';
  const body = request.body ? { body: request.form ? 'x=1' : '{"unknown-field":1}' } : {};
  return {
    method,
    path: `${servicePrefix}${filled}${clientId === undefined ? '' : `?clientId=${clientId}`}`,
    headers: [...headers, ...(request.body ? [['Content-Type', type] as const] : [])],
    ...body,
  };
}

/** The outcome that the rules of the interface require for a caller of an operation. */
function computeExpected(operation: Operation<never>, { grant, headers, clientId }: Caller): MatrixOutcome {
  const { auth, request, rolesText } = operation;
  const isBasic = headers.some(([name, value]) => name === 'Authorization' && value.startsWith('Basic '));
  const isIdentifiedOnly = clientId !== undefined && auth !== 'client-id';
  if (grant === 'CREDENTIALS_AMBIGUOUS') return createRejection(operation, grant);
  // On the logins of users the credentials are those of the user, not of a client.
  if (isIdentifiedOnly || (isBasic && request.userBasicAuth)) return createRejection(operation, 'CREDENTIALS_MISSING');
  if (typeof grant === 'string') return createRejection(operation, grant);
  if (evaluateRoles(rolesText, grant)) return { kind: 'accepted' };
  return { kind: 'rejected', status: operation.statuses.includes(403) ? 403 : 401, code: 'ROLE_MISSING' };
}

function createRejection({ statuses }: Operation<never>, code: RejectionCode): MatrixOutcome {
  const status = code === 'CREDENTIALS_AMBIGUOUS' && statuses.includes(400) ? 400 : 401;
  return { kind: 'rejected', status, code };
}

test('accepts each caller that the role expression allows, and rejects all others with the documented status', async () => {
  const cells = protectedOperations.flatMap((operation) => callers.map((caller) => ({ operation, caller })));
  const before = await server.dump();
  const mismatches: string[] = [];
  await runInBatches(cells, 16, async ({ operation, caller }) => {
    const response = await server.send(buildProbe(operation, caller));
    const expected = computeExpected(operation, caller);
    const found = findMismatch(response, expected, caller, server.log);
    if (found !== undefined) mismatches.push(`${operation.id} by ${caller.name}: ${found}`);
  });
  expect(mismatches).toEqual([]);
  expect(cells.length).toBeGreaterThan(4000);
  expect(await server.dump()).toMatchObject({ users: before.users, groups: before.groups, clients: before.clients });
});

test('matches the snapshot of accepted callers by operation', async () => {
  const table = formatMatrix(protectedOperations, callers, (operation, caller) => computeExpected(operation, caller));
  await expect(table).toMatchFileSnapshot('./__snapshots__/access-matrix.txt');
});

test('issues tokens without authentication only to clients that send their secret', async () => {
  const tokenHolders: string[] = [];
  for (const operation of publicOperations)
    for (const caller of callers) {
      const { status, json } = await server.send(buildProbe(operation, caller));
      if (status < 300 && Object.hasOwn(Object(json), 'accessToken')) tokenHolders.push(caller.name);
    }
  expect(publicOperations.map(({ id }) => id)).toEqual([
    'client-identities.connect-token',
    'client-identities.login',
    'generate-token.create',
    'keys.get',
  ]);
  const isAuthenticated = ({ grant, headers }: Caller) =>
    typeof grant !== 'string' && headers.some(([, value]) => value.startsWith('Basic '));
  expect([...new Set(tokenHolders)].sort()).toEqual(
    callers
      .filter(isAuthenticated)
      .map(({ name }) => name)
      .sort(),
  );
});
