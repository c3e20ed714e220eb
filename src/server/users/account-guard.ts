/**
 * Guards every write of an operation to users and their factors: changes to the contacts, login identifiers, factors
 * or lock of an administrator, and its removal, require AUTH-MFA of the caller. Each user is notified of login
 * identifiers that were added or removed. Seeds, the bootstrap and the control plane write to the store unguarded.
 */
import { isDeepStrictEqual } from 'node:util';
import { assertMfaForAdministrator } from '../directory/object-access.ts';
import type { Principal } from '../directory/principal.ts';
import { overrideTables, type Store, type TableWriter, type Transaction } from '../store/store.ts';
import type { Factor, User } from '../store/tables.ts';
import { type NoticeDeps, notifyAccountChanges } from './account-notices.ts';

/** Wraps the store for one request: its transactions guard the writes to users and factors. */
export function guardAccounts(store: Store, caller: Principal, deps: NoticeDeps): Store {
  const transaction: Store['transaction'] = async (work) => {
    let hasNotices = false;
    const result = await store.transaction(async (tx) => {
      const changes: UserChanges = new Map();
      const done = await work(guardTransaction(tx, caller, changes));
      hasNotices = changes.size > 0 && (await notifyUsers(tx, changes, deps));
      return done;
    });
    if (hasNotices) deps.outbox.wake();
    return result;
  };
  return Object.assign(Object.create(store) as Store, { transaction });
}

/** By user id: the user before its first change in the transaction and after its last one. */
type UserChanges = Map<string, { readonly before: User; readonly after: User }>;

async function notifyUsers(tx: Transaction, changes: UserChanges, deps: NoticeDeps): Promise<boolean> {
  let hasNotices = false;
  for (const { before, after } of changes.values())
    hasNotices = (await notifyAccountChanges(tx, before, after, deps)) || hasNotices;
  return hasNotices;
}

function guardTransaction(tx: Transaction, caller: Principal, changes: UserChanges): Transaction {
  return overrideTables(tx, {
    users: (users) => overrideWrites(users, guardUserWrites(tx, caller, changes)),
    factors: (factors) => overrideWrites(factors, guardFactorWrites(tx, caller)),
  });
}

function overrideWrites<Name extends GuardedTable>(table: TableWriter<Name>, writes: Writes<Name>): TableWriter<Name> {
  return Object.assign(Object.create(table) as TableWriter<Name>, writes);
}

type GuardedTable = 'users' | 'factors';

type Writes<Name extends GuardedTable> = Pick<TableWriter<Name>, 'insert' | 'replace' | 'delete'>;

function guardUserWrites(tx: Transaction, caller: Principal, changes: UserChanges): Writes<'users'> {
  return {
    async insert(user) {
      await assertMfaForAdministrator(tx, user, caller);
      await tx.users.insert(user);
    },
    async replace(after) {
      const before = await tx.users.get(after.userId);
      if (before && !isDeepStrictEqual(pickGuardedFields(before), pickGuardedFields(after))) {
        // A change may move the user to another business and change its roles: check both states.
        for (const user of [before, after]) await assertMfaForAdministrator(tx, user, caller);
        changes.set(after.userId, { before: changes.get(after.userId)?.before ?? before, after });
      }
      await tx.users.replace(after);
    },
    async delete(userId) {
      const user = await tx.users.get(userId);
      if (user) await assertMfaForAdministrator(tx, user, caller);
      changes.delete(userId);
      return tx.users.delete(userId);
    },
  };
}

/** The fields by which a user is reached and signs in, and its lock. */
function pickGuardedFields(user: User) {
  const { userName, userNameProven, identities, legacyLogons, locked } = user;
  const { userEmail, emailVerified, userMobile, mobileVerified } = user;
  return [
    { userName, userNameProven, identities, legacyLogons, locked },
    { userEmail, emailVerified, userMobile, mobileVerified },
  ];
}

function guardFactorWrites(tx: Transaction, caller: Principal): Writes<'factors'> {
  const assertMfa = async (factor: Factor | undefined) => {
    const user = factor && (await tx.users.get(factor.userId));
    if (user) await assertMfaForAdministrator(tx, user, caller);
  };
  return {
    async insert(factor) {
      await assertMfa(factor);
      await tx.factors.insert(factor);
    },
    async replace(factor) {
      await assertMfa(factor);
      await tx.factors.replace(factor);
    },
    async delete(factorId) {
      await assertMfa(await tx.factors.get(factorId));
      return tx.factors.delete(factorId);
    },
  };
}
