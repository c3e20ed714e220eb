/** Password hashes take turns, and beyond the queue callers are sent away at once, while everything else goes on. */
import { describe, expect, test } from 'vitest';
import { createHashQueue, internalLane } from '../../../src/server/identity/hash-queue.ts';
import { createPasswords } from '../../../src/server/identity/passwords.ts';
import { createFakeClock, startServer } from '../../harness.ts';
import {
  alice,
  logIn,
  loginEndpoints,
  password,
  replacePasswords,
  startWith,
} from '../operations/user-identities/login-fixtures.ts';

/** Stands still where nobody moves it on. */
const clock = createFakeClock();

/** Work that ends when it is told to. */
function createWork() {
  const running: (() => void)[] = [];
  return {
    running,
    work: () => new Promise<string>((resolve) => running.push(() => resolve('done'))),
    endOne: () => running.shift()?.(),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the queue', () => {
  test('runs a few at a time and the rest in the order they came', async () => {
    const queue = createHashQueue({ concurrency: 2, maxWaiting: 10, clock });
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const job = (at: number) =>
      queue.run(async () => {
        running += 1;
        most = Math.max(most, running);
        order.push(at);
        await settled();
        running -= 1;
      }, internalLane);
    await Promise.all([0, 1, 2, 3, 4, 5].map(job));
    expect({ order, most }).toEqual({ order: [0, 1, 2, 3, 4, 5], most: 2 });
  });

  test('sends away at once who comes when it is full, and takes the next one when there is room', async () => {
    const queue = createHashQueue({ concurrency: 1, maxWaiting: 1, clock });
    const { work, endOne } = createWork();
    const first = queue.run(work, internalLane);
    const second = queue.run(work, internalLane);
    await expect(queue.run(work, internalLane)).rejects.toMatchObject({
      code: 'TOO_BUSY',
      headers: { 'Retry-After': '1' },
    });
    endOne();
    await first;
    const third = queue.run(work, internalLane);
    await settled();
    endOne();
    await second;
    await settled();
    endOne();
    expect(await third).toBe('done');
  });

  test('goes on after work that failed', async () => {
    const queue = createHashQueue({ concurrency: 1, maxWaiting: 5, clock });
    const failed = queue.run(() => Promise.reject(new Error('broken')), internalLane);
    const next = queue.run(async () => 'done', internalLane);
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });
});

describe('who is sent away is told to wait', () => {
  /** A full queue whose hashes have taken so long until now. @returns what it tells. */
  async function told({ inFlight, waiting, seconds }: { inFlight: number; waiting: number; seconds: number[] }) {
    const time = createFakeClock();
    const queue = createHashQueue({ concurrency: inFlight, maxWaiting: waiting, clock: time });
    for (const took of seconds) await queue.run(async () => time.advance(took), internalLane);
    const { work, endOne } = createWork();
    const full = Array.from({ length: inFlight + waiting }, () => queue.run(work, internalLane));
    const refusal = await queue.run(work, internalLane).catch((error: { headers: Record<string, string> }) => error);
    for (let left = full.length; left > 0; left -= 1) {
      await settled();
      endOne();
    }
    await Promise.all(full);
    return (refusal as { headers: Record<string, string> }).headers['Retry-After'];
  }
  const often = (took: number) => Array.from({ length: 200 }, () => took);

  test('as long as all before it take, by what hashes take on this machine', async () => {
    expect(await told({ inFlight: 2, waiting: 98, seconds: often(0.1) })).toBe('5');
    expect(await told({ inFlight: 1, waiting: 99, seconds: often(0.1) })).toBe('10');
    expect(await told({ inFlight: 2, waiting: 398, seconds: often(0.1) })).toBe('20');
  });

  test('by a guess before the first hash is done', async () => {
    expect(await told({ inFlight: 2, waiting: 398, seconds: [] })).toBe('5');
  });

  test('by what hashes take now, and little by a single one', async () => {
    expect(await told({ inFlight: 2, waiting: 98, seconds: [...often(0.1), ...often(0.4)] })).toBe('20');
    expect(await told({ inFlight: 2, waiting: 98, seconds: [...often(0.1), 0.4] })).toBe('6');
  });

  test('at least a second, whatever the clock says', async () => {
    expect(await told({ inFlight: 4, waiting: 0, seconds: often(0) })).toBe('1');
    expect(await told({ inFlight: 2, waiting: 398, seconds: often(-3600) })).toBe('1');
  });
});

const crowd = Array.from({ length: 6 }, (_, at) => ({ ...alice, userId: `u${at}`, userName: `user${at}` }));
const users = crowd.map(({ userEmail: _email, identities: _identities, ...user }) => user);

test.each(Object.keys(loginEndpoints))(
  'beyond the queue %s answers 503 at once, and everything else goes on',
  async (door) => {
    await using server = await startWith(users);
    const { work, running, endOne } = createWork();
    const queue = createHashQueue({ concurrency: 1, maxWaiting: 2, clock });
    const { matches } = server.appContext.passwords;
    const slow: typeof queue.run = (hash, lane) =>
      queue.run(async () => {
        await work();
        return hash();
      }, lane);
    replacePasswords(server, createPasswords({ run: slow }));
    const knock = (at: number) => loginEndpoints[door]?.(server, `user${at}`, password);
    const waiting = [knock(0), knock(1), knock(2)];
    const turnedAway = await Promise.race(Array.from({ length: 5 }, () => knock(3)));
    expect(turnedAway).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await expect(server.admin.groups.list()).resolves.toBeDefined();
    replacePasswords(server, { matches });
    await expect(logIn(server)).resolves.toBeDefined();
    for (const answer of waiting) {
      while (running.length === 0) await settled();
      endOne();
      expect((await answer)?.status).toBeLessThan(202);
    }
  },
);

test('who was turned away did not fail: it does not count', async () => {
  await using server = await startWith([], { flags: { 'hash-concurrency': '1', 'hash-queue-size': '0' } });
  const busy = createWork();
  const queue = createHashQueue({ concurrency: 1, maxWaiting: 0, clock });
  const blocked = queue.run(busy.work, internalLane);
  replacePasswords(server, createPasswords(queue));
  for (let login = 0; login < 15; login += 1)
    await expect(logIn(server)).rejects.toMatchObject({ status: 503, code: 'TOO_BUSY' });
  busy.endOne();
  await blocked;
  await expect(logIn(server)).resolves.toBeDefined();
});

test('the settings say how many may run and wait', async () => {
  await using server = await startServer({ flags: { 'hash-concurrency': '1', 'hash-queue-size': '0' } });
  const tries = ['a', 'b', 'c', 'd'].map((name) => logIn(server, { name }).catch(({ status }) => status));
  const statuses = await Promise.all(tries);
  expect(statuses).toContain(503);
  expect(statuses).toContain(401);
});
