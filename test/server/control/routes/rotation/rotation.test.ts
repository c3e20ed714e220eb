/** Rotation of client secrets and API keys: which values are valid when, for whom, and what a rotation ends. */
import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../../../../src/server/lib/secrets.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { userToken } from '../../../operations/user-token.ts';
import { type HttpResponse, send } from '../../control-client.ts';

interface Rotated {
  readonly value: string;
  readonly endsAt: string | undefined;
}

/** A client secret or an API key: both rotate alike. */
interface Kind {
  create(server: TestServer, userId?: string): Promise<{ id: string; value: string }>;
  rotate(server: TestServer, id: string, body?: object): Promise<HttpResponse>;
  read(response: HttpResponse): Rotated;
  headers(id: string, value: string): Record<string, string>;
  get(server: TestServer, id: string): Promise<Record<string, unknown>>;
  readonly endField: string;
}

const post = (server: TestServer, path: string, body: object) => send(server, path, { method: 'POST', body });
const get = async (server: TestServer, path: string) => (await send(server, path)).body as Record<string, unknown>;
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

const kinds: Readonly<Record<string, Kind>> = {
  'client secret': {
    async create(server, userId) {
      const { clientId, clientSecret } = await server.makeClient({ authorities: ['AUTH-BASIC', 'ADMIN'], userId });
      return { id: clientId, value: clientSecret };
    },
    rotate: (server, id, body = {}) => post(server, `/_iam/clients/${id}/rotate-secret`, body),
    read({ body }) {
      const { clientSecret, previousSecretEndsAt } = body as Record<string, string>;
      return { value: clientSecret ?? '', endsAt: previousSecretEndsAt };
    },
    headers: basic,
    get: (server, id) => get(server, `/_iam/clients/${id}`),
    endField: 'previousSecretEndsAt',
  },
  'API key': {
    async create(server, userId) {
      const { clientId } = await server.makeClient({ authorities: ['AUTH-BASIC', 'ADMIN'], userId });
      const { apiKeyId, apiKey } = await server.admin.apiKey.create({ body: { appId: 'billing', clientId } });
      return { id: apiKeyId, value: apiKey };
    },
    rotate: (server, id, body = {}) => post(server, `/_iam/api-keys/${id}/rotate`, body),
    read({ body }) {
      const { apiKey, previousKeyEndsAt } = body as Record<string, string>;
      return { value: apiKey ?? '', endsAt: previousKeyEndsAt };
    },
    headers: (_id, value) => ({ 'X-Api-Key': value }),
    get: (server, id) => get(server, `/_iam/api-keys/${id}`),
    endField: 'previousKeyEndsAt',
  },
};

