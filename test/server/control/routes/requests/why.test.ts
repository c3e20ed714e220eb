import { describe, expect, test } from 'vitest';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { userToken } from '../../../operations/user-token.ts';
import { type HttpResponse, send } from '../../control-client.ts';

const groups = '/security/iam/v1/groups';
const basic = (id: string, secret: string) => ({ Authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

interface Explanation {
  readonly credential: { readonly authMethod: string; readonly accepted: boolean; readonly reason?: string };
}

async function fetchExplanation(server: TestServer, response: HttpResponse): Promise<Explanation> {
  const explanation = await send(server, `/_iam/requests/${response.headers['x-request-id']}/why`);
  expect(explanation.status).toBe(200);
  // The caller itself never receives the reason.
  const { reason } = (explanation.body as Explanation).credential;
  if (reason !== undefined) expect(JSON.stringify(response.body)).not.toContain(reason);
  return explanation.body as Explanation;
}

async function explain(
  server: TestServer,
  headers: Readonly<Record<string, string>>,
  path = groups,
): Promise<Explanation> {
  return fetchExplanation(server, await send(server, path, { headers }));
}

describe('a rejected credential', () => {
  test('is missing or malformed', async () => {
    await using server = await startServer();
    expect(await explain(server, {})).toMatchObject({
      rejected: true,
      credential: { authMethod: 'none', accepted: false },
    });
    expect(await explain(server, { Authorization: 'Digest x' })).toMatchObject({ credential: { accepted: false } });
  });

  test('belongs to an unknown client or has a wrong secret', async () => {
    await using server = await startServer();
    expect(await explain(server, basic('x', 'y'))).toMatchObject({
      credential: {
        authMethod: 'basic',
        accepted: false,
        reason: expect.stringContaining('No client has the given id'),
      },
    });
    expect(await explain(server, basic(adminClient.clientId, 'y'))).toMatchObject({
      credential: { authMethod: 'basic', accepted: false, reason: expect.stringContaining('secret does not match') },
      client: { clientId: adminClient.clientId },
    });
    expect(await explain(server, { 'X-Api-Key': 'y' })).toMatchObject({
      credential: { authMethod: 'api-key', accepted: false, reason: expect.stringContaining('API key does not exist') },
    });
  });

  test('belongs to a client whose owner is locked', async () => {
    await using server = await startServer({ seed: { users: [{ userId: 'ann', locked: true }] } });
    const client = await server.makeClient({ userId: 'ann' });
    expect(await explain(server, basic(client.clientId, client.clientSecret))).toMatchObject({
      credential: { reason: expect.stringContaining('The owner of the client') },
      client: { clientId: client.clientId },
    });
  });

  test('is an expired, altered or malformed token, or one of another server', async () => {
    await using server = await startServer();
    await using other = await startServer();
    const { accessToken } = await server.admin.clientIdentities.login();
    const otherToken = (await other.admin.clientIdentities.login()).accessToken;
    const [head, body, signature = ''] = accessToken.split('.');
    const altered = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    const reasonFor = async (token: string) => (await explain(server, bearer(token))).credential.reason;
    expect(await reasonFor('x')).toContain('not a JSON Web Token');
    expect(await reasonFor('a.b.c')).toContain('not a JSON Web Token');
    expect(await reasonFor(altered)).toContain('signature is invalid');
    expect(await reasonFor(otherToken)).toContain('signed with a key that this server does not have');
    server.clock.advance(3601);
    expect(await reasonFor(accessToken)).toBe('It expired at 2026-03-01T13:00:00.000Z.');
  });

  test('is a token whose user is locked or whose session has ended', async () => {
    await using server = await startServer();
    const token = await userToken(server, { userId: 'ann' });
    const { store } = server.appContext;
    const lock = (locked: boolean) =>
      store.transaction(async (tx) => {
        const user = await tx.users.get('ann');
        if (user) await tx.users.replace({ ...user, locked });
      });
    await lock(true);
    expect(await explain(server, bearer(token))).toMatchObject({
      credential: { authMethod: 'bearer', reason: 'The user is locked.' },
      user: { userId: 'ann', locked: true },
    });
    await lock(false);
    await send(server, '/_iam/sessions?userId=ann', { method: 'DELETE' });
    expect(await explain(server, bearer(token))).toMatchObject({
      credential: { reason: 'The session of the token ended.' },
    });
  });

  test('is a wrong password, or a password of a user without one or of an unknown user', async () => {
    const password = 'correct horse battery';
    const users = [{ userId: 'ann', password }, { userId: 'bob' }, { userId: 'eve', password, locked: true }];
    await using server = await startServer({ seed: { users } });
    const tried = async (name: string, secret: string) => {
      const path = '/security/iam/v1/user-identities/login?clientId=test-app';
      return fetchExplanation(server, await send(server, path, { method: 'POST', headers: basic(name, secret) }));
    };
    expect(await tried('ann', 'wrong')).toMatchObject({
      credential: { authMethod: 'basic', accepted: false, reason: expect.stringContaining('password does not match') },
      user: { userId: 'ann' },
    });
    expect(await tried('bob', 'wrong')).toMatchObject({ credential: { reason: 'The user has no password.' } });
    expect(await tried('joe', 'wrong')).toMatchObject({ credential: { reason: 'No user has this login name.' } });
    expect(await tried('eve', password)).toMatchObject({
      credential: { reason: expect.stringContaining('is locked') },
    });
  });
});

describe('an unauthorized caller', () => {
  test('is explained by its roles, the required roles, and who can grant the missing ones', async () => {
    await using server = await startServer();
    const token = await userToken(server, { userId: 'ann', roles: ['DEPLOY'] });
    const response = await send(server, '/security/iam/v1/api-key', { headers: bearer(token) });
    expect(response.status).toBe(403);
    expect(await fetchExplanation(server, response)).toMatchObject({
      operation: 'api-key.list',
      status: 403,
      rejected: true,
      errors: [{ code: 'ROLE_MISSING', hint: expect.stringContaining('a group that grants the role') }],
      credential: { authMethod: 'bearer', accepted: true },
      client: { clientId: 'test-app' },
      user: { userId: 'ann', locked: false },
      session: { level: 'AUTH-BASIC', active: true },
      groups: ['roles-of-ann'],
      roles: expect.arrayContaining(['DEPLOY', 'AUTH-BASIC', 'CLI-1STPARTY']),
      requires: 'CLI-1STPARTY and CLI-AUTH-IDENTIFIED and ADMIN',
      missing: ['ADMIN'],
      forbidden: [],
      grantedBy: [{ role: 'ADMIN', groups: ['iam-administrators'] }],
    });
  });

  test('is explained by the object rule that rejected it', async () => {
    await using server = await startServer({
      seed: { groups: [{ groupName: 'ops', roles: ['DEPLOY'] }], users: [{ userId: 'bob' }] },
    });
    const token = await userToken(server, { roles: ['ADMIN'], level: 'AUTH-MFA' });
    const path = '/security/iam/v1/user-accesses/ops/user-accounts';
    const response = await send(server, path, { method: 'POST', headers: bearer(token), body: [{ userId: 'bob' }] });
    const explanation = (await fetchExplanation(server, response)) as Explanation & { readonly rule?: string };
    expect([response.status, explanation.rule]).toEqual([
      404,
      expect.stringContaining('roles that the caller lacks: DEPLOY'),
    ]);
    expect(explanation).toMatchObject({ credential: { accepted: true }, missing: [] });
  });
});

test('a successful request has nothing to explain', async () => {
  await using server = await startServer();
  const response = await send(server, groups, { headers: basic(adminClient.clientId, adminClient.clientSecret) });
  expect(await fetchExplanation(server, response)).toMatchObject({
    rejected: false,
    errors: [],
    missing: [],
    credential: { accepted: true },
  });
});

test('a request that is not retained is not explained', async () => {
  await using server = await startServer();
  expect(await send(server, '/_iam/requests/x/why')).toMatchObject({
    status: 404,
    body: [{ code: 'REQUEST_NOT_FOUND' }],
  });
});
