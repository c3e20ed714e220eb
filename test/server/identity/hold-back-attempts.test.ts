/** Guesses that come together, and at different doors, count together; whoever is right only waits his turn. */
import { describe, expect, test } from 'vitest';
import { authenticateClient } from '../../../src/server/identity/authenticate.ts';
import { createHoldBack } from '../../../src/server/identity/hold-back.ts';
import { createFakeClock, type TestServer } from '../../harness.ts';
import {
  alice,
  basic,
  countHashes,
  doors,
  logIn,
  password,
  post,
  replacePasswords,
  startWith,
} from '../operations/user-identities/people.ts';

function createAttempts() {
  const clock = createFakeClock();
  const holdBack = createHoldBack(clock);
  let running = 0;
  const seen = { most: 0, proofs: 0 };
  const attempt = async (proven: boolean, identity = 'a') =>
    holdBack.attempt(identity, async () => {
      running += 1;
      seen.proofs += 1;
      seen.most = Math.max(seen.most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return proven ? 'proven' : undefined;
    });
  return { clock, holdBack, attempt, seen };
}

const outcomesOf = async (attempts: Promise<unknown>[]) =>
  (await Promise.allSettled(attempts)).map((outcome) =>
    outcome.status === 'fulfilled' ? (outcome.value ?? 'wrong') : outcome.reason.code,
  );

const times = <Item>(count: number, make: () => Item): Item[] => Array.from({ length: count }, make);
const number = (items: readonly unknown[], item: unknown) => items.filter((each) => each === item).length;

describe('attempts on one identity', () => {
  test('run as many at once as may still fail', async () => {
    const { attempt, seen, holdBack } = createAttempts();
    for (let failure = 0; failure < 4; failure += 1) holdBack.failed('a');
    const outcomes = await outcomesOf(times(50, () => attempt(false)));
    expect(seen).toEqual({ most: 6, proofs: 6 });
    expect([number(outcomes, 'wrong'), number(outcomes, 'TOO_MANY_ATTEMPTS')]).toEqual([6, 44]);
  });

  test('are one at a time after the delay, and the next failure doubles it', async () => {
    const { attempt, seen, clock } = createAttempts();
    await outcomesOf(times(20, () => attempt(false)));
    clock.advance(30);
    const outcomes = await outcomesOf(times(20, () => attempt(false)));
    expect([number(outcomes, 'wrong'), seen.proofs]).toEqual([1, 11]);
    await expect(attempt(true)).rejects.toMatchObject({ headers: { 'Retry-After': '60' } });
  });

  test('all pass where they are right, however many they are', async () => {
    const { attempt, seen } = createAttempts();
    expect(number(await outcomesOf(times(200, () => attempt(true))), 'proven')).toBe(200);
    expect(seen.most).toBe(10);
  });

  test('do not wait for those on another', async () => {
    const { attempt } = createAttempts();
    const slow = outcomesOf(times(100, () => attempt(false)));
    expect(await attempt(true, 'b')).toBe('proven');
    await slow;
  });

  test('that can not be decided do not count, and let the next one in', async () => {
    const { holdBack, attempt } = createAttempts();
    const failing = times(40, () => holdBack.attempt('a', () => Promise.reject(new Error('too busy'))));
    await Promise.allSettled(failing);
    expect(await attempt(true)).toBe('proven');
  });
});

test('guesses at the secret of a client count one by one, right secrets all pass', async () => {
  await using server = await startWith();
  const { clientId, clientSecret } = await server.makeClient();
  const right = await outcomesOf(times(50, () => authenticateClient(server.world, clientId, clientSecret)));
  expect(number(right, 'CREDENTIALS_INVALID') + number(right, 'TOO_MANY_ATTEMPTS')).toBe(0);
  const wrong = await outcomesOf(times(100, () => authenticateClient(server.world, clientId, 'wrong')));
  expect([number(wrong, 'CREDENTIALS_INVALID'), number(wrong, 'TOO_MANY_ATTEMPTS')]).toEqual([10, 90]);
});

test('failures further apart than 15 minutes do not add up', async () => {
  const { clock, holdBack } = createAttempts();
  for (let failure = 0; failure < 40; failure += 1) {
    holdBack.failed('a');
    clock.advance(101);
  }
  expect(() => holdBack.check('a')).not.toThrow();
});

async function guess(server: TestServer, count: number, { name = alice.userName, door = 'login' } = {}) {
  const statuses: (number | undefined)[] = [];
  for (let guessed = 0; guessed < count; guessed += 1)
    statuses.push((await doors[door]?.(server, name, 'wrong'))?.status);
  return statuses;
}

/** Where the hash itself is not what a test is about: the right password is known without one. */
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
  test.each([alice.userName, 'nobody'])('count over all doors and identifiers together: %s', async (name) => {
    await using server = await startWith();
    withoutHashing(server);
    expect(await guess(server, 4, { name })).toEqual([401, 401, 401, 401]);
    expect(await guess(server, 3, { name: name.toUpperCase(), door: 'connect/token' })).toEqual([400, 400, 400]);
    expect(await guess(server, 3, { name, door: 'generate-token' })).toEqual([401, 401, 401]);
    for (const door of Object.keys(doors)) {
      const answer = await doors[door]?.(server, name, password);
      expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    }
  });

  test('the same for each identifier of the user', async () => {
    await using server = await startWith();
    withoutHashing(server);
    for (const name of [alice.userId, alice.userName, alice.userEmail, 'alice.smith', 'ALICE'])
      await guess(server, 2, { name });
    await expect(logIn(server)).rejects.toMatchObject({ status: 429, retryAfter: 30 });
  });

  test('held back, nothing is hashed; after the delay a right password clears the count', async () => {
    await using server = await startWith();
    const hashes = withoutHashing(server);
    await guess(server, 10);
    await expect(logIn(server)).rejects.toMatchObject({ status: 429 });
    expect(hashes.count).toBe(10);
    server.clock.advance(30);
    await logIn(server);
    expect(await guess(server, 10)).toEqual(Array(10).fill(401));
  });

  test('the delay doubles to 15 minutes, known or not', async () => {
    await using server = await startWith();
    withoutHashing(server);
    const waits = new Map<string, string[]>();
    for (const name of [alice.userName, 'nobody']) {
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
    expect(waits.get('nobody')).toEqual(waits.get(alice.userName));
  });

  test('an unlock clears the count', async () => {
    await using server = await startWith();
    withoutHashing(server);
    await guess(server, 10);
    await server.admin.userIdentities.unlock({ body: { userId: alice.userId } });
    await expect(logIn(server)).resolves.toBeDefined();
  });

  test('the right password of a locked user is no failure', async () => {
    await using server = await startWith();
    withoutHashing(server);
    const { userId } = alice;
    await server.admin.userIdentities.lock({ body: { userId } });
    for (let login = 0; login < 15; login += 1) await expect(logIn(server)).rejects.toMatchObject({ status: 401 });
    await server.admin.userIdentities.unlock({ body: { userId } });
    await guess(server, 9);
    await expect(logIn(server)).resolves.toBeDefined();
  });

  test('500 wrong ones at once are hashed ten times at most', async () => {
    await using server = await startWith();
    const hashes = countHashes(server);
    const names = Object.keys(doors);
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, at) => doors[names[at % names.length] ?? '']?.(server, alice.userName, 'wrong')),
    );
    expect(hashes.count).toBe(10);
    expect(answers.filter((answer) => answer?.status === 429)).toHaveLength(490);
  });

  test('50 right ones at once all log in', async () => {
    await using server = await startWith();
    const logins = await Promise.allSettled(times(50, () => logIn(server)));
    expect(logins.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
  });
});