describe.each(Object.entries(kinds))('a rotated %s', (_name, kind) => {
  /** Which of the values authenticate. */
  async function accepted(server: TestServer, id: string, values: readonly string[]): Promise<boolean[]> {
    const path = '/security/iam/v1/groups';
    const responses = values.map((value) => send(server, path, { headers: kind.headers(id, value) }));
    return (await Promise.all(responses)).map(({ status }) => status === 200);
  }

  async function rotate(server: TestServer, id: string, body?: object): Promise<Rotated> {
    const response = await kind.rotate(server, id, body);
    expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    return kind.read(response);
  }

  test('without an overlap fails at once, also if the clock goes back', async () => {
    await using server = await startServer();
    const { id, value } = await kind.create(server);
    const next = await rotate(server, id);
    expect(next.endsAt).toBeUndefined();
    expect(await kind.get(server, id)).not.toHaveProperty(kind.endField);
    server.clock.advance(-60);
    expect(await accepted(server, id, [value, next.value])).toEqual([false, true]);
  });

  test('stays valid until the overlap ends, and is listed until then', async () => {
    await using server = await startServer();
    const { id, value } = await kind.create(server);
    const next = await rotate(server, id, { overlap: '24h' });
    expect(next.endsAt).toBe('2026-03-02T12:00:00.000Z');
    server.clock.advance(24 * 3600 - 1);
    expect(await accepted(server, id, [value, next.value])).toEqual([true, true]);
    expect(await kind.get(server, id)).toMatchObject({ [kind.endField]: next.endsAt });
    server.clock.advance(1);
    expect(await accepted(server, id, [value, next.value])).toEqual([false, true]);
    expect(await kind.get(server, id)).not.toHaveProperty(kind.endField);
    // By a clock that was set back by more than an overlap can last, it would be valid for longer than that.
    server.clock.advance(-31 * 24 * 3600);
    expect(await accepted(server, id, [value, next.value])).toEqual([false, true]);
  });

  test('has at most two values: a rotation within an overlap says which one it keeps', async () => {
    await using server = await startServer();
    const { id, value: first } = await kind.create(server);
    const { value: second } = await rotate(server, id, { overlap: '1h' });
    const before = await server.dump();
    const rejected = await kind.rotate(server, id, { overlap: '1h' });
    expect(rejected).toMatchObject({ status: 412, body: [{ code: 'OVERLAP_ACTIVE' }] });
    expect(await server.dump()).toEqual(before);
    const { value: third } = await rotate(server, id, { overlap: '1h', keep: 'oldest' });
    expect(await accepted(server, id, [first, second, third])).toEqual([true, false, true]);
    const { value: fourth } = await rotate(server, id, { overlap: '1h', keep: 'newest' });
    expect(await accepted(server, id, [first, third, fourth])).toEqual([false, true, true]);
    const { value: last } = await rotate(server, id);
    expect(await accepted(server, id, [third, fourth, last])).toEqual([false, false, true]);
    // With one valid value, both mean it: a repeated rotation is safe.
    await rotate(server, id, { overlap: '1h', keep: 'oldest' });
    expect(await accepted(server, id, [last])).toEqual([true]);
  });

  test.each([
    { overlap: '31d' },
    { overlap: '-1s' },
    { overlap: '1 hour' },
    { overlap: 3600 },
    { keep: 'oldest' },
    { overlap: '1h', keep: 'both' },
    { other: true },
  ])('is not rotated with %j', async (body) => {
    await using server = await startServer();
    const { id } = await kind.create(server);
    const before = await server.dump();
    expect(await kind.rotate(server, id, body)).toMatchObject({ status: 400 });
    expect(await server.dump()).toEqual(before);
  });

  test('ends when its owner is locked, and gets no overlap while it is', async () => {
    await using server = await startServer();
    await userToken(server, { userId: 'alice' });
    const { id, value } = await kind.create(server, 'alice');
    await rotate(server, id, { overlap: '1h' });
    await server.admin.userIdentities.lock({ body: { userId: 'alice' } });
    expect(await kind.rotate(server, id, { overlap: '1h' })).toMatchObject({
      status: 412,
      body: [{ code: 'OWNER_INACTIVE' }],
    });
    const next = await rotate(server, id);
    await server.admin.userIdentities.unlock({ body: { userId: 'alice' } });
    expect(await accepted(server, id, [value, next.value])).toEqual([false, true]);
  });

  test('ends when the password of its owner changes', async () => {
    await using server = await startServer();
    await userToken(server, { userId: 'alice' });
    const { id, value } = await kind.create(server, 'alice');
    const next = await rotate(server, id, { overlap: '1h' });
    const body = { newPassword: 'correct horse battery staple' };
    expect(await send(server, '/_iam/users/alice/password', { method: 'PUT', body })).toMatchObject({ status: 204 });
    expect(await accepted(server, id, [value, next.value])).toEqual([false, true]);
  });

  test('survives export and import of the state and a seed, with its overlap', async () => {
    await using source = await startServer();
    const { id, value } = await kind.create(source);
    const next = await rotate(source, id, { overlap: '1h' });
    const { body: state } = await send(source, '/_iam/state/export');
    const { body: seed } = await send(source, '/_iam/state/export?format=seed');
    for (const [path, body] of [
      ['/_iam/state/import?force=true', state],
      ['/_iam/seed', seed],
    ] as const) {
      await using target = await startServer();
      expect((await post(target, path, body as object)).status).toBeLessThan(300);
      expect(await accepted(target, id, [value, next.value])).toEqual([true, true]);
      target.clock.advance(3600);
      expect(await accepted(target, id, [value, next.value])).toEqual([false, true]);
    }
  });
});

