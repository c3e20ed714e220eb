/** The machine's clock goes back a day and forth again: order, ids and expiry do not suffer. */
import { expect, test } from 'vitest';
import { adminClient, createFakeClock, startServer } from '../../harness.ts';
import { countCommits, History } from './history.ts';
import { StoreHarness } from './store-harness.ts';

const day = 86_400;

test('a store that is written and opened at any time of the clock keeps its order', async () => {
  const bench = new StoreHarness();
  const clock = createFakeClock();
  const history = new History();
  for (const step of [0, -day, 2 * day, -3 * day, day]) {
    clock.advance(step);
    const store = await bench.open({ clock });
    expect(await countCommits(store)).toBe(history.acknowledged);
    await history.commits(store, 3);
    await store.checkpoint();
    await history.commits(store, 2);
    // Half of the time it is killed, and the next start reads the journal.
    if (step < 0) await store.close();
    else bench.crash('everything');
  }
  expect(await countCommits(await bench.open({ clock }))).toBe(25);
});

test('ids go on in order, and what expires does so by the clock as it is', async () => {
  const bench = new StoreHarness();
  const clock = createFakeClock();
  await using server = await startServer({ clock, openStore: () => bench.open() });
  const { accessToken = '' } = await server.admin.clientIdentities.login();
  const ids: string[] = [];
  const make = async (groupName: string) => {
    const { groupId } = await server.admin.groups.create({ body: { groupName } });
    ids.push(groupId);
  };
  const isTaken = () =>
    server
      .as({ token: accessToken })
      .groups.list({})
      .then(
        () => true,
        ({ status }: { status: number }) => (status === 401 ? false : Promise.reject(new Error(String(status)))),
      );
  await make('before');
  clock.advance(-day);
  // As whoever else has a clock would see it: it was issued tomorrow.
  expect(await isTaken()).toBe(false);
  const meanwhile = server.as({ basic: adminClient });
  expect(
    await meanwhile.groups.create({ body: { groupName: 'a day ago' } }).then(({ groupId }) => ids.push(groupId)),
  ).toBe(2);
  clock.advance(day);
  expect(await isTaken()).toBe(true);
  await make('after');
  clock.advance(2 * day);
  expect(await isTaken()).toBe(false);
  clock.advance(-2 * day);
  expect(await isTaken()).toBe(true);
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(3);
});
