/** Access tests shared by all operations. Each operation's test file calls `testAccess`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiResponse, ClientError, type IamClient } from '../../../src/client/index.ts';
import type { CallInput } from '../../../src/client/types.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { formatRoles, isAllowed, type RoleExpression } from '../../../src/contract/roles.ts';
import { type OperationId, operations } from '../../../src/server/operations/index.ts';
import { startServer, type TestServer } from '../../harness.ts';

/** One alternative of a role expression: all of these roles are required. */
type RoleSet = readonly string[];

/** Returns every minimal set of roles that satisfies the expression. Scopes and negations are not supported. */
export function listRoleSets(expression: RoleExpression): RoleSet[] {
  switch (expression.kind) {
    case 'public':
      return [[]];
    case 'role':
      return [[expression.name]];
    case 'any':
      return expression.of.flatMap(listRoleSets);
    case 'all':
      return expression.of
        .map(listRoleSets)
        .reduce((sets, more) => sets.flatMap((set) => more.map((other) => [...new Set([...set, ...other])])), [[]]);
    default:
      throw new Error(`unsupported role expression: ${formatRoles(expression)}`);
  }
}

/** Roles that follow from the authentication and the registration of a client, and are not authorities. */
const clientRoles = ['CLI-AUTH-IDENTIFIED', 'CLI-AUTH-BASIC', 'CLI-1STPARTY', 'CLI-3RDPARTY'];

/** Creates an authenticated client with exactly these roles. */
async function callerWith(server: TestServer, roles: RoleSet, onResponse?: (response: ApiResponse) => void) {
  const party = roles.includes('CLI-1STPARTY') ? '1STPARTY' : '3RDPARTY';
  const authorities = roles.filter((role) => !clientRoles.includes(role));
  return server.as({ basic: await server.makeClient({ party, authorities }) }, { onResponse });
}

/** Returns the error that a request failed with. */
export async function catchClientError(request: Promise<unknown>): Promise<ClientError> {
  const outcome = await request.then(
    () => 'success',
    (error: unknown) => error,
  );
  if (outcome instanceof ClientError) return outcome;
  throw new Error('expected the request to fail, but it succeeded', { cause: outcome });
}

/** Starts one server for the tests of a file that do not change the store. */
export function sharedServer(): () => TestServer {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());
  return () => {
    if (!server) throw new Error('the shared server runs only between beforeAll and afterAll');
    return server;
  };
}

/** Creates what a request of the operation needs and returns its input. */
type Prepare = (server: TestServer) => Promise<CallInput>;

type CreateCaller = (server: TestServer) => Promise<IamClient>;

/**
 * Tests the access rules of an operation: each alternative of its role expression, each missing role, missing and
 * invalid credentials. `createCaller` returns a caller with access for operations that the administrator cannot use.
 */
export function testAccess(
  id: OperationId,
  prepare: Prepare,
  createCaller: CreateCaller = async ({ admin }) => admin,
): void {
  const operation: Operation<never> = operations[id];
  const alternatives = listRoleSets(operation.roles);

  describe('access', () => {
    test.each(alternatives.map((alternative) => [alternative.join(' and '), alternative] as const))(
      'accepts a caller with exactly %s',
      async (_, alternative) => {
        await using server = await startServer();
        const input = await prepare(server);
        const caller = await callerWith(server, alternative);
        await expect(caller.call(id, input)).resolves.toMatchObject({ requestId: expect.any(String) });
      },
    );

    const shared = sharedServer();
    let input: CallInput = {};
    beforeAll(async () => {
      input = await prepare(shared());
    });

    test.each(listIncompleteRoleSets(operation))(
      'rejects a caller without %s and leaves the store unchanged',
      async (_, roles) => {
        const server = shared();
        const challenges: unknown[] = [];
        const caller = await callerWith(server, roles, (response) =>
          challenges.push(response.headers['www-authenticate']),
        );
        const before = await server.dump();
        const failure = await catchClientError(caller.call(id, input));
        expect(failure).toMatchObject({ status: operation.statuses.includes(403) ? 403 : 401, code: 'ROLE_MISSING' });
        expect(failure.items).toEqual([
          expect.objectContaining({ code: 'ROLE_MISSING', message: expect.stringContaining('lacks') }),
        ]);
        expect(challenges).toEqual([expect.stringContaining('error="insufficient_scope"')]);
        expect(await server.dump()).toEqual(before);
      },
    );

    test('rejects missing and invalid credentials with 401 and leaves the store unchanged', async () => {
      const server = shared();
      const before = await server.dump();
      for (const [credentials, code] of rejectedCredentials) {
        const failure = await catchClientError(server.as(credentials).call(id, input));
        expect(failure, code).toMatchObject({ status: 401, code });
        expect(failure.items).toEqual([expect.objectContaining({ code, message: expect.stringMatching(/./) })]);
      }
      expect(await server.dump()).toEqual(before);
    });

    test('rejects two authentication methods in one request', async () => {
      const server = shared();
      const headers = { 'x-api-key': 'one', authorization: 'Bearer two' };
      const failure = await catchClientError(server.as().call(id, { ...input, headers }));
      const status = operation.statuses.includes(400) ? 400 : 401;
      expect(failure).toMatchObject({ status, code: 'CREDENTIALS_AMBIGUOUS' });
    });
  });

  if (operation.method !== 'GET') testReadOnlyStore(id, prepare, createCaller);
}

const rejectedCredentials = [
  [undefined, 'CREDENTIALS_MISSING'],
  [{ basic: { clientId: 'unknown', clientSecret: 'nothing' } }, 'CREDENTIALS_INVALID'],
  [{ basic: { clientId: 'test-admin', clientSecret: 'wrong' } }, 'CREDENTIALS_INVALID'],
  [{ basic: { clientId: 'test-app', clientSecret: '' } }, 'CREDENTIALS_INVALID'],
  [{ apiKey: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }, 'CREDENTIALS_INVALID'],
  [{ token: 'not.a.token' }, 'TOKEN_INVALID'],
] as const;

/** Each alternative without one of its roles, unless the remaining roles satisfy another alternative. */
function listIncompleteRoleSets({ roles: expression }: Operation<never>): [string, RoleSet][] {
  const incomplete = listRoleSets(expression).flatMap((alternative) =>
    alternative
      .filter((role) => role !== 'CLI-AUTH-IDENTIFIED' && role !== 'CLI-AUTH-BASIC')
      .map((role): [string, RoleSet] => [role, alternative.filter((other) => other !== role)]),
  );
  const rejected = incomplete.filter(
    ([, roles]) => !isAllowed(expression, { roles: new Set(roles), scope: new Set() }),
  );
  return rejected.filter(([name], at) => rejected.findIndex(([other]) => other === name) === at);
}

function testReadOnlyStore(id: OperationId, prepare: Prepare, createCaller: CreateCaller): void {
  test('returns 503 with Retry-After while the store is read-only', async () => {
    await using server = await startServer();
    const input = await prepare(server);
    const caller = await createCaller(server);
    const before = await server.dump();
    server.stopWrites();
    const failure = await catchClientError(caller.call(id, input));
    expect(failure).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE', retryAfter: 5 });
    expect(await server.dump()).toEqual(before);
  });
}
