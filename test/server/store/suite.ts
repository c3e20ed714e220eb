/** What every engine of the store has to do. Each engine's test runs this suite over its own `open`. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DuplicateError, MissingRowError, type Store, StoreUnavailableError } from '../../../src/server/store/store.ts';
import { modelSuite } from './model.ts';
import { business, group, member, user } from './rows.ts';

export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and removes what it left behind. */
  dispose(): Promise<void>;
}

export function storeSuite(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let opened: OpenedStore;
    let store: Store;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.dispose());

    const ids = async (groups: Promise<readonly { groupId: string }[]>) => (await groups).map((row) => row.groupId);
    const insertGroups = (...rows: ReturnType<typeof group>[]) =>
      store.transaction(async ({ groups }) => {
        for (const row of rows) await groups.insert(row);
      });

    describe('reading', () => {
      test('gives a row by its key, and nothing for a key that no row has', async () => {
        await insertGroups(group('a'));
        expect(await store.groups.get('a')).toEqual(group('a'));
        expect(await store.groups.get('b')).toBeUndefined();
      });

      test('gives a row by any of its values in a unique index', async () => {
        await store.transaction(({ users }) => users.insert(user('u1', { userName: 'Ada', identities: ['ada@home'] })));
        for (const login of ['u1', 'ada', 'ada@home']) expect(await store.users.getBy('login', login)).toBeDefined();
        expect(await store.users.getBy('login', 'Ada')).toBeUndefined();
      });

      test('gives the rows of a plain index in the order of their keys', async () => {
        await insertGroups(
          group('c', { roles: ['x'] }),
          group('a', { roles: ['x', 'y'] }),
          group('b', { roles: ['y'] }),
        );
        expect(await ids(store.groups.find('role', 'x'))).toEqual(['a', 'c']);
        expect(await ids(store.groups.find('role', 'y'))).toEqual(['a', 'b']);
        expect(await ids(store.groups.find('role', 'z'))).toEqual([]);
      });

      test('lists pages: what comes after a key, there or not, and no more than asked for', async () => {
        await insertGroups(group('a'), group('b'), group('c'), group('d'));
        expect(await ids(store.groups.list({ limit: 2 }))).toEqual(['a', 'b']);
        expect(await ids(store.groups.list({ after: 'b', limit: 2 }))).toEqual(['c', 'd']);
        expect(await ids(store.groups.list({ after: 'bb' }))).toEqual(['c', 'd']);
        expect(await ids(store.groups.list({ after: 'd' }))).toEqual([]);
        expect(await ids(store.groups.list({ limit: 0 }))).toEqual([]);
      });

      test('pages through a plain index', async () => {
        const rows = ['a', 'b', 'c'].map((groupId) => group(groupId, { roles: ['x'] }));
        await insertGroups(...rows, group('bb'));
        expect(await ids(store.groups.find('role', 'x', { after: 'a', limit: 1 }))).toEqual(['b']);
        expect(await ids(store.groups.find('role', 'x', { after: 'b' }))).toEqual(['c']);
      });

      test('counts the rows of a table', async () => {
        await insertGroups(group('a'), group('b'));
        await store.transaction(({ groups }) => groups.delete('a'));
        expect(await store.groups.count()).toBe(1);
        expect(await store.users.count()).toBe(0);
      });

      test('gives the same row by reference: nothing is copied on the way', async () => {
        await insertGroups(group('a', { roles: ['x'] }));
        const row = await store.groups.get('a');
        expect((await store.groups.find('role', 'x'))[0]).toBe(row);
        expect(Object.isFrozen(row)).toBe(true);
      });

      test('keeps a row as it was when the object it was made from changes afterwards', async () => {
        const row = { ...group('a'), roles: ['x'] };
        await insertGroups(row);
        row.roles.push('y');
        row.groupName = 'changed';
        expect(await store.groups.get('a')).toEqual(group('a', { roles: ['x'] }));
      });
    });

    describe('writing', () => {
      test('refuses a primary key that is taken', async () => {
        await insertGroups(group('a'));
        await expect(insertGroups(group('a', { groupName: 'other' }))).rejects.toThrow(
          new DuplicateError('groups', 'key'),
        );
      });

      test('refuses a unique value that is taken and keeps the store as it was', async () => {
        await insertGroups(group('a', { groupName: 'same' }));
        const failure = insertGroups(group('b', { groupName: 'free' }), group('c', { groupName: 'same' }));
        await expect(failure).rejects.toMatchObject({
          name: 'DuplicateError',
          table: 'groups',
          constraint: 'groupName',
        });
        expect(await ids(store.groups.list())).toEqual(['a']);
      });

      test('refuses a row of which any one of several unique values is taken', async () => {
        await store.transaction(({ users }) => users.insert(user('u1', { identities: ['shared'] })));
        const second = store.transaction(({ users }) => users.insert(user('u2', { identities: ['own', 'shared'] })));
        await expect(second).rejects.toThrow(DuplicateError);
      });

      test('lets a row keep its unique values when it is replaced', async () => {
        await insertGroups(group('a'));
        await store.transaction(({ groups }) => groups.replace(group('a', { roles: ['x'] })));
        expect(await ids(store.groups.find('role', 'x'))).toEqual(['a']);
        expect(await store.groups.getBy('groupName', 'name of a')).toEqual(group('a', { roles: ['x'] }));
      });

      test('frees the unique values of rows that changed or went', async () => {
        await insertGroups(group('a', { groupName: 'one' }), group('b', { groupName: 'two' }));
        await store.transaction(async ({ groups }) => {
          await groups.replace(group('a', { groupName: 'new' }));
          await groups.delete('b');
          await groups.insert(group('c', { groupName: 'one' }));
          await groups.insert(group('d', { groupName: 'two' }));
        });
        expect(await store.groups.getBy('groupName', 'one')).toMatchObject({ groupId: 'c' });
        expect(await store.groups.getBy('groupName', 'two')).toMatchObject({ groupId: 'd' });
        expect(await store.groups.getBy('groupName', 'new')).toMatchObject({ groupId: 'a' });
      });

      test('lets two rows swap a unique value in one transaction', async () => {
        await insertGroups(group('a', { groupName: 'one' }), group('b', { groupName: 'two' }));
        await store.transaction(async ({ groups }) => {
          await groups.replace(group('a', { groupName: 'aside' }));
          await groups.replace(group('b', { groupName: 'one' }));
          await groups.replace(group('a', { groupName: 'two' }));
        });
        expect(await store.groups.getBy('groupName', 'one')).toMatchObject({ groupId: 'b' });
        expect(await store.groups.getBy('groupName', 'two')).toMatchObject({ groupId: 'a' });
      });

      test('takes a replaced row out of the plain indexes it left', async () => {
        await insertGroups(group('a', { roles: ['x'] }));
        await store.transaction(({ groups }) => groups.replace(group('a', { roles: ['y'] })));
        expect(await ids(store.groups.find('role', 'x'))).toEqual([]);
        expect(await ids(store.groups.find('role', 'y'))).toEqual(['a']);
      });

      test('refuses to replace a row that is not there', async () => {
        const work = store.transaction(({ groups }) => groups.replace(group('a')));
        await expect(work).rejects.toThrow(new MissingRowError('groups'));
      });

      test('says whether there was a row to delete', async () => {
        await insertGroups(group('a'));
        const said = await store.transaction(async ({ groups }) => [
          await groups.delete('a'),
          await groups.delete('a'),
        ]);
        expect(said).toEqual([true, false]);
        expect(await store.groups.get('a')).toBeUndefined();
      });

      test('refuses a row that its schema does not allow', async () => {
        const wrong = { ...group('a'), surprise: true };
        await expect(store.transaction(({ groups }) => groups.insert(wrong))).rejects.toThrow();
        expect(await store.groups.count()).toBe(0);
      });

      test('keeps rows whose keys and values are names that objects are born with', async () => {
        const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'];
        await insertGroups(...names.map((name) => group(name, { groupName: name, roles: [name] })));
        for (const name of names) {
          expect(await store.groups.get(name)).toMatchObject({ groupId: name });
          expect(await store.groups.getBy('groupName', name)).toMatchObject({ groupId: name });
          expect(await ids(store.groups.find('role', name))).toEqual([name]);
        }
        expect(await store.groups.get('valueOf')).toBeUndefined();
        expect(await store.groups.getBy('groupName', 'valueOf')).toBeUndefined();
        expect(await store.groups.find('role', 'valueOf')).toEqual([]);
      });
    });

    describe('transactions', () => {
      test('see what they wrote themselves, in every way of reading', async () => {
        await insertGroups(group('a', { roles: ['x'] }), group('c', { roles: ['x'] }));
        await store.transaction(async ({ groups }) => {
          await groups.insert(group('b', { roles: ['x'] }));
          await groups.delete('c');
          expect(await groups.get('b')).toBeDefined();
          expect(await groups.get('c')).toBeUndefined();
          expect(await groups.getBy('groupName', 'name of b')).toBeDefined();
          expect(await groups.getBy('groupName', 'name of c')).toBeUndefined();
          expect(await ids(groups.find('role', 'x'))).toEqual(['a', 'b']);
          expect(await ids(groups.list({ after: 'a' }))).toEqual(['b']);
          expect(await groups.count()).toBe(2);
        });
      });

      test('are not seen from outside before they are done', async () => {
        await store.transaction(async ({ groups }) => {
          await groups.insert(group('a'));
          expect(await store.groups.get('a')).toBeUndefined();
          expect(await store.groups.count()).toBe(0);
        });
        expect(await store.groups.get('a')).toBeDefined();
      });

      test('keep nothing when the work throws, and pass its error on', async () => {
        const fault = new Error('changed my mind');
        const work = store.transaction(async ({ groups, businesses }) => {
          await groups.insert(group('a'));
          await businesses.insert(business('b'));
          throw fault;
        });
        await expect(work).rejects.toBe(fault);
        expect(await store.groups.count()).toBe(0);
        expect(await store.businesses.count()).toBe(0);
      });

      test('go on after a refusal that the work caught', async () => {
        await insertGroups(group('a'));
        await store.transaction(async ({ groups }) => {
          await groups.insert(group('b', { groupName: 'name of a' })).catch(() => undefined);
          await groups.insert(group('c'));
        });
        expect(await ids(store.groups.list())).toEqual(['a', 'c']);
      });

      test('give back what the work returns', async () => {
        expect(await store.transaction(async () => 42)).toBe(42);
      });

      test('run one after another: concurrent compare-and-set loses nothing', async () => {
        await insertGroups(group('counter', { groupName: '0' }));
        const increase = () =>
          store.transaction(async ({ groups }) => {
            const count = Number((await groups.get('counter'))?.groupName);
            await groups.replace(group('counter', { groupName: String(count + 1) }));
            return count;
          });
        const seen = await Promise.all(Array.from({ length: 200 }, increase));
        expect(seen).toEqual(Array.from({ length: 200 }, (_, turn) => turn));
        expect(await store.groups.get('counter')).toMatchObject({ groupName: '200' });
      });

      test('let exactly one of many takers have a unique value', async () => {
        const take = (groupId: string) => insertGroups(group(groupId, { groupName: 'prize' }));
        const taken = await Promise.allSettled(['a', 'b', 'c', 'd'].map(take));
        expect(taken.map((each) => each.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
      });

      test('span several tables', async () => {
        await store.transaction(async ({ groups, memberships }) => {
          await groups.insert(group('a'));
          await memberships.insert(member('a', 'u1'));
        });
        expect(await store.memberships.find('group', 'a')).toEqual([member('a', 'u1')]);
      });

      test('can no longer be used when they are over', async () => {
        const leaked = await store.transaction(async (tx) => tx);
        await expect(leaked.groups.insert(group('a'))).rejects.toThrow('over');
        await expect(leaked.groups.get('a')).rejects.toThrow('over');
      });
    });

    describe('closing', () => {
      test('lets transactions under way finish and takes no new ones', async () => {
        const underWay = Promise.all(['a', 'b', 'c'].map((groupId) => insertGroups(group(groupId))));
        const closed = store.close();
        await expect(insertGroups(group('d'))).rejects.toThrow(StoreUnavailableError);
        await Promise.all([underWay, closed]);
        expect(await ids(store.groups.list())).toEqual(['a', 'b', 'c']);
        expect(store.health()).toMatchObject({ writable: false });
      });

      test('may be asked for twice', async () => {
        await Promise.all([store.close(), store.close()]);
      });
    });

    modelSuite(open);
  });
}
