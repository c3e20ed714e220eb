import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { catchClientError } from '../access.ts';

test('returns every field of a key except the key and its hash', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient();
  const { apiKeyId, apiKey } = await server.admin.apiKey.create({ body: { appId: 'billing', clientId } });
  const response = await server.admin.call('api-key.list');
  expect(response).toMatchObject({ status: 200 });
  const createdAt = server.clock.now().toISOString();
  expect(response.body).toEqual([{ apiKeyId, appId: 'billing', clientId, hint: apiKey.slice(-5, -1), createdAt }]);
});

test('returns the time of the last use, before and after it is written to the store', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient({ authorities: ['ADMIN'] });
  const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'billing', clientId } });
  const lastUse = async () => (await server.admin.apiKey.list()).items.map(({ lastUsedAt }) => lastUsedAt);
  expect(await lastUse()).toEqual([undefined]);
  server.clock.advance(60);
  const first = server.clock.now().toISOString();
  await server.as({ apiKey }).apiKey.list();
  expect(await lastUse()).toEqual([first]);
  await server.appContext.apiKeyUses.flush(server.appContext.store);
  server.clock.advance(60);
  expect(await lastUse()).toEqual([first]);
  await server.as({ apiKey }).apiKey.list();
  expect(await lastUse()).toEqual([server.clock.now().toISOString()]);
});

test('filters by client and application, also across pages', async () => {
  await using server = await startServer();
  const clients = [await server.makeClient(), await server.makeClient()].map(({ clientId }) => clientId);
  for (const appId of ['billing', 'shop', 'billing'])
    for (const clientId of clients) await server.admin.apiKey.create({ body: { appId, clientId } });
  const [clientId] = clients;
  const count = async (query: object) => {
    const pagedItems: unknown[] = [];
    for await (const item of server.admin.items('api-key.list', { query: { ...query, limit: 1 } }))
      pagedItems.push(item);
    const { items } = await server.admin
      .call('api-key.list', { query: { ...query } })
      .then(({ body }) => ({ items: body }));
    expect(pagedItems).toEqual(items);
    return pagedItems.length;
  };
  expect(await count({})).toBe(6);
  expect(await count({ clientId })).toBe(3);
  expect(await count({ appId: 'billing' })).toBe(4);
  expect(await count({ clientId, appId: 'billing' })).toBe(2);
  expect(await count({ clientId, appId: 'none' })).toBe(0);
});

test('returns 206 and a Link header to the next page', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient();
  for (const appId of ['one', 'two', 'three']) await server.admin.apiKey.create({ body: { appId, clientId } });
  const first = await server.admin.call('api-key.list', { query: { limit: 2, clientId } });
  expect(first).toMatchObject({ status: 206, body: [{ appId: 'one' }, { appId: 'two' }] });
  const [, url = ''] = /^<(.*)>; rel="next"$/.exec(first.headers.link ?? '') ?? [];
  const rest = await server.admin.raw('GET', url.replace(server.url, ''));
  expect(rest).toMatchObject({ status: 200, body: [{ appId: 'three' }] });
});

test('rejects a cursor of a list with another client filter', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient();
  for (const appId of ['one', 'two']) await server.admin.apiKey.create({ body: { appId, clientId } });
  const { next } = await server.admin.apiKey.list({ query: { limit: 1, clientId } });
  expect(next).toBeDefined();
  const failure = await catchClientError(server.admin.apiKey.list({ query: { after: next, clientId: 'test-app' } }));
  expect(failure).toMatchObject({ status: 400, code: 'CURSOR_INVALID' });
});
