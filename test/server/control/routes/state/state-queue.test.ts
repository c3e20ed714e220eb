/** Imports and exports hold a whole state in memory: they do not add up, also not those of several sandboxes. */
import { afterEach, expect, test, vi } from 'vitest';
import { controlRoutes } from '../../../../../src/server/control/routes/index.ts';
import { limits } from '../../../../../src/server/limits/table.ts';
import { startServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';
import { sendText } from './state-client.ts';

afterEach(() => vi.restoreAllMocks());

const large = controlRoutes.filter(({ large }) => large);
const requests = [
  ['control.state-import', '/_iam/state/import?force=true', '{"formatVersion":1}'],
  ['control.state-export', '/_iam/state/export', undefined],
  ['control.state-diff', '/_iam/state/diff', undefined],
] as const;

test('whatever has a body limit of its own, and whatever returns the state, is queued', () => {
  expect(large.map(({ id }) => id).sort()).toEqual(requests.map(([id]) => id).sort());
  const withLimit = controlRoutes.filter(({ request }) => request.bodyLimit !== undefined);
  expect(withLimit.filter((route) => !route.large)).toEqual([]);
});

test('an import that the heap cannot hold is rejected before its body is read', async () => {
  await using server = await startServer({ recordsStatuses: false });
  const { heap } = server.appContext;
  const text = (await sendText(server, '/_iam/state/export')).text;
  const large = text.replace('{', `{${' '.repeat(900_000)}`);
  const use = vi.spyOn(heap as NonNullable<typeof heap>, 'use').mockReturnValue(0.8499);
  for (const sandbox of ['', '/s/a']) {
    expect(await sendText(server, `${sandbox}/_iam/state/import?force=true`, large)).toMatchObject({
      status: 503,
      code: 'STORE_UNAVAILABLE',
    });
    expect((await sendText(server, `${sandbox}/_iam/state/import?force=true`, text)).status).toBe(204);
  }
  use.mockReturnValue(0.1);
  expect((await sendText(server, '/_iam/state/import?force=true', large)).status).toBe(204);
});

test('imports and exports run one at a time in the process; those beyond the queue are rejected', async () => {
  await using server = await startServer();
  await send(server, '/_iam/sandboxes', { method: 'POST', body: { name: 'a' } });
  await send(server, '/_iam/sandboxes', { method: 'POST', body: { name: 'b', seed: {} } });
  const counts = { running: 0, most: 0, handled: 0 };
  for (const route of large)
    vi.spyOn(route, 'handle').mockImplementation(async () => {
      counts.running += 1;
      counts.most = Math.max(counts.most, counts.running);
      await new Promise((resolve) => setImmediate(resolve));
      counts.running -= 1;
      counts.handled += 1;
      return { contentType: 'text/plain', text: '', from: 'now', to: 'now', tables: [] } as never;
    });
  const all = Array.from({ length: 45 }, (_, number) => {
    const [, path, body] = requests[number % requests.length] ?? requests[0];
    return sendText(server, `${['', '/s/a', '/s/b'][Math.floor(number / 3) % 3]}${path}`, body);
  });
  const responses = await Promise.all(all);
  expect(counts.most).toBe(1);
  const rejected = responses.filter(({ status }) => status === 503);
  expect(rejected.length).toBe(45 - counts.handled);
  expect(counts.handled).toBeGreaterThan(limits.waitingStates.max);
  for (const { code, headers } of rejected)
    expect([code, Number(headers.get('retry-after'))]).toEqual(['TOO_MANY_REQUESTS_WAITING', 1]);
  // The others are served meanwhile, and the queue afterwards.
  expect((await sendText(server, '/_iam/state/export')).status).toBe(200);
});
