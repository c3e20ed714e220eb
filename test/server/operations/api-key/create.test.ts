import { describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';
import { logIn } from '../user-identities/login-fixtures.ts';
import { fulfill, requestChallenge } from '../user-identities/second-factor.ts';
import { asUser } from '../user-token.ts';

const key = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

test('creates a key that authenticates its client and returns it only once', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient({ authorities: ['AUTH-BASIC', 'IAM_ADMIN_READ_ONLY'] });
  const body = { appId: 'billing', clientId };
  const response = await server.admin.call('api-key.create', { body });
  expect(response).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
  const { apiKeyId, apiKey } = response.body as { apiKeyId: string; apiKey: string };
  expect(apiKeyId).toMatch(/^[0-9a-f]{24}$/);
  expect(Buffer.from(apiKey, 'base64')).toHaveLength(32);
  expect(JSON.stringify(await server.dump())).not.toContain(apiKey);
  await expect(server.as({ apiKey }).groups.list()).resolves.toMatchObject({ items: { length: 5 } });
  const rejected = server.as({ apiKey }).groups.create({ body: { groupName: 'ops' } });
  await expect(rejected).rejects.toMatchObject({ status: 403 });
});

test('creates a different key for each request', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient();
  const make = () => server.admin.apiKey.create({ body: { appId: 'billing', clientId } });
  const created = await Promise.all(Array.from({ length: 20 }, make));
  expect(new Set(created.map(({ apiKey }) => apiKey)).size).toBe(20);
});

test('accepts a key chosen by the caller, but only once', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient();
  const body = { appId: 'billing', clientId, apiKey: key };
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => server.admin.apiKey.create({ body })));
  const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  expect(won.map(({ value }) => value)).toEqual([{ apiKeyId: expect.any(String), apiKey: key }]);
  for (const outcome of outcomes.filter(({ status }) => status === 'rejected'))
    expect(outcome).toMatchObject({ reason: { status: 412, code: 'API_KEY_TAKEN' } });
});

test('rejects a key with authorities that the caller does not have', async () => {
  await using server = await startServer();
  const caller = await server.withAuthorities(['ADMIN', 'AUTH-BASIC']);
  const privileged = await server.makeClient({ authorities: ['ADMIN', 'IAM_ADMIN_MAINTENANCE', 'AUTH-MFA'] });
  const equal = await server.makeClient({ authorities: ['AUTH-BASIC'] });
  const before = await server.dump();
  const failure = await catchClientError(
    caller.apiKey.create({ body: { appId: 'billing', clientId: privileged.clientId } }),
  );
  expect(failure).toMatchObject({ status: 403, code: 'GRANT_EXCEEDED' });
  expect(failure.message).toContain('AUTH-MFA, IAM_ADMIN_MAINTENANCE');
  expect(await server.dump()).toEqual(before);
  await caller.apiKey.create({ body: { appId: 'billing', clientId: equal.clientId } });
});

test('checks the roles that a service has through its groups and their dependencies', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient({ serviceAccountId: 'billing' });
  const group = await server.appContext.store.groups.getBy('groupName', 'business-owners');
  const membership = { groupId: group?.groupId ?? '', kind: 'service', memberId: 'billing' } as const;
  await server.appContext.store.transaction((tx) => tx.memberships.insert(membership));
  const caller = await server.withAuthorities(['ADMIN', 'AUTH-BASIC']);
  const failure = await catchClientError(caller.apiKey.create({ body: { appId: 'billing', clientId } }));
  expect(failure.message).toContain('BUSINESSADMIN, BUSINESSOWNER, BUSINESSUSER');
});

