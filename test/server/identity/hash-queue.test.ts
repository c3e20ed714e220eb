/** Password hashes take turns, and beyond the queue callers are sent away at once, while everything else goes on. */
import { describe, expect, test } from 'vitest';
import { createHashQueue } from '../../../src/server/identity/hash-queue.ts';
import { createPasswords } from '../../../src/server/identity/passwords.ts';
import { startServer } from '../../harness.ts';
import { alice, doors, logIn, password, replacePasswords, startWith } from '../operations/user-identities/people.ts';

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
    const queue = createHashQueue({ inFlight: 2, waiting: 10 });
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
      });
    await Promise.all([0, 1, 2, 3, 4, 5].map(job));
    expect({ order, most }).toEqual({ order: [0, 1, 2, 3, 4, 5], most: 2 });
  });

  test('sends away at once who comes when it is full, and takes the next one when there is room', async () => {
    const queue = createHashQueue({ inFlight: 1, waiting: 1 });
    const { work, endOne } = createWork();
    const first = queue.run(work);
    const second = queue.run(work);
    await expect(queue.run(work)).rejects.toMatchObject({ code: 'TOO_BUSY', headers: { 'Retry-After': '5' } });
    endOne();
    await first;
    const third = queue.run(work);
    await settled();
    endOne();
    await second;
    await settled();
    endOne();
    expect(await third).toBe('done');
  });

  test('goes on after work that failed', async () => {
    const queue = createHashQueue({ inFlight: 1, waiting: 5 });
    const failed = queue.run(() => Promise.reject(new Error('broken')));
    const next = queue.run(async () => 'done');
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });
});

const crowd = Array.from({ length: 6 }, (_, at) => ({ ...alice, userId: `u${at}`, userName: `user${at}` }));
const users = crowd.map(({ userEmail: _email, identities: _identities, ...user }) => user);

test.each(Object.keys(doors))('beyond the queue %s answers 503 at once, and everything else goes on', async (door) => {
  await using server = await startWith(users);
  const { work, running, endOne } = createWork();
  const queue = createHashQueue({ inFlight: 1, waiting: 2 });
  const { matches } = server.world.passwords;
  const slow: typeof queue.run = (hash) =>
    queue.run(async () => {
      await work();
      return hash();
    });
  replacePasswords(server, createPasswords({ run: slow }));
  const knock = (at: number) => doors[door]?.(server, `user${at}`, password);
  const waiting = [knock(0), knock(1), knock(2)];
  const turnedAway = await Promise.race(Array.from({ length: 5 }, () => knock(3)));
  expect(turnedAway).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  await expect(server.admin.groups.list()).resolves.toBeDefined();
  replacePasswords(server, { matches });
  await expect(logIn(server)).resolves.toBeDefined();
  for (const answer of waiting) {
    while (running.length === 0) await settled();
    endOne();
    expect((await answer)?.status).toBeLessThan(202);
  }
});

test('who was turned away did not fail: it does not count', async () => {
  await using server = await startWith([], { flags: { 'hashes-in-flight': '1', 'hashes-waiting': '0' } });
  const busy = createWork();
  const queue = createHashQueue({ inFlight: 1, waiting: 0 });
  const blocked = queue.run(busy.work);
  replacePasswords(server, createPasswords(queue));
  for (let login = 0; login < 15; login += 1)
    await expect(logIn(server)).rejects.toMatchObject({ status: 503, code: 'TOO_BUSY' });
  busy.endOne();
  await blocked;
  await expect(logIn(server)).resolves.toBeDefined();
});

test('the settings say how many may run and wait', async () => {
  await using server = await startServer({ flags: { 'hashes-in-flight': '1', 'hashes-waiting': '0' } });
  const tries = ['a', 'b', 'c', 'd'].map((name) => logIn(server, { name }).catch(({ status }) => status));
  const statuses = await Promise.all(tries);
  expect(statuses).toContain(503);
  expect(statuses).toContain(401);
});
