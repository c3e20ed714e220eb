/**
 * The behaviour of every store engine. Each engine's test runs this suite with its `open`. What only the engines of one
 * process promise is in `embedded-suite.ts`.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Store, StoreUnavailableError } from '../../../src/server/store/store.ts';
import type { Group } from '../../../src/server/store/tables.ts';
import { isFullRun } from '../../effort.ts';
import { concurrentModelSuite, serialModelSuite } from './model.ts';
import { business, group, idsOf, insertGroups as insertInto, member } from './rows.ts';
import { readingSuite, writingSuite } from './suite-tables.ts';

export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and removes its files. */
  dispose(): Promise<void>;
}

/** @param histories the number of random histories; by default, that of all properties */
export function storeSuite(name: string, open: () => Promise<OpenedStore>, histories?: number): void {
  describe(name, () => {
    let opened: OpenedStore;
    let store: Store;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.dispose());

    const insertGroups = (...rows: Group[]) => insertInto(store, ...rows);

    readingSuite(() => store);
    writingSuite(() => store);

    describe('transactions', () => {
      test('see their own writes in all read methods', async () => {
        await insertGroups(group('a', { roles: ['x'] }), group('c', { roles: ['x'] }));
        await store.transaction(async ({ groups }) => {
          await groups.insert(group('b', { roles: ['x'] }));
          await groups.delete('c');
          expect(await groups.get('b')).toBeDefined();
          expect(await groups.get('c')).toBeUndefined();
          expect(await groups.getBy('groupName', 'name of b')).toBeDefined();
          expect(await groups.getBy('groupName', 'name of c')).toBeUndefined();
          expect(await idsOf(groups.find('role', 'x'))).toEqual(['a', 'b']);
          expect(await idsOf(groups.list({ after: 'a' }))).toEqual(['b']);
          expect(await groups.count()).toBe(2);
          expect([...(await groups.countBy('role'))]).toEqual([['x', 2]]);
        });
      });

      test('are not visible to others before they are committed', async () => {
        await store.transaction(async ({ groups }) => {
          await groups.insert(group('a'));
          expect(await store.groups.get('a')).toBeUndefined();
          expect(await store.groups.count()).toBe(0);
        });
        expect(await store.groups.get('a')).toBeDefined();
      });

      test('store nothing when the work throws, and pass its error on', async () => {
        const error = new Error('changed my mind');
        const work = store.transaction(async ({ groups, businesses }) => {
          await groups.insert(group('a'));
          await businesses.insert(business('b'));
          throw error;
        });
        await expect(work).rejects.toBe(error);
        expect(await store.groups.count()).toBe(0);
        expect(await store.businesses.count()).toBe(0);
      });

      test('continue after an error that the work caught', async () => {
        await insertGroups(group('a'));
        await store.transaction(async ({ groups }) => {
          await groups.insert(group('b', { groupName: 'name of a' })).catch(() => undefined);
          await groups.insert(group('c'));
        });
        expect(await idsOf(store.groups.list())).toEqual(['a', 'c']);
      });

      test('return the result of the work', async () => {
        expect(await store.transaction(async () => 42)).toBe(42);
      });

      test('run as if one after another: concurrent compare-and-set loses nothing', async () => {
        await insertGroups(group('counter', { groupName: '0' }));
        const increase = () =>
          store.transaction(async ({ groups }) => {
            const count = Number((await groups.get('counter'))?.groupName);
            await groups.replace(group('counter', { groupName: String(count + 1) }));
            return count;
          });
        // All of them get a turn within the limit of a transaction, on a slow machine, too.
        const count = 50;
        const seen = await Promise.all(Array.from({ length: count }, increase));
        expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, turn) => turn));
        expect(await store.groups.get('counter')).toMatchObject({ groupName: String(count) });
      });

      test('grant a unique value to exactly one of several inserts', async () => {
        const insert = (groupId: string) => insertGroups(group(groupId, { groupName: 'prize' }));
        const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map(insert));
        const statuses = outcomes.map((each) => each.status).sort();
        expect(statuses).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
      });

      test('write many rows with values of their indexes, change and delete them in their order', async () => {
        // PostgreSQL receives 1,000 rows or values at once: of 400 rows, one is separated from its values.
        const count = isFullRun ? 1_100 : 400;
        const ids = Array.from({ length: count }, (_, at) => `many-${String(at).padStart(4, '0')}`);
        const rolesOf = (id: string) => ['ALL', id.toUpperCase(), `${id.toUpperCase()}-OTHER`];
        await store.transaction(async ({ groups }) => {
          for (const id of ids)
            await groups.insert(group(id, { roles: rolesOf(id), dependencies: ['base', `${id}-base`] }));
        });
        expect(await idsOf(store.groups.find('role', 'MANY-0399-OTHER'))).toEqual(['many-0399']);
        await store.transaction(async ({ groups }) => {
          for (const id of ids) await groups.replace(group(id, { roles: rolesOf(id), groupName: `first ${id}` }));
          for (const id of ids) await groups.replace(group(id, { roles: rolesOf(id), groupName: `last ${id}` }));
          for (const id of ids.slice(1)) await groups.delete(id);
          await groups.insert(group('many-0001', { roles: ['AGAIN'] }));
        });
        expect((await store.groups.get('many-0000'))?.groupName).toBe('last many-0000');
        expect(await idsOf(store.groups.find('role', 'ALL'))).toEqual(['many-0000']);
        expect(await idsOf(store.groups.find('role', 'AGAIN'))).toEqual(['many-0001']);
        expect(await store.groups.count()).toBe(2);
      });

      test('span several tables', async () => {
        await store.transaction(async ({ groups, memberships }) => {
          await groups.insert(group('a'));
          await memberships.insert(member('a', 'u1'));
        });
        expect(await store.memberships.find('group', 'a')).toEqual([member('a', 'u1')]);
      });

      test('can not be used after they have ended', async () => {
        const leaked = await store.transaction(async (tx) => tx);
        await expect(leaked.groups.insert(group('a'))).rejects.toThrow('ended');
        await expect(leaked.groups.get('a')).rejects.toThrow('ended');
      });
    });

    describe('closing', () => {
      test('waits for running transactions and rejects new ones', async () => {
        const running = Promise.all(['a', 'b', 'c'].map((groupId) => insertGroups(group(groupId))));
        const closed = store.close();
        await expect(insertGroups(group('d'))).rejects.toThrow(StoreUnavailableError);
        await Promise.all([running, closed]);
        expect(store.health()).toMatchObject({ writable: false });
      });

      test('can be requested twice', async () => {
        await Promise.all([store.close(), store.close()]);
      });
    });

    serialModelSuite(open, histories);
    concurrentModelSuite(open, histories);
  });
}
