import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { catchClientError } from '../access.ts';

async function prepare({ admin, makeClient }: TestServer) {
  const [one, other] = [await makeClient(), await makeClient({ authorities: ['AUTH-BASIC', 'IAM_ADMIN_READ_ONLY'] })];
  const created = await admin.apiKey.create({ body: { appId: 'billing', clientId: one.clientId } });
  return { ...created, params: { apiKeyId: created.apiKeyId }, one: one.clientId, other: other.clientId };
}

test('changes the application and the client, and leaves the key unchanged if the body contains none', async () => {
  await using server = await startServer();
  const { params, other, apiKey } = await prepare(server);
  const [before] = (await server.admin.apiKey.list()).items;
  await expect(server.as({ apiKey }).groups.list()).rejects.toMatchObject({ status: 403 });
  const response = await server.admin.call('api-key.update', { params, body: { appId: 'shop', clientId: other } });
  expect(response).toMatchObject({ status: 200, body: {} });
  await expect(server.as({ apiKey }).groups.list()).resolves.toMatchObject({ items: { length: 5 } });
  const { items } = await server.admin.apiKey.list();
  expect(items).toEqual([{ ...before, appId: 'shop', clientId: other, lastUsedAt: expect.any(String) }]);
});

test('replaces the key with that of the body and rejects the old key', async () => {
  await using server = await startServer();
  const { params, other, apiKey } = await prepare(server);
  const replacement = Buffer.alloc(32, 7).toString('base64');
  const body = { appId: 'shop', clientId: other, apiKey: replacement };
  await server.admin.apiKey.update({ params, body });
  await expect(server.as({ apiKey }).groups.list()).rejects.toMatchObject({ status: 401 });
  await expect(server.as({ apiKey: replacement }).groups.list()).resolves.toBeDefined();
  const { items } = await server.admin.apiKey.list();
  expect(items).toMatchObject([{ hint: replacement.slice(-5, -1) }]);
  await server.admin.apiKey.update({ params, body });
});

test('rejects the key of another client and leaves both unchanged', async () => {
  await using server = await startServer();
  const { params, one } = await prepare(server);
  const second = await server.admin.apiKey.create({ body: { appId: 'billing', clientId: one } });
  const before = await server.dump();
  const body = { appId: 'billing', clientId: one, apiKey: second.apiKey };
  const failure = await catchClientError(server.admin.apiKey.update({ params, body }));
  expect(failure).toMatchObject({ status: 412, code: 'API_KEY_TAKEN' });
  expect(await server.dump()).toEqual(before);
});

test('rejects a client with more rights than the caller', async () => {
  await using server = await startServer();
  const { params, other, one } = await prepare(server);
  const caller = await server.withAuthorities(['ADMIN']);
  const before = await server.dump();
  const failure = await catchClientError(caller.apiKey.update({ params, body: { appId: 'x', clientId: other } }));
  expect(failure).toMatchObject({ status: 403, code: 'GRANT_EXCEEDED' });
  expect(await server.dump()).toEqual(before);
  await caller.apiKey.update({ params, body: { appId: 'x', clientId: one } });
});
