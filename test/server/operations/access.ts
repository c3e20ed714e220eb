/** What every operation holds about who may call it, as tests that its own test file asks for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiResponse, ClientError, type IamClient } from '../../../src/client/index.ts';
import type { CallInput } from '../../../src/client/types.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { formatRoles, isAllowed, type RoleExpression } from '../../../src/contract/roles.ts';
import { type OperationId, operations } from '../../../src/server/operations/index.ts';
import { startServer, type TestServer } from '../../harness.ts';

/** The roles of one way in; each is needed. */
type RoleSet = readonly string[];

/** Every smallest set of roles that the expression lets in. Scopes and negations come with the first operation that has them. */
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
      throw new Error(`access tests do not know ${formatRoles(expression)} yet`);
  }
}

/** Roles that a client has by what it is, and not by what it was given. */
const clientRoles = ['CLI-AUTH-IDENTIFIED', 'CLI-AUTH-BASIC', 'CLI-1STPARTY', 'CLI-3RDPARTY'];

/** A client that has exactly these roles, as far as a proven client can. */
async function callerWith(server: TestServer, roles: RoleSet, onAnswer?: (answer: ApiResponse) => void) {
  const party = roles.includes('CLI-1STPARTY') ? '1STPARTY' : '3RDPARTY';
  const authorities = roles.filter((role) => !clientRoles.includes(role));
  return server.as({ basic: await server.makeClient({ party, authorities }) }, { onResponse: onAnswer });
}

/** What a call failed with. */
export async function catchClientError(call: Promise<unknown>): Promise<ClientError> {
  const outcome = await call.then(
    () => 'success',
    (error: unknown) => error,
  );
  if (outcome instanceof ClientError) return outcome;
  throw new Error('the call was to fail, and did not', { cause: outcome });
}

/** One server for tests that change nothing in it: those of refusals. */
export function sharedServer(): () => TestServer {
  let server: TestServer | undefined;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());
  return () => {
    if (!server) throw new Error('the server is there from beforeAll to afterAll');
    return server;
  };
}

/** Makes what a call of the operation needs, and gives its input. */
type Prepare = (server: TestServer) => Promise<CallInput>;

type Writer = (server: TestServer) => Promise<IamClient>;

/**
 * The tests of who may call: each way in, each role that is missing, nobody, and credentials that are none. `writer` is
 * somebody who may, where the administrator may not.
 */
export function testAccess(id: OperationId, prepare: Prepare, writer: Writer = async ({ admin }) => admin): void {
  const operation: Operation<never> = operations[id];
  const ways = listRoleSets(operation.roles);

  describe('access', () => {
    test.each(ways.map((way) => [way.join(' and '), way] as const))('lets in exactly %s', async (_, way) => {
      await using server = await startServer();
      const input = await prepare(server);
      const caller = await callerWith(server, way);
      await expect(caller.call(id, input)).resolves.toMatchObject({ requestId: expect.any(String) });
    });

    const shared = sharedServer();
    let input: CallInput = {};
    beforeAll(async () => {
      input = await prepare(shared());
    });

    test.each(listMissingOne(operation))('refuses who has no %s, and keeps the store as it was', async (_, roles) => {
      const server = shared();
      const challenges: unknown[] = [];
      const caller = await callerWith(server, roles, (answer) => challenges.push(answer.headers['www-authenticate']));
      const before = await server.dump();
      const failure = await catchClientError(caller.call(id, input));
      expect(failure).toMatchObject({ status: operation.statuses.includes(403) ? 403 : 401, code: 'ROLE_MISSING' });
      expect(failure.items).toEqual([
        expect.objectContaining({ code: 'ROLE_MISSING', message: expect.stringContaining('lacks') }),
      ]);
      expect(challenges).toEqual([expect.stringContaining('error="insufficient_scope"')]);
      expect(await server.dump()).toEqual(before);
    });

    test('refuses nobody and credentials that are none with 401, and keeps the store as it was', async () => {
      const server = shared();
      const before = await server.dump();
      for (const [credentials, code] of noCredentials) {
        const failure = await catchClientError(server.as(credentials).call(id, input));
        expect(failure, code).toMatchObject({ status: 401, code });
        expect(failure.items).toEqual([expect.objectContaining({ code, message: expect.stringMatching(/./) })]);
      }
      expect(await server.dump()).toEqual(before);
    });

    test('refuses two ways of presenting itself at once', async () => {
      const server = shared();
      const headers = { 'x-api-key': 'one', authorization: 'Bearer two' };
      const failure = await catchClientError(server.as().call(id, { ...input, headers }));
      const status = operation.statuses.includes(400) ? 400 : 401;
      expect(failure).toMatchObject({ status, code: 'CREDENTIALS_AMBIGUOUS' });
    });
  });

  if (operation.method !== 'GET') testUnwritable(id, prepare, writer);
}

const noCredentials = [
  [undefined, 'CREDENTIALS_MISSING'],
  [{ basic: { clientId: 'nobody', clientSecret: 'nothing' } }, 'CREDENTIALS_INVALID'],
  [{ basic: { clientId: 'test-admin', clientSecret: 'wrong' } }, 'CREDENTIALS_INVALID'],
  [{ basic: { clientId: 'test-app', clientSecret: '' } }, 'CREDENTIALS_INVALID'],
  [{ apiKey: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' }, 'CREDENTIALS_INVALID'],
  [{ token: 'no.token.atall' }, 'TOKEN_INVALID'],
] as const;

/** Each way in without one of its roles, where that leaves a client that is let in by no other way. */
function listMissingOne({ roles: expression }: Operation<never>): [string, RoleSet][] {
  const lacking = listRoleSets(expression).flatMap((way) =>
    way
      .filter((role) => role !== 'CLI-AUTH-IDENTIFIED' && role !== 'CLI-AUTH-BASIC')
      .map((role): [string, RoleSet] => [role, way.filter((other) => other !== role)]),
  );
  const refused = lacking.filter(([, roles]) => !isAllowed(expression, { roles: new Set(roles), scope: new Set() }));
  return refused.filter(([name], at) => refused.findIndex(([other]) => other === name) === at);
}

function testUnwritable(id: OperationId, prepare: Prepare, writer: Writer): void {
  test('answers 503 with Retry-After while the store takes no writes', async () => {
    await using server = await startServer();
    const input = await prepare(server);
    const caller = await writer(server);
    const before = await server.dump();
    server.stopWrites();
    const failure = await catchClientError(caller.call(id, input));
    expect(failure).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE', retryAfter: 5 });
    expect(await server.dump()).toEqual(before);
  });
}
