/** Imports and exports hold a whole state in memory: they do not add up, also not those of several sandboxes. */
import { afterEach, expect, test, vi } from 'vitest';
import { controlRoutes } from '../../../../../src/server/control/routes/index.ts';
import {
  createServiceStateQueue,
  createStateQueue,
  type ServiceStateQueue,
} from '../../../../../src/server/limits/state-queue.ts';
import { limits } from '../../../../../src/server/limits/table.ts';
import { createFakeClock, startServer } from '../../../../harness.ts';
import { buildHead, open } from '../../../http/raw-http.ts';
import { send } from '../../control-client.ts';
import { sendText } from './state-client.ts';

afterEach(() => vi.restoreAllMocks());

const large = controlRoutes.filter(({ large }) => large);
const requests = [
  ['control.state-import', '/_iam/state/import?force=true', '{"formatVersion":1}'],
  ['control.state-export', '/_iam/state/export', undefined],
  ['control.state-diff', '/_iam/state/diff', undefined],
  ['control.state-diff-objects', '/_iam/state/diff/objects', undefined],
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

test('a body that arrives slowly delays only the imports of its own sandbox', async () => {
  await using server = await startServer();
  for (const name of ['a', 'b']) await send(server, '/_iam/sandboxes', { method: 'POST', body: { name } });
  const text = (await sendText(server, '/_iam/state/export')).text;
  const slow = await Promise.all(
    Array.from({ length: limits.waitingStates.max + 2 }, async () => {
      const socket = await open(server);
      const type = 'Content-Type: application/json';
      socket.write(
        `${buildHead('POST /s/a/_iam/state/import HTTP/1.1', 'Host: localhost', type, 'Content-Length: 99')}{`,
      );
      return socket;
    }),
  );
  // The last two find no place in the queue of their sandbox.
  await Promise.race(slow.map((socket) => new Promise((resolve) => socket.once('data', resolve))));
  for (const sandbox of ['', '/s/b']) {
    expect((await sendText(server, `${sandbox}/_iam/state/import?force=true`, text)).status).toBe(204);
    expect((await sendText(server, `${sandbox}/_iam/state/export`)).status).toBe(200);
  }
  expect((await sendText(server, '/s/a/_iam/state/export')).status).toBe(200);
  for (const socket of slow) socket.destroy();
  const importAgain = async () => (await sendText(server, '/s/a/_iam/state/import?force=true', text)).status;
  await expect.poll(importAgain).toBe(204);
});

test('requests of sandboxes take no place of the server', async () => {
  const clock = createFakeClock();
  const queue = createStateQueue(clock);
  const [main, a, b] = [undefined, 'a', 'b'].map((name) => createServiceStateQueue(queue, name, clock));
  const served: string[] = [];
  let start = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const add = (service: ServiceStateQueue | undefined, name: string) =>
    service
      ?.run(async () => void served.push(name), { flow: [name, '', ''] })
      .catch(({ code }: { code: string }) => void served.push(`${name} ${code}`));
  const running = a?.run(() => started, { flow: ['', '', ''] });
  const waiting = Array.from({ length: limits.waitingStates.max }, (_, number) => add(a, `a${number}`));
  waiting.push(add(b, 'b'), add(main, 'main'));
  start();
  await Promise.all([running, ...waiting]);
  const rejected = served.filter((name) => name.includes(' '));
  expect(rejected).toEqual([expect.stringMatching(/^a\d+ TOO_MANY_REQUESTS_WAITING$/), rejected[1]]);
  const done = served.filter((name) => !name.includes(' '));
  expect(done.length).toBe(limits.waitingStates.max);
  expect(done.indexOf('main')).toBeLessThan(2);
  expect(done.indexOf('b')).toBeLessThan(4);
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
