import { describe, expect, test } from 'vitest';
import { maxSubscribers } from '../../../../../src/server/lib/subscribers.ts';
import { adminClient, startServer, type TestServer } from '../../../../harness.ts';
import { sharedServer } from '../../../operations/access.ts';
import { stopPromptly } from '../../../start/prompt-stop.ts';
import { send } from '../../control-client.ts';
import { createFakeTimer } from '../inbox/sse-client.ts';

const path = '/_iam/requests/wait';
const groups = '/security/iam/v1/groups';
const headers = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };
const sendRequest = async (server: TestServer, name = '') =>
  (await send(server, groups + name, { headers })).headers['x-request-id'];

/** Resolves once that many timers run, one per waiting caller. */
async function waitForTimers(timer: { readonly pending: number }, count: number): Promise<void> {
  while (timer.pending < count) await new Promise((resolve) => setImmediate(resolve));
}

describe('waiting for requests', () => {
  test('returns the newest existing ones at once', async () => {
    await using server = await startServer();
    await sendRequest(server);
    const ids = [await sendRequest(server), await sendRequest(server)].reverse();
    await sendRequest(server, '/nothing');
    expect(await send(server, `${path}?status=200&count=2`)).toMatchObject({
      status: 200,
      body: ids.map((id) => ({ id, operation: 'groups.list' })),
    });
  });

  test('returns once enough of them match', async () => {
    const timer = createFakeTimer();
    await using server = await startServer({ timer });
    await sendRequest(server, '/nothing');
    const first = await sendRequest(server, '/nothing');
    const response = send(server, `${path}?error=GROUP_NOT_FOUND&count=2&after=${first}&timeout=60`);
    await waitForTimers(timer, 1);
    const second = await sendRequest(server, '/nothing');
    await sendRequest(server);
    const third = await sendRequest(server, '/nothing');
    expect(await response).toMatchObject({ status: 200, body: [{ id: third }, { id: second }] });
    expect(timer.pending).toBe(0);
  });

  test('ends after the requested timeout, and does not delay a shutdown', async () => {
    const timer = createFakeTimer();
    const server = await startServer({ timer });
    await sendRequest(server);
    const over = send(server, `${path}?count=2&timeout=5`);
    await waitForTimers(timer, 1);
    timer.pass(5000);
    expect(await over).toMatchObject({ status: 404, body: [{ code: 'REQUEST_NOT_FOUND' }] });
    const still = [send(server, `${path}?count=2`), send(server, `/s/one${path}`)];
    await waitForTimers(timer, 2);
    await stopPromptly(server);
    for (const response of still) expect(await response).toMatchObject({ status: 404 });
  });

  const shared = sharedServer();
  test.each(['count=0', 'count=-1', 'count=1.5', 'count=1001', 'count=', 'timeout=61', 'status=6xx'])(
    'rejects %s',
    async (query) => {
      const server = shared();
      expect(await send(server, `${path}?${query}`)).toMatchObject({ status: 400, body: [{ code: 'FIELD_VALUE' }] });
    },
  );

  test('is limited to a number of callers at a time', async () => {
    const timer = createFakeTimer();
    await using server = await startServer({ timer });
    const responses = Array.from({ length: maxSubscribers }, () => send(server, path));
    await waitForTimers(timer, maxSubscribers);
    expect(await send(server, path)).toMatchObject({ status: 429, body: [{ code: 'TOO_MANY_WAITERS' }] });
    const id = await sendRequest(server);
    for (const response of responses) expect(await response).toMatchObject({ status: 200, body: [{ id }] });
  });
});
