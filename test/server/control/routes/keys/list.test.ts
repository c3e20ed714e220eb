import { expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';

interface Key {
  readonly kid: string;
  readonly state: string;
}

async function listKeys(server: TestServer): Promise<Key[]> {
  const response = await send(server, '/_iam/keys');
  expect(response.status).toBe(200);
  return response.body as Key[];
}

test('keys have state and dates, and no private members', async () => {
  await using server = await startServer();
  const [first] = await listKeys(server);
  expect(first).toEqual({
    kid: server.appContext.keys.current().kid,
    alg: 'ES256',
    purpose: 'access-token',
    state: 'current',
    createdAt: '2026-03-01T12:00:00.000Z',
  });
  server.clock.advance(600);
  await send(server, '/_iam/keys/rotate', { method: 'POST' });
  const retired = {
    ...first,
    state: 'retired',
    retiredAt: '2026-03-01T12:10:00.000Z',
    expiresAt: '2026-03-01T13:11:00.000Z',
  };
  expect(await listKeys(server)).toEqual([expect.objectContaining({ state: 'current' }), retired]);
  server.clock.advance(3660);
  expect((await listKeys(server)).map(({ state }) => state)).toEqual(['current', 'expired']);
  await send(server, '/_iam/keys/rotate', { method: 'POST' });
  expect((await listKeys(server)).map(({ state }) => state)).toEqual(['current', 'retired']);
});
