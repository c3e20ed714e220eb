/** What the engines of one process promise beyond `suite.ts`: the order of transactions, and reads after the end. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/server/store/store.ts';
import { orderedModelSuite } from './model.ts';
import { group, idsOf, insertGroups } from './rows.ts';
import { type OpenedStore, storeSuite } from './suite.ts';

export function embeddedStoreSuite(name: string, open: () => Promise<OpenedStore>): void {
  storeSuite(name, open);

  describe(`${name}, in one process`, () => {
    let opened: OpenedStore;
    let store: Store;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.dispose());

    test('finds unsaved writes of earlier transactions in a plain index', async () => {
      const findMatches: string[][] = [];
      const writes = ['a', 'b', 'c'].map((groupId) =>
        store.transaction(async ({ groups }) => {
          findMatches.push(await idsOf(groups.find('role', 'x')));
          await groups.insert(group(groupId, { roles: ['x'] }));
        }),
      );
      await Promise.all(writes);
      expect(findMatches).toEqual([[], ['a'], ['a', 'b']]);
    });

    test('runs transactions in the order of their calls', async () => {
      const order: number[] = [];
      const run = (turn: number) => store.transaction(async () => void order.push(turn));
      await Promise.all(Array.from({ length: 200 }, (_, turn) => run(turn)));
      expect(order).toEqual(Array.from({ length: 200 }, (_, turn) => turn));
    });

    test('gives a unique value to the first of several inserts', async () => {
      const insert = (groupId: string) => insertGroups(store, group(groupId, { groupName: 'prize' }));
      const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map(insert));
      expect(outcomes.map((each) => each.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    });

    test('can be read after it was closed', async () => {
      const running = insertGroups(store, group('a'));
      await Promise.all([running, store.close()]);
      expect(await idsOf(store.groups.list())).toEqual(['a']);
    });

    orderedModelSuite(open);
  });
}