test('a rotation without overlap ends what the client obtained for itself, and nothing of users', async () => {
  await using server = await startServer();
  const { clientId, clientSecret } = await server.makeClient({ authorities: ['AUTH-BASIC', 'ADMIN'] });
  const body = { grantType: 'client_credentials', clientId, clientSecret };
  const login = await post(server, '/security/iam/v1/generate-token', body);
  const { accessToken: own } = login.body as { accessToken: string };
  const ofUser = await userToken(server, { userId: 'alice', clientId });
  const statusOf = async (token: string, path: string) =>
    (await send(server, `/security/iam/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  const statuses = async () => [await statusOf(own, '/groups'), await statusOf(ofUser, '/user-identities/alice')];
  expect(await statuses()).toEqual([200, 200]);
  await post(server, `/_iam/clients/${clientId}/rotate-secret`, { overlap: '1h' });
  expect(await statuses()).toEqual([200, 200]);
  await post(server, `/_iam/clients/${clientId}/rotate-secret`, {});
  expect(await statuses()).toEqual([401, 200]);
  expect((await server.appContext.store.sessions.find('clientId', clientId)).map(({ userId }) => userId)).toEqual([
    'alice',
  ]);
});

test('a seed with a plain key does not bring a rotated key back', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient();
  const key = { apiKey: Buffer.alloc(32, 1).toString('base64'), clientId, appId: 'billing' };
  for (const entry of [key, { ...key, apiKeyId: 'named', apiKey: Buffer.alloc(32, 2).toString('base64') }]) {
    await post(server, '/_iam/seed', { apiKeys: [entry] });
    const rows = await server.appContext.store.apiKeys.list();
    const id = rows.at(-1)?.apiKeyId ?? '';
    for (let rotations = 0; rotations < 2; rotations += 1) {
      await post(server, `/_iam/api-keys/${id}/rotate`, {});
      const before = await server.dump();
      expect((await post(server, '/_iam/seed', { apiKeys: [entry] })).status).toBeLessThan(300);
      expect(await server.dump()).toEqual(before);
    }
    const { body: exported } = await send(server, '/_iam/state/export?format=seed');
    await using target = await startServer();
    await post(target, '/_iam/seed', exported as object);
    const before = await target.dump();
    expect((await post(target, '/_iam/seed', { apiKeys: [{ ...entry, apiKeyId: id }] })).status).toBeLessThan(300);
    expect(await target.dump()).toEqual(before);
  }
});

test('an update of an API key ends its overlap if it changes the client or the value', async () => {
  await using server = await startServer();
  const [weak, strong] = [await server.makeClient(), await server.makeClient()];
  const statusOf = async (key: string) =>
    (await send(server, '/security/iam/v1/groups', { headers: { 'X-Api-Key': key } })).status;
  const third = Buffer.alloc(32, 3).toString('base64');
  for (const change of [{ clientId: strong.clientId }, { clientId: weak.clientId, apiKey: third }]) {
    const made = await server.admin.apiKey.create({ body: { appId: 'billing', clientId: weak.clientId } });
    const { apiKeyId, apiKey: first } = made;
    await post(server, `/_iam/api-keys/${apiKeyId}/rotate`, { overlap: '1h' });
    const update = (body: { clientId: string; apiKey?: string }) =>
      server.admin.raw('PUT', `/security/iam/v1/api-key/${apiKeyId}`, { body: { appId: 'billing', ...body } });
    await update({ clientId: weak.clientId });
    expect(await statusOf(first)).not.toBe(401);
    expect((await update({ ...change, apiKey: first })).body).toMatchObject([{ code: 'API_KEY_TAKEN' }]);
    expect((await update(change)).status).toBe(200);
    expect(await statusOf(first)).toBe(401);
  }
});

test('the explanation of a rejected request says that the secret was replaced', async () => {
  await using server = await startServer();
  const { clientId, clientSecret } = await server.makeClient();
  await post(server, `/_iam/clients/${clientId}/rotate-secret`, {});
  const { headers } = await send(server, '/security/iam/v1/groups', { headers: basic(clientId, clientSecret) });
  const why = await get(server, `/_iam/requests/${headers['x-request-id']}/why`);
  expect(JSON.stringify(why)).toContain('The secret was replaced at 2026-03-01T12:00:00.000Z');
});

test('clients without a secret, and those with a configured one, are not rotated', async () => {
  await using server = await startServer();
  const rotate = (id: string) => post(server, `/_iam/clients/${id}/rotate-secret`, {});
  const before = await server.dump();
  expect(await rotate('test-app')).toMatchObject({ status: 412, body: [{ code: 'CLIENT_WITHOUT_SECRET' }] });
  expect(await rotate('test-admin')).toMatchObject({ status: 412, body: [{ code: 'SECRET_CONFIGURED' }] });
  expect(await rotate('unknown')).toMatchObject({ status: 404, body: [{ code: 'CLIENT_NOT_FOUND' }] });
  expect(await server.dump()).toEqual(before);
});

test('a reset ends the overlap of the administrator client', async () => {
  await using server = await startServer();
  const { store } = server.appContext;
  const endsAt = '2026-03-02T12:00:00.000Z';
  await store.transaction(async (tx) => {
    const admin = await tx.clients.get('test-admin');
    if (admin) await tx.clients.replace({ ...admin, previousSecret: { hash: hashSecret('previous'), endsAt } });
  });
  expect(await get(server, '/_iam/clients/test-admin')).toMatchObject({ previousSecretEndsAt: endsAt });
  expect((await post(server, '/_iam/state/reset', {})).status).toBeLessThan(300);
  expect(await get(server, '/_iam/clients/test-admin')).not.toHaveProperty('previousSecretEndsAt');
});
