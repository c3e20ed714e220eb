/** Concurrent wrong passwords count together over all operations; right passwords are only delayed. */
import { describe, expect, test } from 'vitest';
import { createMonotonicClock } from '../../../src/server/lib/monotonic-clock.ts';
import type { LoginAttempt } from '../../../src/server/limits/login-failures.ts';
import { createLoginThrottle } from '../../../src/server/limits/login-throttle.ts';
import { createFakeClock, type TestServer } from '../../harness.ts';
import {
  alice,
  basic,
  logIn,
  loginEndpoints,
  password,
  post,
  replacePasswords,
  startWith,
} from '../operations/user-identities/login-fixtures.ts';
import { toSeconds } from './throttle-harness.ts';

const stranger: LoginAttempt = { name: 'alice', caller: '192.0.2.1', isLoopback: false, isKnown: false };
const source = (number: number) => `198.51.${number >> 8}.${number & 255}`;

function createAttempts(capacity?: number) {
  const clock = createFakeClock();
  const throttle = createLoginThrottle(createMonotonicClock(clock), { capacity });
  let running = 0;
  const seen = { maxRunning: 0, checks: 0 };
  const attempt = (isRight: boolean, options: Partial<LoginAttempt> = {}) =>
    throttle.attempt({ ...stranger, ...options }, async () => {
      running += 1;
      seen.checks += 1;
      seen.maxRunning = Math.max(seen.maxRunning, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return isRight ? 'right' : undefined;
    });
  return { clock, throttle, attempt, seen };
}

const outcomesOf = async (attempts: Promise<unknown>[]) =>
  (await Promise.allSettled(attempts)).map((outcome) =>
    outcome.status === 'fulfilled' ? (outcome.value ?? 'wrong') : outcome.reason.code,
  );

const times = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));
const number = (items: readonly unknown[], item: unknown) => items.filter((each) => each === item).length;
/** Counts the wrong attempts and those that were not checked. */
const tally = (outcomes: readonly unknown[]) => [number(outcomes, 'wrong'), number(outcomes, 'TOO_MANY_ATTEMPTS')];

describe('attempts of one caller under one name', () => {
  test('run as many at once as may still fail', async () => {
    const { attempt, seen } = createAttempts();
    for (let failure = 0; failure < 4; failure += 1) await attempt(false);
    seen.checks = 0;
    expect(tally(await outcomesOf(times(50, () => attempt(false))))).toEqual([6, 44]);
    expect(seen).toEqual({ maxRunning: 6, checks: 6 });
  });

  test('run one at a time after the delay, and the next failure doubles it', async () => {
    const { attempt, seen, clock } = createAttempts();
    await outcomesOf(times(20, () => attempt(false)));
    clock.advance(30);
    const outcomes = await outcomesOf(times(20, () => attempt(false)));
    expect([number(outcomes, 'wrong'), seen.checks]).toEqual([1, 11]);
    await expect(attempt(true)).rejects.toMatchObject({ headers: { 'Retry-After': '60' } });
  });

  test('all succeed where they are right, however many there are', async () => {
    const { attempt, seen } = createAttempts();
    expect(number(await outcomesOf(times(200, () => attempt(true))), 'right')).toBe(200);
    expect(seen.maxRunning).toBe(10);
  });

  test('do not count when they cannot be decided, and start the next one', async () => {
    const { throttle, attempt } = createAttempts();
    const failing = times(40, () => throttle.attempt(stranger, () => Promise.reject(new Error('too busy'))));
    await Promise.allSettled(failing);
    expect(await attempt(true)).toBe('right');
  });

  test('do not wait for those under another name or of other callers', async () => {
    const { attempt } = createAttempts();
    const slow = outcomesOf(times(100, () => attempt(false)));
    expect(await attempt(true, { name: 'bob' })).toBe('right');
    expect(await attempt(true, { caller: '192.0.2.2' })).toBe('right');
    await slow;
  });
});

describe('attempts of many callers under one name', () => {
  test('fail a hundred times at most, and all get a response', async () => {
    const { attempt, seen } = createAttempts();
    const outcomes = await outcomesOf(times(500, (at) => attempt(false, { caller: source(at % 400) })));
    expect(tally(outcomes)).toEqual([100, 400]);
    expect(seen).toEqual({ maxRunning: 100, checks: 100 });
  });

  test('all succeed where they are right', async () => {
    const { attempt, seen } = createAttempts();
    const outcomes = await outcomesOf(times(300, (at) => attempt(true, { caller: source(at % 200) })));
    expect(number(outcomes, 'right')).toBe(300);
    expect(seen.maxRunning).toBe(100);
  });

  test('do not delay a known source or a device', async () => {
    const { attempt, throttle } = createAttempts();
    let end: (result: undefined) => void = () => undefined;
    const check = new Promise<undefined>((resolve) => {
      end = resolve;
    });
    const guess = (at: number) => throttle.attempt({ ...stranger, caller: source(at % 400) }, () => check);
    const strangers = outcomesOf(times(500, guess));
    for (const caller of ['192.0.2.7', 'device 1'])
      expect(await attempt(true, { caller, isKnown: true })).toBe('right');
    end(undefined);
    expect(tally(await strangers)).toEqual([100, 400]);
  });

  test('fail ten times at most where there is no room for separate counts', async () => {
    const { attempt, seen } = createAttempts(1);
    await attempt(false, { name: 'filler' });
    seen.checks = 0;
    expect(tally(await outcomesOf(times(500, (at) => attempt(false, { caller: source(at) }))))).toEqual([10, 490]);
    expect(seen.checks).toBe(10);
  });

  test('may fail once after 15 minutes without attempts', async () => {
    const { attempt, clock } = createAttempts();
    await outcomesOf(times(400, (at) => attempt(false, { caller: source(at) })));
    clock.advance(toSeconds(15));
    expect(tally(await outcomesOf(times(400, (at) => attempt(false, { caller: source(1000 + at) }))))).toEqual([
      1, 399,
    ]);
  });
});