describe('a key for a service with a role', () => {
  async function serviceWithRole(server: TestServer) {
    const { admin } = server;
    await admin.groups.create({ body: { groupName: 'deployers', roles: ['DEPLOY'] } });
    const body = { appId: 'ci', serviceAccountId: 'ci' };
    const { clientId } = await admin.clientIdentities.create({ body });
    await admin.serviceAccesses.addService({ params: { groupId: 'deployers' }, body: [{ serviceId: 'ci' }] });
    return { appId: 'ci', clientId };
  }

  test('can be created by the bootstrap administrator client', async () => {
    await using server = await startServer();
    const { apiKey } = await server.admin.apiKey.create({ body: await serviceWithRole(server) });
    const client = server.as({ apiKey });
    await expect(client.groups.list()).rejects.toMatchObject({ status: 403, code: 'ROLE_MISSING' });
  });

  test('can be created by the bootstrap administrator after MFA', async () => {
    await using server = await startServer();
    const body = await serviceWithRole(server);
    const { accessToken } = await logIn(server, { name: 'admin', secret: 'correct horse battery staple' });
    const caller = server.as({ token: accessToken });
    const failure = await catchClientError(caller.apiKey.create({ body }));
    expect(failure).toMatchObject({ status: 403, code: 'GRANT_EXCEEDED' });
    expect(failure.message).toContain('lacks: CLI-AUTH-BASIC.');
    const code = await requestChallenge(server, caller, 'main-email', 'admin@example.com');
    const { accessToken: token } = await fulfill(caller, code);
    await expect(server.as({ token }).apiKey.create({ body })).resolves.toMatchObject({ apiKey: expect.any(String) });
  });
});

test('accepts every role of a group from a caller with IAM_ADMIN_MAINTENANCE, but no higher authentication level', async () => {
  await using server = await startServer();
  const caller = await server.withAuthorities(['ADMIN', 'IAM_ADMIN_MAINTENANCE', 'AUTH-BASIC']);
  const createKey = async (authorities: readonly string[]) => {
    const { clientId } = await server.makeClient({ authorities: [...authorities] });
    return caller.apiKey.create({ body: { appId: 'x', clientId } });
  };
  await createKey(['IAM_ADMIN_READ_ONLY', 'DEPLOY', 'BUSINESSOWNER', 'PERSON', 'AUTH-IDENTIFIED', 'AUTH-BASIC']);
  for (const level of ['AUTH-MFA', 'AUTH-SMART'])
    expect(await catchClientError(createKey([level]))).toMatchObject({ status: 403, code: 'GRANT_EXCEEDED' });
});

test('rejects a key with a scope that the caller does not have, and any key from a user without MFA', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient({ scope: ['account_lock', 'READ'] });
  const body = { appId: 'x', clientId };
  const rejected = { status: 403, code: 'GRANT_EXCEEDED' };
  const before = await server.dump();
  const failure = await catchClientError(server.admin.apiKey.create({ body }));
  expect(failure).toMatchObject(rejected);
  expect(failure.message).toContain('lacks: scope account_lock.');
  expect(await server.dump()).toEqual(before);
  const holder = await server.withAuthorities(['ADMIN'], { scope: ['account_lock', 'READ'] });
  await holder.apiKey.create({ body });
  const plain = { appId: 'x', clientId: (await server.makeClient()).clientId };
  const withoutMfa = await asUser(server, { roles: ['ADMIN'], level: 'AUTH-BASIC' });
  expect(await catchClientError(withoutMfa.apiKey.create({ body: plain }))).toMatchObject(rejected);
  const withMfa = await asUser(server, { roles: ['ADMIN'], level: 'AUTH-MFA' });
  await withMfa.apiKey.create({ body: plain });
});

describe('rejects and leaves the store unchanged:', () => {
  const shared = sharedServer();
  const validBody = { appId: 'billing', clientId: 'test-app' };

  test.each([
    ['a key that is too short', { ...validBody, apiKey: key.slice(4) }, 400, 'FIELD_VALUE'],
    ['a key that is not base64', { ...validBody, apiKey: key.replaceAll('A', '-') }, 400, 'FIELD_VALUE'],
  ])('%s', async (_, body, status, code) => {
    const server = shared();
    const before = await server.dump();
    const failure = await catchClientError(server.admin.call('api-key.create', { body }));
    expect(failure).toMatchObject({ status, code });
    expect(JSON.stringify(failure.items)).not.toContain(key.slice(4, -1));
    expect(await server.dump()).toEqual(before);
  });
});
