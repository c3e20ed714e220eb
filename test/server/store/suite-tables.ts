/** The part of the store suite for single tables. */
import { describe, expect, test } from 'vitest';
import { DuplicateError, MissingRowError, type Store } from '../../../src/server/store/store.ts';
import { type Group, membershipKey } from '../../../src/server/store/tables.ts';
import { group, idsOf, insertGroups, member, user } from './rows.ts';

export function readingSuite(store: () => Store): void {
  describe('reading', () => {
    test('returns a row by its key, and undefined for an unknown key', async () => {
      await insertGroups(store(), group('a'));
      expect(await store().groups.get('a')).toEqual(group('a'));
      expect(await store().groups.get('b')).toBeUndefined();
    });

    test('returns a row by any of its values in a unique index', async () => {
      await store().transaction(({ users }) => users.insert(user('u1', { userName: 'Ada', identities: ['ada@home'] })));
      for (const login of ['u1', 'ada', 'ada@home']) expect(await store().users.getBy('login', login)).toBeDefined();
      expect(await store().users.getBy('login', 'Ada')).toBeUndefined();
    });

    test('returns the rows of a plain index ordered by key', async () => {
      await insertGroups(
        store(),
        group('c', { roles: ['x'] }),
        group('a', { roles: ['x', 'y'] }),
        group('b', { roles: ['y'] }),
      );
      expect(await idsOf(store().groups.find('role', 'x'))).toEqual(['a', 'c']);
      expect(await idsOf(store().groups.find('role', 'y'))).toEqual(['a', 'b']);
      expect(await idsOf(store().groups.find('role', 'z'))).toEqual([]);
    });

    test('orders keys by code point, in lists and after any key', async () => {
      const ordered = ['a', 'a\u00e9', 'z', '\ud7ff', '\ue000', '\uff5e', '\u{10000}', '\u{1f600}', '\u{10ffff}'];
      await insertGroups(store(), ...[...ordered].reverse().map((id) => group(id, { roles: ['x'] })));
      expect(await idsOf(store().groups.list())).toEqual(ordered);
      for (const [at, after] of ordered.entries()) {
        expect(await idsOf(store().groups.list({ after }))).toEqual(ordered.slice(at + 1));
        expect(await idsOf(store().groups.find('role', 'x', { after }))).toEqual(ordered.slice(at + 1));
      }
      const inTransaction = await store().transaction(({ groups }) => idsOf(groups.list()));
      expect(inTransaction).toEqual(ordered);
    });

    test('lists pages after an existing or missing key, up to the limit', async () => {
      await insertGroups(store(), group('a'), group('b'), group('c'), group('d'));
      expect(await idsOf(store().groups.list({ limit: 2 }))).toEqual(['a', 'b']);
      expect(await idsOf(store().groups.list({ after: 'b', limit: 2 }))).toEqual(['c', 'd']);
      expect(await idsOf(store().groups.list({ after: 'bb' }))).toEqual(['c', 'd']);
      expect(await idsOf(store().groups.list({ after: 'd' }))).toEqual([]);
      expect(await idsOf(store().groups.list({ limit: 0 }))).toEqual([]);
    });

    test('pages through a plain index', async () => {
      const rows = ['a', 'b', 'c'].map((groupId) => group(groupId, { roles: ['x'] }));
      await insertGroups(store(), ...rows, group('bb'));
      expect(await idsOf(store().groups.find('role', 'x', { after: 'a', limit: 1 }))).toEqual(['b']);
      expect(await idsOf(store().groups.find('role', 'x', { after: 'b' }))).toEqual(['c']);
    });

    test('returns the rows with several keys in their order, without missing ones', async () => {
      await insertGroups(store(), group('a'), group('b'), group('c'));
      expect(await idsOf(store().groups.getMany(['c', 'x', 'a', 'c']))).toEqual(['c', 'a', 'c']);
      expect(await store().groups.getMany([])).toEqual([]);
    });

    test('returns the rows with several values of an index once, ordered by key', async () => {
      await insertGroups(
        store(),
        group('c', { roles: ['x', 'y'] }),
        group('a', { roles: ['y'], organizationId: 'o1' }),
        group('b', { roles: ['z'], organizationId: 'o2' }),
      );
      const { groups } = store();
      expect(await idsOf(groups.findMany('role', ['y', 'x', 'missing', 'x']))).toEqual(['a', 'c']);
      expect(await idsOf(groups.findMany('organizationId', ['o2', 'o1']))).toEqual(['a', 'b']);
      expect(await idsOf(groups.findMany('groupName', ['name of c', 'name of a', 'c']))).toEqual(['a', 'c']);
      expect(await groups.findMany('role', [])).toEqual([]);
    });

    test('returns pages of the rows with several values of an index, in the order of the values', async () => {
      await insertGroups(
        store(),
        group('d', { organizationId: 'o1' }),
        group('a', { organizationId: 'o2', roles: ['x', 'y'] }),
        group('b', { organizationId: 'o1' }),
        group('c', { organizationId: 'o1', roles: ['x'] }),
      );
      const { groups } = store();
      const values = ['missing', 'o1', 'o2'];
      expect(await idsOf(groups.findInOrder('organizationId', values, {}))).toEqual(['b', 'c', 'd', 'a']);
      expect(await idsOf(groups.findInOrder('organizationId', values, { limit: 2 }))).toEqual(['b', 'c']);
      const page = { after: 'c', limit: 2 };
      expect(await idsOf(groups.findInOrder('organizationId', ['o1', 'o2'], page))).toEqual(['d', 'a']);
      expect(await idsOf(groups.findInOrder('role', ['y', 'x'], { after: '', limit: 2 }))).toEqual(['a', 'a']);
      expect(await groups.findInOrder('role', [], {})).toEqual([]);
    });

    test('returns the members of a group, whose keys begin with it, and of no other', async () => {
      const groupIds = ['g', 'g-', 'g0', 'gg'];
      await store().transaction(async ({ memberships }) => {
        for (const groupId of groupIds) for (const one of ['a', 'b']) await memberships.insert(member(groupId, one));
      });
      const { memberships } = store();
      const [a, b] = [member('g', 'a'), member('g', 'b')];
      expect(await memberships.find('group', 'g')).toEqual([a, b]);
      expect(await memberships.find('group', 'g', { after: membershipKey(a) })).toEqual([b]);
      expect(await memberships.find('group', 'g/user/')).toEqual([]);
      expect(await memberships.find('memberList', 'g/user/', { limit: 1 })).toEqual([a]);
      expect(await memberships.findMany('group', ['gg', 'g', 'missing'])).toEqual([
        a,
        b,
        member('gg', 'a'),
        member('gg', 'b'),
      ]);
      const page = { after: membershipKey(a), limit: 2 };
      expect(await memberships.findInOrder('group', ['g', 'g-'], page)).toEqual([b, member('g-', 'a')]);
    });

    test('returns a row and those that it names, in their order', async () => {
      await insertGroups(
        store(),
        group('a', { dependencies: ['c', 'missing', 'b'] }),
        group('b', { dependencies: ['d'] }),
        group('c'),
        group('d', { dependencies: ['d'] }),
      );
      const { groups } = store();
      expect(await idsOf(groups.getLinked('dependency', 'a'))).toEqual(['a', 'c', 'b']);
      expect(await idsOf(groups.getLinked('dependency', 'c'))).toEqual(['c']);
      expect(await idsOf(groups.getLinked('dependency', 'd'))).toEqual(['d', 'd']);
      expect(await groups.getLinked('dependency', 'missing')).toEqual([]);
    });

    test('reaches rows along an index, each once, in the order of a depth-first search from the last key', async () => {
      await insertGroups(
        store(),
        group('a', { dependencies: ['b', 'c'] }),
        group('b', { dependencies: ['d'] }),
        group('c', { dependencies: ['d', 'missing'] }),
        group('d'),
        group('e', { dependencies: ['f'] }),
        group('f', { dependencies: ['e'] }),
      );
      const { groups } = store();
      expect(await idsOf(groups.reach('dependency', ['a']))).toEqual(['a', 'c', 'd', 'b']);
      expect(await idsOf(groups.reach('dependency', ['b', 'c']))).toEqual(['c', 'd', 'b']);
      expect(await idsOf(groups.reach('dependency', ['e', 'missing']))).toEqual(['e', 'f']);
      expect(await groups.reach('dependency', [])).toEqual([]);
    });

    test('finds the rows that reach those with a value, ordered by key', async () => {
      await insertGroups(
        store(),
        group('d', { roles: ['x'] }),
        group('c', { dependencies: ['d'] }),
        group('b', { dependencies: ['c', 'd'] }),
        group('a', { dependencies: ['e'], roles: ['x'] }),
        group('e', { dependencies: ['a'] }),
        group('f'),
      );
      const { groups } = store();
      expect(await idsOf(groups.findReaching('dependency', 'role', 'x'))).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(await idsOf(groups.findReaching('dependency', 'dependency', 'd'))).toEqual(['b', 'c']);
      expect(await groups.findReaching('dependency', 'role', 'y')).toEqual([]);
    });

    test('counts the rows of a table', async () => {
      await insertGroups(store(), group('a'), group('b'));
      await store().transaction(({ groups }) => groups.delete('a'));
      expect(await store().groups.count()).toBe(1);
      expect(await store().users.count()).toBe(0);
    });

    test('returns the same row object without copying', async () => {
      await insertGroups(store(), group('a', { roles: ['x'] }));
      const row = await store().groups.get('a');
      expect((await store().groups.find('role', 'x'))[0]).toBe(row);
      expect(Object.isFrozen(row)).toBe(true);
    });

    test('does not change a row when the inserted object changes afterwards', async () => {
      const row = { ...group('a'), roles: ['x'] };
      await insertGroups(store(), row);
      row.roles.push('y');
      row.groupName = 'changed';
      expect(await store().groups.get('a')).toEqual(group('a', { roles: ['x'] }));
    });
  });
}

