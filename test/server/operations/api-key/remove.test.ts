import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { catchClientError } from '../access.ts';

async function makeKey({ admin, makeClient }: TestServer) {
  const { clientId } = await makeClient({ authorities: ['AUTH-BASIC', 'ADMIN'] });
  const { apiKeyId, apiKey } = await admin.apiKey.create({ body: { appId: 'billing', clientId } });
  return { params: { apiKeyId }, apiKey };
}

test('removes the key, which is rejected from the next request on', async () => {
  await using server = await startServer();
  const { params, apiKey } = await makeKey(server);
  const caller = server.as({ apiKey });
  await caller.groups.list();
  const response = await server.admin.call('api-key.remove', { params });
  expect(response).toMatchObject({ status: 200, body: {} });
  expect(await catchClientError(caller.groups.list())).toMatchObject({ status: 401, code: 'CREDENTIALS_INVALID' });
  expect(await server.admin.apiKey.list()).toEqual({ items: [] });
  expect(await catchClientError(server.admin.apiKey.remove({ params }))).toMatchObject({ code: 'API_KEY_NOT_FOUND' });
});

test('leaves the client and its other keys unchanged', async () => {
  await using server = await startServer();
  const { params } = await makeKey(server);
  const { items } = await server.admin.apiKey.list();
  const body = { appId: 'shop', clientId: items[0]?.clientId ?? '' };
  const other = await server.admin.apiKey.create({ body });
  await server.admin.apiKey.remove({ params });
  await expect(server.as({ apiKey: other.apiKey }).groups.list()).resolves.toBeDefined();
});

test('removes the key that the request authenticates with', async () => {
  await using server = await startServer();
  const { params, apiKey } = await makeKey(server);
  const caller = server.as({ apiKey });
  await caller.apiKey.remove({ params });
  expect(await catchClientError(caller.apiKey.remove({ params }))).toMatchObject({ status: 401 });
});
