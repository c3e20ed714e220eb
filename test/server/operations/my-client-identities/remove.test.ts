import { describe, expect, test } from 'vitest';
import type { TestServer } from '../../../harness.ts';
import { catchClientError, expectRejection, startWithMembers } from '../user-accesses/member-fixtures.ts';
import { asUser } from '../user-token.ts';

const id = 'my-client-identities.remove';
const notFound = { status: 404, code: 'CLIENT_NOT_FOUND' };

const clientExists = async (server: TestServer, clientId: string) =>
  (await server.appContext.store.clients.get(clientId)) !== undefined;

test('removes the client with its keys, memberships, sessions and tokens', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { userId: 'u' });
  const body = { appId: 'x', serviceAccountId: 'mine', grantTypes: ['client_credentials', 'refresh_token'] };
  const pair = await caller.myClientIdentities.create({ body });
  const { clientId, clientSecret } = pair;
  await server.admin.serviceAccesses.addService({ params: { groupId: 'deployers' }, body: [{ serviceId: 'mine' }] });
  const administrator = await server.withAuthorities(['ADMIN', 'DEPLOY', 'AUTH-BASIC']);
  const { apiKey } = await administrator.apiKey.create({ body: { appId: 'x', clientId } });
  const tokens = { grantType: 'client_credentials', clientId, clientSecret };
  const { body: token } = await server.as().call('generate-token.create', { body: tokens });
  const { accessToken } = token as { accessToken: string };

  expect(await caller.call(id, { params: { clientId } })).toMatchObject({ status: 204 });

  const { store } = server.appContext;
  const removedRows = [store.clients.get(clientId), store.clients.getBy('serviceAccountId', 'mine')];
  expect(await Promise.all(removedRows)).toEqual([undefined, undefined]);
  for (const rows of [
    store.apiKeys.find('clientId', clientId),
    store.sessions.find('clientId', clientId),
    store.memberships.find('member', 'service//mine'),
  ])
    expect(await rows).toEqual([]);
  expect(await store.refreshTokens.count()).toBe(0);
  for (const credentials of [{ basic: pair }, { apiKey }, { token: accessToken }])
    expect(await catchClientError(server.as(credentials).groups.list())).toMatchObject({ status: 401 });
});

describe('a client can be removed by', () => {
  test('the owner or administrator of its business', async () => {
    await using server = await startWithMembers();
    for (const [at, role] of ['BUSINESSOWNER', 'BUSINESSADMIN'].entries()) {
      const { clientId } = await server.makeClient({ clientId: `c${at}`, businessId: 'a' });
      const caller = await asUser(server, { businessId: 'a', roles: [role] });
      await caller.call(id, { params: { clientId } });
      expect(await clientExists(server, clientId)).toBe(false);
    }
  });

  test('its user, also after the user joined a business', async () => {
    await using server = await startWithMembers();
    await server.makeClient({ clientId: 'mine', userId: 'u' });
    const caller = await asUser(server, { userId: 'u', businessId: 'a', roles: ['BUSINESSADMIN'] });
    await caller.call(id, { params: { clientId: 'mine' } });
    expect(await clientExists(server, 'mine')).toBe(false);
  });

  test('the client that created it', async () => {
    await using server = await startWithMembers();
    const caller = await server.withAuthorities(['PERSON'], { clientId: 'maker' });
    await server.makeClient({ clientId: 'mine', ownerClientId: 'maker' });
    await caller.call(id, { params: { clientId: 'mine' } });
    expect(await clientExists(server, 'mine')).toBe(false);
  });
});

describe('returns 404 for a client of another owner', () => {
  const otherIds = ['of-b', 'of-none', 'of-p1', 'service-of-a'];

  test('to a user of a business', async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server, { businessId: 'a', roles: ['BUSINESSOWNER'] });
    for (const clientId of [...otherIds, 'OF-A', 'test-admin', 'test-app'])
      await expectRejection(server, () => caller.call(id, { params: { clientId } }), notFound);
  });

  test('to an administrator', async () => {
    await using server = await startWithMembers();
    const caller = await asUser(server, { roles: ['ADMIN', 'IAM_ADMIN_MAINTENANCE'] });
    for (const clientId of otherIds)
      await expectRejection(server, () => caller.call(id, { params: { clientId } }), notFound);
  });

  test('to a user of the client that created it', async () => {
    await using server = await startWithMembers();
    await server.makeClient({ clientId: 'mine', party: '3RDPARTY', ownerClientId: 'test-app' });
    const caller = await asUser(server);
    await expectRejection(server, () => caller.call(id, { params: { clientId: 'mine' } }), notFound);
  });

  test('and for the calling client itself and for a bootstrap client', async () => {
    await using server = await startWithMembers();
    const caller = await server.withAuthorities(['PERSON'], { clientId: 'lonely' });
    await expectRejection(server, () => caller.call(id, { params: { clientId: 'lonely' } }), notFound);
    await server.appContext.store.transaction(async (tx) => {
      const app = await tx.clients.get('test-app');
      if (app) await tx.clients.replace({ ...app, businessId: 'a' });
    });
    const owner = await asUser(server, { businessId: 'a', roles: ['BUSINESSOWNER'], clientId: 'of-a' });
    await expectRejection(server, () => owner.call(id, { params: { clientId: 'test-app' } }), notFound);
  });
});

test('succeeds for one of many concurrent requests', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server);
  const { clientId } = await caller.myClientIdentities.create({ body: { appId: 'x' } });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, () => caller.call(id, { params: { clientId } })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
