/**
 * The tables of a transaction that applies users: what the checks of new users look up is read together before. On
 * PostgreSQL a read for each user would also keep their rows from being written together.
 */
import { toVisibleName } from '../../contract/visible-names.ts';
import { foldIdentifier, foldSpelling, listFoldedSpellings } from '../../lib/fold-identifier.ts';
import { listSubjectKeys } from '../directory/subject-ids.ts';
import { overrideTable, overrideTables } from '../store/overrides.ts';
import type { Reader, TableWriter, Transaction } from '../store/store.ts';
import { loginKeys, loginNames, type User } from '../store/tables.ts';
import type { SeedUser } from './schema.ts';

/** Values that no user has; a seed adds users, so that they become fewer. */
interface FreeNames {
  readonly logins: Set<string>;
  readonly visibleLogins: Set<string>;
}

export async function prefetchUsers(tx: Transaction, seeds: readonly SeedUser[] = []): Promise<Transaction> {
  const ids = seeds.flatMap(({ userId }) => userId ?? []);
  const names = [...new Set(seeds.flatMap(listNames).flatMap(listFoldedSpellings))];
  if (ids.length === 0 && names.length === 0) return tx;
  // A transaction reads no row twice.
  await tx.users.getMany(ids);
  await tx.subjects.getMany(ids.flatMap(listSubjectKeys));
  const free: FreeNames = { logins: new Set(names), visibleLogins: new Set(names) };
  for (const user of await tx.users.findMany('login', names)) removeNames(free, user);
  for (const user of await tx.users.findMany('visibleLogin', names)) removeNames(free, user);
  return overrideTables(tx, { users: (users) => withFreeNames(users, free) });
}

/** @returns a function that returns whether the store can contain the user of an entry. */
export async function findPresentUsers(
  { users }: Pick<Reader, 'users'>,
  seeds: readonly SeedUser[] = [],
): Promise<(seed: SeedUser) => boolean> {
  const ids = seeds.flatMap(({ userId }) => userId ?? []);
  const names = seeds.flatMap(({ userId, userName }) =>
    userId === undefined && userName ? listFoldedSpellings(userName) : [],
  );
  const present = new Set((await users.getMany(ids)).map(({ userId }) => userId));
  const named = new Set((await users.findMany('login', names)).flatMap(loginNames));
  return ({ userId, userName = '' }) =>
    userId === undefined ? named.has(foldIdentifier(userName)) : present.has(userId);
}

function listNames({ userId, userName, userEmail, identities = [] }: SeedUser): string[] {
  return [userId, userName, userEmail, ...identities].filter((name) => name !== undefined);
}

function removeNames({ logins, visibleLogins }: FreeNames, user: User): void {
  for (const key of loginKeys(user)) {
    logins.delete(key);
    visibleLogins.delete(foldSpelling(toVisibleName(key)));
  }
}

function withFreeNames(users: TableWriter<'users'>, free: FreeNames): TableWriter<'users'> {
  const reads: Pick<TableWriter<'users'>, 'getBy' | 'find'> = {
    getBy: async (unique, value) =>
      unique === 'login' && free.logins.has(value) ? undefined : users.getBy(unique, value),
    find: async (index, value, range) =>
      index === 'visibleLogin' && free.visibleLogins.has(value) ? [] : users.find(index, value, range),
  };
  const writes: Pick<TableWriter<'users'>, 'insert' | 'replace'> = {
    async insert(user) {
      await users.insert(user);
      removeNames(free, user);
    },
    async replace(user) {
      await users.replace(user);
      removeNames(free, user);
    },
  };
  return overrideTable(users, { ...reads, ...writes });
}
