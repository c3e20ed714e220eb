/**
 * The queue of password hashes: beyond its size requests are rejected immediately, and other requests are not affected.
 */
import { describe, expect, test } from 'vitest';
import { createHashQueue, internalFlow } from '../../../src/server/limits/hash-queue.ts';
import { createPasswords } from '../../../src/server/users/passwords.ts';
import { createFakeClock, startServer } from '../../harness.ts';
import {
  alice,
  logIn,
  loginEndpoints,
  password,
  replacePasswords,
  startWith,
} from '../operations/user-identities/login-fixtures.ts';

/** A clock that advances only on request. */
const clock = createFakeClock();

/** Work that ends on request. */
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
  test('runs a few at a time and the rest in order of arrival', async () => {
    const queue = createHashQueue({ concurrency: 2, maxWaiting: 10, clock });
    const order: number[] = [];
    let running = 0;
    let maxRunning = 0;
    const job = (at: number) =>
      queue.run(async () => {
        running += 1;
        maxRunning = Math.max(maxRunning, running);
        order.push(at);
        await settled();
        running -= 1;
      }, internalFlow);
    await Promise.all([0, 1, 2, 3, 4, 5].map(job));
    expect({ order, maxRunning }).toEqual({ order: [0, 1, 2, 3, 4, 5], maxRunning: 2 });
  });

  test('rejects immediately when it is full, and accepts again when there is room', async () => {
    const queue = createHashQueue({ concurrency: 1, maxWaiting: 1, clock });
    const { work, endOne } = createWork();
    const first = queue.run(work, internalFlow);
    const second = queue.run(work, internalFlow);
    await expect(queue.run(work, internalFlow)).rejects.toMatchObject({
      code: 'TOO_BUSY',
      headers: { 'Retry-After': '1' },
    });
    endOne();
    await first;
    const third = queue.run(work, internalFlow);
    await settled();
    endOne();
    await second;
    await settled();
    endOne();
    expect(await third).toBe('done');
  });

  test('continues after work that failed', async () => {
    const queue = createHashQueue({ concurrency: 1, maxWaiting: 5, clock });
    const failed = queue.run(() => Promise.reject(new Error('broken')), internalFlow);
    const next = queue.run(async () => 'done', internalFlow);
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });
});

describe('Retry-After of a rejected request', () => {
  /** A full queue whose hashes took this long so far. @returns its Retry-After. */
  async function readRetryAfter({
    inFlight,
    waiting,
    seconds,
  }: {
    inFlight: number;
    waiting: number;
    seconds: number[];
  }) {
    const time = createFakeClock();
    const queue = createHashQueue({ concurrency: inFlight, maxWaiting: waiting, clock: time });
    for (const took of seconds) await queue.run(async () => time.advance(took), internalFlow);
    const { work, endOne } = createWork();
    const full = Array.from({ length: inFlight + waiting }, () => queue.run(work, internalFlow));
    const rejection = await queue.run(work, internalFlow).catch((error: { headers: Record<string, string> }) => error);
    for (let remaining = full.length; remaining > 0; remaining -= 1) {
      await settled();
      endOne();
    }
    await Promise.all(full);
    return (rejection as { headers: Record<string, string> }).headers['Retry-After'];
  }
  const often = (took: number) => Array.from({ length: 200 }, () => took);

  test('is the time of all requests before it, from the measured time of a hash', async () => {
    expect(await readRetryAfter({ inFlight: 2, waiting: 98, seconds: often(0.1) })).toBe('5');
    expect(await readRetryAfter({ inFlight: 1, waiting: 99, seconds: often(0.1) })).toBe('10');
    expect(await readRetryAfter({ inFlight: 2, waiting: 398, seconds: often(0.1) })).toBe('20');
  });

  test('is an estimate before the first hash has finished', async () => {
    expect(await readRetryAfter({ inFlight: 2, waiting: 398, seconds: [] })).toBe('5');
  });

  test('follows the recent time of a hash, and little the time of a single one', async () => {
    expect(await readRetryAfter({ inFlight: 2, waiting: 98, seconds: [...often(0.1), ...often(0.4)] })).toBe('20');
    expect(await readRetryAfter({ inFlight: 2, waiting: 98, seconds: [...often(0.1), 0.4] })).toBe('6');
  });

  test('is at least a second, whatever the clock returns', async () => {
    expect(await readRetryAfter({ inFlight: 4, waiting: 0, seconds: often(0) })).toBe('1');
    expect(await readRetryAfter({ inFlight: 2, waiting: 398, seconds: often(-3600) })).toBe('1');
  });
});

const people = Array.from({ length: 6 }, (_, at) => ({ ...alice, userId: `u${at}`, userName: `user${at}` }));
const users = people.map(({ userEmail: _email, identities: _identities, ...user }) => user);

test.each(Object.keys(loginEndpoints))(
  'beyond the queue %s returns 503 immediately, and other requests are not affected',
  async (endpoint) => {
    await using server = await startWith(users);
    const { work, running, endOne } = createWork();
    const queue = createHashQueue({ concurrency: 1, maxWaiting: 2, clock });
    const { matches } = server.appContext.passwords;
    const slow: typeof queue.run = (hash, flow) =>
      queue.run(async () => {
        await work();
        return hash();
      }, flow);
    replacePasswords(server, createPasswords({ run: slow }, { fast: true }));
    const attemptLogin = (at: number) => loginEndpoints[endpoint]?.(server, `user${at}`, password);
    const waiting = [attemptLogin(0), attemptLogin(1), attemptLogin(2)];
    while (queue.waiting() < 2) await settled();
    const rejected = await Promise.race(Array.from({ length: 5 }, () => attemptLogin(3)));
    expect(rejected).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await expect(server.admin.groups.list()).resolves.toBeDefined();
    replacePasswords(server, { matches });
    await expect(logIn(server)).resolves.toBeDefined();
    for (let ended = 0; ended < waiting.length; ended += 1) {
      while (running.length === 0) await settled();
      endOne();
    }
    // The requests may arrive at the queue in another order.
    for (const response of await Promise.all(waiting)) expect(response?.status).toBeLessThan(202);
  },
);

test('a rejected request does not count as a failed login', async () => {
  await using server = await startWith([], { flags: { 'hash-concurrency': '1' }, maxWaitingHashes: 0 });
  const busy = createWork();
  const queue = createHashQueue({ concurrency: 1, maxWaiting: 0, clock });
  const blocked = queue.run(busy.work, internalFlow);
  replacePasswords(server, createPasswords(queue, { fast: true }));
  for (let login = 0; login < 15; login += 1)
    await expect(logIn(server)).rejects.toMatchObject({ status: 503, code: 'TOO_BUSY' });
  busy.endOne();
  await blocked;
  await expect(logIn(server)).resolves.toBeDefined();
});

test('a setting limits how many run, and the queue how many wait', async () => {
  await using server = await startServer({
    flags: { 'fast-passwords': false, 'hash-concurrency': '1' },
    maxWaitingHashes: 0,
  });
  const tries = ['a', 'b', 'c', 'd'].map((name) => logIn(server, { name }).catch(({ status }) => status));
  const statuses = await Promise.all(tries);
  expect(statuses).toContain(503);
  expect(statuses).toContain(401);
});
