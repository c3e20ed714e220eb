import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { catchClientError } from '../access.ts';

async function makeService({ admin }: TestServer) {
  const body = { appId: 'billing', serviceAccountId: 'billing-service' };
  return admin.clientIdentities.create({ body });
}

test.each(['service account id', 'client id'])('removes a client by its %s', async (kind) => {
  await using server = await startServer();
  const { clientId } = await makeService(server);
  const params = { serviceAccountId: kind === 'client id' ? clientId : 'billing-service' };
  const response = await server.admin.call('client-identities.remove', { params });
  expect(response).toMatchObject({ status: 204, body: undefined });
  expect(await server.appContext.store.clients.get(clientId)).toBeUndefined();
  expect(await catchClientError(server.admin.clientIdentities.remove({ params }))).toMatchObject({
    status: 404,
    code: 'CLIENT_NOT_FOUND',
  });
});

test('rejects the secret, tokens and API keys of a removed client from the next request on', async () => {
  await using server = await startServer();
  const client = await server.makeClient({ authorities: ['AUTH-BASIC', 'IAM_ADMIN_READ_ONLY'] });
  const { clientId } = client;
  const { accessToken } = await server.as(client).clientIdentities.login();
  const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'billing', clientId } });
  const callers = [server.as({ token: accessToken }), server.as({ apiKey }), server.as({ basic: client })];
  for (const caller of callers) await caller.groups.list();
  await server.admin.clientIdentities.remove({ params: { serviceAccountId: clientId } });
  for (const caller of callers) expect(await catchClientError(caller.groups.list())).toMatchObject({ status: 401 });
  expect(await catchClientError(server.as(client).clientIdentities.login())).toMatchObject({
    code: 'CREDENTIALS_INVALID',
  });
  expect(await server.admin.apiKey.list()).toEqual({ items: [] });
});

test('removes the memberships of the service and no others', async () => {
  await using server = await startServer();
  const { store } = server.appContext;
  await makeService(server);
  const [group] = await store.groups.list();
  const groupId = group?.groupId ?? '';
  const other = { groupId, kind: 'service', memberId: 'other' } as const;
  await store.transaction(async (tx) => {
    await tx.memberships.insert({ ...other, memberId: 'billing-service' });
    await tx.memberships.insert(other);
  });
  const count = await store.memberships.count();
  await server.admin.clientIdentities.remove({ params: { serviceAccountId: 'billing-service' } });
  expect(await store.memberships.count()).toBe(count - 1);
  expect(await store.memberships.find('group', groupId)).toContainEqual(other);
});

test('rejects the chosen id of a removed client as a new service account id', async () => {
  await using server = await startServer();
  const { clientId } = await makeService(server);
  await server.admin.clientIdentities.remove({ params: { serviceAccountId: clientId } });
  const before = await server.dump();
  const body = { appId: 'x', serviceAccountId: 'billing-service' };
  const failure = await catchClientError(server.admin.clientIdentities.create({ body }));
  expect(failure).toMatchObject({ status: 412, code: 'ID_TAKEN' });
  expect(await server.dump()).toEqual(before);
});

test.each(['test-admin', 'test-app'])(
  'does not remove the bootstrap client %s: 200 with the error array',
  async (id) => {
    await using server = await startServer();
    const before = await server.dump();
    const failure = await catchClientError(server.admin.clientIdentities.remove({ params: { serviceAccountId: id } }));
    expect(failure).toMatchObject({ status: 200, code: 'BOOTSTRAP_CLIENT' });
    expect(failure.items).toEqual([{ code: 'BOOTSTRAP_CLIENT', message: expect.any(String) }]);
    expect(await server.dump()).toEqual(before);
  },
);

test('requires IAM_ADMIN_MAINTENANCE to remove a service with an IAM_ADMIN role', async () => {
  await using server = await startServer();
  await makeService(server);
  await server.admin.groups.create({ body: { groupName: 'outer', dependencies: [{ groupName: 'iam-auditors' }] } });
  const into = (groupId: string) => ({ params: { groupId }, body: [{ serviceId: 'billing-service' }] });
  await server.admin.serviceAccesses.addService(into('outer'));
  const caller = await server.withAuthorities(['AUTH-MFA', 'ADMIN', 'IAM_ADMIN_READ_ONLY']);
  const params = { serviceAccountId: 'billing-service' };
  const before = await server.dump();
  const failure = await catchClientError(caller.clientIdentities.remove({ params }));
  const absent = await catchClientError(caller.clientIdentities.remove({ params: { serviceAccountId: 'nothing' } }));
  expect(failure).toMatchObject({ status: 404, code: 'CLIENT_NOT_FOUND' });
  expect(failure.items).toEqual(absent.items);
  expect(await server.dump()).toEqual(before);
  await server.admin.clientIdentities.remove({ params });
});