export function writingSuite(store: () => Store): void {
  describe('writing', () => {
    test('rejects a primary key that exists', async () => {
      await insertGroups(store(), group('a'));
      await expect(insertGroups(store(), group('a', { groupName: 'other' }))).rejects.toThrow(
        new DuplicateError('groups', 'key'),
      );
    });

    test('rejects a unique value that exists and leaves the store unchanged', async () => {
      await insertGroups(store(), group('a', { groupName: 'same' }));
      const failure = insertGroups(store(), group('b', { groupName: 'free' }), group('c', { groupName: 'same' }));
      await expect(failure).rejects.toMatchObject({
        name: 'DuplicateError',
        table: 'groups',
        constraint: 'groupName',
      });
      expect(await idsOf(store().groups.list())).toEqual(['a']);
    });

    test('rejects a row if any of several unique values exists', async () => {
      await store().transaction(({ users }) => users.insert(user('u1', { identities: ['shared'] })));
      const second = store().transaction(({ users }) => users.insert(user('u2', { identities: ['own', 'shared'] })));
      await expect(second).rejects.toThrow(DuplicateError);
    });

    test('allows a replaced row to keep its unique values', async () => {
      await insertGroups(store(), group('a'));
      await store().transaction(({ groups }) => groups.replace(group('a', { roles: ['x'] })));
      expect(await idsOf(store().groups.find('role', 'x'))).toEqual(['a']);
      expect(await store().groups.getBy('groupName', 'name of a')).toEqual(group('a', { roles: ['x'] }));
    });

    test('frees the unique values of changed and deleted rows', async () => {
      await insertGroups(store(), group('a', { groupName: 'one' }), group('b', { groupName: 'two' }));
      await store().transaction(async ({ groups }) => {
        await groups.replace(group('a', { groupName: 'new' }));
        await groups.delete('b');
        await groups.insert(group('c', { groupName: 'one' }));
        await groups.insert(group('d', { groupName: 'two' }));
      });
      expect(await store().groups.getBy('groupName', 'one')).toMatchObject({ groupId: 'c' });
      expect(await store().groups.getBy('groupName', 'two')).toMatchObject({ groupId: 'd' });
      expect(await store().groups.getBy('groupName', 'new')).toMatchObject({ groupId: 'a' });
    });

    test('allows two rows to swap a unique value in one transaction', async () => {
      await insertGroups(store(), group('a', { groupName: 'one' }), group('b', { groupName: 'two' }));
      await store().transaction(async ({ groups }) => {
        await groups.replace(group('a', { groupName: 'aside' }));
        await groups.replace(group('b', { groupName: 'one' }));
        await groups.replace(group('a', { groupName: 'two' }));
      });
      expect(await store().groups.getBy('groupName', 'one')).toMatchObject({ groupId: 'b' });
      expect(await store().groups.getBy('groupName', 'two')).toMatchObject({ groupId: 'a' });
    });

    test('removes a replaced row from its old plain index values', async () => {
      await insertGroups(store(), group('a', { roles: ['x'] }));
      await store().transaction(({ groups }) => groups.replace(group('a', { roles: ['y'] })));
      expect(await idsOf(store().groups.find('role', 'x'))).toEqual([]);
      expect(await idsOf(store().groups.find('role', 'y'))).toEqual(['a']);
    });

    test('finds the writes of a transaction in a plain index, before and after its first use', async () => {
      await insertGroups(store(), group('a', { roles: ['x'] }), group('b', { roles: ['x'] }));
      const seen = await store().transaction(async ({ groups }) => {
        const findMatches = () => idsOf(groups.find('role', 'x'));
        await groups.insert(group('c', { roles: ['x'] }));
        await groups.replace(group('a'));
        const first = await findMatches();
        await groups.insert(group('d', { roles: ['x'] }));
        await groups.replace(group('c', { roles: ['y'] }));
        await groups.delete('b');
        return [first, await findMatches(), await idsOf(groups.find('role', 'y'))];
      });
      expect(seen).toEqual([['b', 'c'], ['d'], ['c']]);
      expect(await idsOf(store().groups.find('role', 'x'))).toEqual(['d']);
    });

    test('reports a taken value or key before an insert, also if the work throws another error', async () => {
      await insertGroups(store(), group('a'));
      const insertUnlessTaken = (row: Group, error?: Error) =>
        store().transaction(async ({ groups }) => {
          if (await groups.isTaken('groupName', row.groupName)) throw new Error('name taken');
          if (await groups.isTaken('key', row.groupId)) throw new Error('key taken');
          if (error) throw error;
          await groups.insert(row);
        });
      await expect(insertUnlessTaken(group('b', { groupName: 'name of a' }))).rejects.toThrow('name taken');
      await expect(insertUnlessTaken(group('b', { groupName: 'name of a' }), new Error('x'))).rejects.toThrow('name');
      await expect(insertUnlessTaken(group('a', { groupName: 'other' }))).rejects.toThrow('key taken');
      await expect(insertUnlessTaken(group('c'), new Error('other reason'))).rejects.toThrow('other reason');
      expect(await idsOf(store().groups.list())).toEqual(['a']);
      await insertUnlessTaken(group('b'));
      expect(await idsOf(store().groups.list())).toEqual(['a', 'b']);
    });

    test('finds the writes of a transaction with all methods, also after the same reads before', async () => {
      await insertGroups(store(), group('a', { roles: ['x'], dependencies: ['b'] }), group('b'), group('c'));
      await store().transaction(async ({ groups }) => {
        const read = async () => [
          (await groups.get('a'))?.dependencies.join(),
          (await groups.getBy('groupName', 'name of c'))?.groupId,
          await idsOf(groups.getMany(['a', 'b', 'c', 'd'])),
          await idsOf(groups.getLinked('dependency', 'a')),
          await idsOf(groups.findMany('role', ['x', 'y'])),
          await idsOf(groups.reach('dependency', ['a'])),
          await idsOf(groups.findReaching('dependency', 'role', 'x')),
        ];
        expect(await read()).toEqual(['b', 'c', ['a', 'b', 'c'], ['a', 'b'], ['a'], ['a', 'b'], ['a']]);
        await groups.replace(group('a', { roles: ['y'], dependencies: ['c', 'd'] }));
        await groups.insert(group('d', { roles: ['x'], dependencies: ['b'] }));
        expect(await read()).toEqual([
          'c,d',
          'c',
          ['a', 'b', 'c', 'd'],
          ['a', 'c', 'd'],
          ['a', 'd'],
          ['a', 'd', 'b', 'c'],
          ['a', 'd'],
        ]);
        await groups.delete('c');
        await groups.replace(group('d'));
        expect(await read()).toEqual(['c,d', undefined, ['a', 'b', 'd'], ['a', 'd'], ['a'], ['a', 'd'], []]);
      });
    });

    test('deletes a row that the transaction has read, and inserts it again', async () => {
      await insertGroups(store(), group('a', { roles: ['x'] }));
      const results = await store().transaction(async ({ groups }) => {
        await groups.get('a');
        const deleted = [await groups.delete('a'), await groups.delete('a'), await groups.get('a')];
        await groups.insert(group('a', { roles: ['y'] }));
        return [...deleted, await groups.get('a')];
      });
      expect(results).toEqual([true, false, undefined, group('a', { roles: ['y'] })]);
    });

    test('replaces all rows by others, of which some are the same, changed or new', async () => {
      const numbers = Array.from({ length: 3_001 }, (_, number) => number);
      const idOf = (number: number) => `g${String(number).padStart(4, '0')}`;
      const before = numbers
        .filter((number) => number % 3 !== 1)
        .map((number) => group(idOf(number), { roles: ['A'] }));
      // Two rows swap their names, in different pages.
      const renamed: Readonly<Record<number, number>> = { 0: 2_997, 2997: 0 };
      const after = numbers
        .filter((number) => number % 3 !== 2)
        .map((number) =>
          group(idOf(number), { groupName: `name of ${idOf(renamed[number] ?? number)}`, roles: ['A'] }),
        );
      for (const rows of [before, after, after.slice(2_000), []]) {
        await store().transaction(({ groups }) => groups.replaceAll(rows));
        expect(await store().groups.list()).toEqual(rows);
        expect(await store().groups.find('role', 'A')).toEqual(rows);
      }
    });

    test('rejects replacing a missing row', async () => {
      const work = store().transaction(({ groups }) => groups.replace(group('a')));
      await expect(work).rejects.toThrow(new MissingRowError('groups'));
    });

    test('returns whether a row was deleted', async () => {
      await insertGroups(store(), group('a'));
      const results = await store().transaction(async ({ groups }) => [
        await groups.delete('a'),
        await groups.delete('a'),
      ]);
      expect(results).toEqual([true, false]);
      expect(await store().groups.get('a')).toBeUndefined();
    });

    test('rejects a row that does not match its schema', async () => {
      const wrong = { ...group('a'), surprise: true };
      await expect(store().transaction(({ groups }) => groups.insert(wrong))).rejects.toThrow();
      expect(await store().groups.count()).toBe(0);
    });

    test('supports keys and values that are inherited property names', async () => {
      const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'];
      await insertGroups(store(), ...names.map((name) => group(name, { groupName: name, roles: [name] })));
      for (const name of names) {
        expect(await store().groups.get(name)).toMatchObject({ groupId: name });
        expect(await store().groups.getBy('groupName', name)).toMatchObject({ groupId: name });
        expect(await idsOf(store().groups.find('role', name))).toEqual([name]);
      }
      expect(await store().groups.get('valueOf')).toBeUndefined();
      expect(await store().groups.getBy('groupName', 'valueOf')).toBeUndefined();
      expect(await store().groups.find('role', 'valueOf')).toEqual([]);
    });
  });
}
