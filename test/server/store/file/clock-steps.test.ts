/** Steps of the system clock in both directions do not affect order, ids and expiry. */
import { expect, test } from 'vitest';
import { adminClient, createFakeClock, startServer } from '../../../harness.ts';
import { countCommits, History } from '../history.ts';
import { StoreHarness } from '../store-harness.ts';

const day = 86_400;

test('a store keeps the order of commits when the clock steps back and forth', async () => {
  const harness = new StoreHarness();
  const clock = createFakeClock();
  const history = new History();
  for (const step of [0, -day, 2 * day, -3 * day, day]) {
    clock.advance(step);
    const store = await harness.open({ clock });
    expect(await countCommits(store)).toBe(history.acknowledged);
    await history.commits(store, 3);
    await store.checkpoint();
    await history.commits(store, 2);
    // Every other time the process is killed, and the next start replays the write-ahead log.
    if (step < 0) await store.close();
    else harness.crash('everything');
  }
  expect(await countCommits(await harness.open({ clock }))).toBe(25);
});

test('ids stay ordered, and expiry follows the current clock', async () => {
  const harness = new StoreHarness();
  const clock = createFakeClock();
  await using server = await startServer({ clock, openStore: () => harness.open() });
  const { accessToken = '' } = await server.admin.clientIdentities.login();
  const ids: string[] = [];
  const createGroup = async (groupName: string) => {
    const { groupId } = await server.admin.groups.create({ body: { groupName } });
    ids.push(groupId);
  };
  const isAccepted = () =>
    server
      .as({ token: accessToken })
      .groups.list({})
      .then(
        () => true,
        ({ status }: { status: number }) => (status === 401 ? false : Promise.reject(new Error(String(status)))),
      );
  await createGroup('before');
  clock.advance(-day);
  // For the stepped clock the token was issued in the future.
  expect(await isAccepted()).toBe(false);
  const meanwhile = server.as({ basic: adminClient });
  expect(
    await meanwhile.groups.create({ body: { groupName: 'a day ago' } }).then(({ groupId }) => ids.push(groupId)),
  ).toBe(2);
  clock.advance(day);
  expect(await isAccepted()).toBe(true);
  await createGroup('after');
  clock.advance(2 * day);
  expect(await isAccepted()).toBe(false);
  clock.advance(-2 * day);
  expect(await isAccepted()).toBe(true);
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(3);
});