test('one source fails under 1,000 names at most, also concurrently, and right ones under any number', async () => {
  const { attempt } = createAttempts();
  const names = (count: number, isRight: boolean) =>
    outcomesOf(times(count, (at) => attempt(isRight, { name: `name ${at}` })));
  expect(number(await names(1100, true), 'right')).toBe(1100);
  expect(tally(await names(1100, false))).toEqual([1000, 100]);
});

test('a reset while attempts run leaves none of them waiting', async () => {
  const { attempt, throttle } = createAttempts();
  const running = outcomesOf(times(300, (at) => attempt(at % 3 === 0, { caller: source(at % 30) })));
  throttle.reset();
  const outcomes = await running;
  expect(outcomes).toHaveLength(300);
  expect(await attempt(true, { isKnown: true })).toBe('right');
});

async function guess(server: TestServer, count: number, { name = alice.userName, endpoint = 'login' } = {}) {
  const statuses: (number | undefined)[] = [];
  for (let guessed = 0; guessed < count; guessed += 1)
    statuses.push((await loginEndpoints[endpoint]?.(server, name, 'wrong'))?.status);
  return statuses;
}

/** Skips the hash where it is not under test: the right password is known. */
function withoutHashing(server: TestServer): { count: number } {
  const counted = { count: 0 };
  const matches = async (secret: string, hash: string | undefined) => {
    counted.count += 1;
    return secret === password && hash !== undefined;
  };
  replacePasswords(server, { matches });
  return counted;
}

describe('passwords of users', () => {
  test.each([alice.userName, 'unknown'])('count together over all operations and spellings: %s', async (name) => {
    await using server = await startWith();
    withoutHashing(server);
    expect(await guess(server, 4, { name })).toEqual([401, 401, 401, 401]);
    expect(await guess(server, 3, { name: name.toUpperCase(), endpoint: 'connect/token' })).toEqual([400, 400, 400]);
    expect(await guess(server, 3, { name, endpoint: 'generate-token' })).toEqual([401, 401, 401]);
    for (const endpoint of Object.keys(loginEndpoints)) {
      const response = await loginEndpoints[endpoint]?.(server, name, password);
      expect(response).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    }
  });

  test('count for the typed name, in any spelling: they do not reveal which names belong to one user', async () => {
    await using server = await startWith();
    withoutHashing(server);
    const names = [alice.userId, alice.userName, alice.userEmail, 'alice.smith', 'unknown', 'no-one'];
    for (const name of names) expect(await guess(server, 5, { name })).toEqual(Array(5).fill(401));
    for (const name of names) expect(await guess(server, 4, { name: name.toUpperCase() })).toEqual(Array(4).fill(401));
    for (const name of names) expect(await guess(server, 2, { name })).toEqual([401, 429]);
  });

  test('are not hashed while throttled; after the delay a right password clears the count', async () => {
    await using server = await startWith();
    const hashes = withoutHashing(server);
    await guess(server, 10);
    await expect(logIn(server)).rejects.toMatchObject({ status: 429 });
    expect(hashes.count).toBe(10);
    server.clock.advance(30);
    await logIn(server);
    expect(await guess(server, 10)).toEqual(Array(10).fill(401));
  });

  test('double the delay up to 15 minutes, for known and unknown names', async () => {
    await using server = await startWith();
    withoutHashing(server);
    const waits = new Map<string, string[]>();
    for (const name of [alice.userName, 'unknown']) {
      await guess(server, 9, { name });
      const seen: string[] = [];
      for (let round = 0; round < 7; round += 1) {
        await guess(server, 1, { name });
        const { headers } = await post(server, '/user-identities/login?clientId=test-app', {
          authorization: basic(name, password),
        });
        seen.push(headers['retry-after'] ?? '');
        server.clock.advance(Number(seen.at(-1)));
      }
      waits.set(name, seen);
    }
    expect(waits.get(alice.userName)).toEqual(['30', '60', '120', '240', '480', '900', '900']);
    expect(waits.get('unknown')).toEqual(waits.get(alice.userName));
  });

  test('an unlock clears the count', async () => {
    await using server = await startWith();
    withoutHashing(server);
    await guess(server, 10);
    await server.admin.userIdentities.unlock({ body: { userId: alice.userId } });
    await expect(logIn(server)).resolves.toBeDefined();
  });

  test('the right password of a locked user counts like a wrong one, and an unlock clears the count', async () => {
    await using server = await startWith();
    withoutHashing(server);
    const { userId } = alice;
    await server.admin.userIdentities.lock({ body: { userId } });
    for (let login = 0; login < 10; login += 1) await expect(logIn(server)).rejects.toMatchObject({ status: 401 });
    await expect(logIn(server)).rejects.toMatchObject({ status: 429 });
    await server.admin.userIdentities.unlock({ body: { userId } });
    await guess(server, 9);
    await expect(logIn(server)).resolves.toBeDefined();
  });

  test('50 concurrent right ones all log in', async () => {
    await using server = await startWith();
    const logins = await Promise.allSettled(times(50, () => logIn(server)));
    expect(logins.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
  });
});
