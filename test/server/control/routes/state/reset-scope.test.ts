/** A reset over HTTP has the scope of `iam.reset()` of the library. */
import { expect, test } from 'vitest';
import { startServer as startLibraryServer } from '../../../../../src/testing/index.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';
import { seed } from './state-client.ts';

const headers = {
  Authorization: `Basic ${Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64')}`,
};

const read = async (server: TestServer, path: string) => (await send(server, path)).body;

/** Everything that a reset clears, besides the data. */
async function readScope(server: TestServer, at: string) {
  return {
    clock: await read(server, `${at}/_iam/clock`),
    faults: await read(server, `${at}/_iam/faults`),
    requests: await read(server, `${at}/_iam/requests`),
    inbox: await read(server, `${at}/_iam/inbox`),
    coverage: await read(server, `${at}/_iam/coverage`),
  };
}

async function change(server: TestServer, at: string): Promise<void> {
  const put = (path: string, method: string, body: unknown) => send(server, at + path, { method, headers, body });
  expect((await put('/_iam/clock', 'PUT', { freeze: true, advance: '7d' })).status).toBe(200);
  const rule = { operation: 'groups.list', effect: { status: 503 } };
  expect((await put('/_iam/faults', 'POST', rule)).status).toBe(201);
  expect((await send(server, `${at}/security/iam/v1/groups`, { headers })).status).toBe(503);
  const contact = { userEmail: 'new@example.com' };
  expect((await put('/security/iam/v1/user-identities/alice', 'PATCH', contact)).status).toBeLessThan(300);
}

test.each(['', '/s/one'])('a reset at "%s" restores clock, faults, request log, coverage and inbox', async (at) => {
  await using server = await startServer({ seed });
  const before = await readScope(server, at);
  await change(server, at);
  const changed = await readScope(server, at);
  for (const part of Object.keys(before) as (keyof typeof before)[]) expect(changed[part]).not.toEqual(before[part]);
  expect((await send(server, `${at}/_iam/state/reset`, { method: 'POST' })).status).toBe(204);
  expect(await readScope(server, at)).toEqual(before);
  expect((await send(server, `${at}/security/iam/v1/groups`, { headers })).status).toBe(200);
});

test('a reset of a sandbox leaves the server unchanged', async () => {
  await using server = await startServer({ seed });
  await change(server, '');
  const before = await readScope(server, '');
  expect((await send(server, '/s/one/_iam/state/reset', { method: 'POST' })).status).toBe(204);
  expect(await readScope(server, '')).toEqual(before);
});

test('an invalid reset changes nothing', async () => {
  await using server = await startServer({ seed });
  await change(server, '');
  const before = await readScope(server, '');
  const invalid = { method: 'POST', body: { to: 'nothing' } };
  expect((await send(server, '/_iam/state/reset', invalid)).status).toBe(400);
  expect(await readScope(server, '')).toEqual(before);
});

test('a reset restores the clock that the library started the server with', async () => {
  await using iam = await startLibraryServer({ clock: { at: '2026-03-01T12:00:00.000Z', frozen: true } });
  iam.clock.advance('7d');
  iam.clock.unfreeze();
  await iam.client.raw('POST', '/_iam/state/reset');
  expect((await iam.client.raw('GET', '/_iam/clock')).body).toMatchObject({
    now: '2026-03-01T12:00:00.000Z',
    frozen: true,
  });
});
