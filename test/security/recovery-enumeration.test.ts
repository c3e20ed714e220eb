/** Limits of one-time codes do not show whether a user exists. */
import { expect, test } from 'vitest';
import type { TestServer } from '../harness.ts';
import { alice } from '../server/operations/user-identities/login-fixtures.ts';
import {
  attackerAddress,
  fromFourAttackers,
  hotel,
  identifyFrom,
  requestCodeFrom,
  resetFrom,
  startProxied,
} from '../server/operations/user-identities/otp-attack-fixtures.ts';

/** Alice by her names, and a person who does not exist. */
const known = { name: alice.userName, alias: alice.userEmail, email: alice.userEmail };
const unknown = { name: 'zoe', alias: 'zoe@example.com', email: 'zoe@example.com' };
type Person = typeof known;

/** What an attacker reads: the statuses of these requests, the same for both persons. */
async function expectStatuses(
  statuses: readonly number[],
  observe: (server: TestServer, person: Person) => Promise<readonly number[]>,
): Promise<void> {
  await using server = await startProxied();
  expect(await observe(server, known)).toEqual(statuses);
  expect(await observe(server, unknown)).toEqual(statuses);
}

const repeat = async (count: number, work: () => Promise<{ status: number }>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let time = 0; time < count; time += 1) statuses.push((await work()).status);
  return statuses;
};

const wrongCode = (server: TestServer, ip: string, username: string) =>
  resetFrom(server, ip, '123456', { username }).then(({ status }) => status);

/** The requester has a code of its own; another source would have to guess those of others. */
const wrongThenThrottled = [412, 429];

/** The statuses for wrong codes of the requester and of another source, after 20 wrong codes of others. */
async function guessAfterOthers(server: TestServer, name: string): Promise<readonly number[]> {
  await fromFourAttackers((ip) => wrongCode(server, ip, name));
  return [await wrongCode(server, hotel, name), await wrongCode(server, attackerAddress(9), name)];
}

test('a recovery does not count for the codes before a sign-up', () =>
  expectStatuses([...Array<number>(7).fill(201), 429], async (server, { name, email }) => [
    ...(await repeat(2, () => requestCodeFrom(server, hotel, name))),
    ...(await repeat(6, () => identifyFrom(server, hotel, email))),
  ]));

test('codes before a sign-up do not count for a recovery', () =>
  expectStatuses(wrongThenThrottled, async (server, { name, email }) => {
    await repeat(5, () => identifyFrom(server, hotel, email));
    await requestCodeFrom(server, hotel, name);
    return guessAfterOthers(server, name);
  }));

test('a contact that receives no more codes has one that was requested by another name of the user', () =>
  expectStatuses(wrongThenThrottled, async (server, { name, alias }) => {
    await repeat(5, () => requestCodeFrom(server, hotel, alias));
    server.clock.advance(601);
    await requestCodeFrom(server, hotel, name);
    return guessAfterOthers(server, name);
  }));

test.each<[string, { locked: boolean } | { emailVerified: boolean }]>([
  ['is locked', { locked: true }],
  ['has no verified contact', { emailVerified: false }],
])('a user who %s has the code that was requested for it', async (_, change) => {
  await using server = await startProxied();
  const { store } = server.appContext;
  await store.transaction(async (tx) => {
    const user = await tx.users.get(alice.userId);
    if (user) await tx.users.replace({ ...user, ...change });
  });
  const observe = async (name: string) => {
    await requestCodeFrom(server, hotel, name);
    return guessAfterOthers(server, name);
  };
  expect(await observe(alice.userName)).toEqual(wrongThenThrottled);
  expect(await observe('zoe')).toEqual(wrongThenThrottled);
});

test('a contact that receives no more codes causes the same writes', async () => {
  await using server = await startProxied();
  const { store } = server.appContext;
  const count = async () => [await store.codes.count(), await store.messages.count(), await store.sendings.count()];
  const growth = async (name: string, alias: string) => {
    await repeat(5, () => requestCodeFrom(server, hotel, alias));
    const before = await count();
    await requestCodeFrom(server, hotel, name);
    return (await count()).map((rows, at) => rows - (before[at] ?? 0));
  };
  const [codes, messages] = await growth(known.name, known.alias);
  const [codesOfUnknown, messagesOfUnknown] = await growth(unknown.name, unknown.alias);
  expect(messages).toBe(messagesOfUnknown);
  // The name of a user has the code of its alias, which the new one replaces.
  expect([codes, codesOfUnknown]).toEqual([0, 1]);
});
