/**
 * Guards every write of an operation: changes to the contacts, login identifiers, factors or lock of an administrator, and
 * its removal, require AUTH-MFA of the caller, as does every write that makes an administrator. Each user is notified of
 * login identifiers that were added or removed. Seeds, the bootstrap and the control plane write to the store unguarded;
 * with remote access, the changes of the control plane require AUTH-MFA.
 */
import { isDeepStrictEqual } from 'node:util';
import { assertMfaForAdministrator } from '../directory/object-access.ts';
import type { Principal } from '../directory/principal.ts';
import { assertUserGainsNothing, guardRoleGains } from '../directory/role-gain-guard.ts';
import { overrideTables, overrideWrites, type Store, type TableWriter, type Transaction } from '../store/store.ts';
import type { Factor, User } from '../store/tables.ts';
import { type NoticeDeps, notifyAccountChanges } from './account-notices.ts';

/** Wraps the store for one request: its transactions guard the writes. */
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
    ...guardRoleGains({ tx, caller }),
    users: (users) => guardUsers(users, { tx, caller, changes }),
    factors: (factors) => guardFactors(factors, { tx, caller }),
  });
}

interface Deps {
  readonly tx: Transaction;
  readonly caller: Principal;
}

function guardUsers(
  users: TableWriter<'users'>,
  { changes, ...deps }: Deps & { readonly changes: UserChanges },
): TableWriter<'users'> {
  const { tx, caller } = deps;
  return overrideWrites(users, {
    async insert(user) {
      await assertUserGainsNothing(deps, { before: undefined, after: user });
      await users.insert(user);
    },
    async replace(after) {
      const before = await users.get(after.userId);
      await assertUserGainsNothing(deps, { before, after });
      if (before && !isDeepStrictEqual(pickGuardedFields(before), pickGuardedFields(after))) {
        await assertMfaForAdministrator(tx, before, caller);
        changes.set(after.userId, { before: changes.get(after.userId)?.before ?? before, after });
      }
      await users.replace(after);
    },
    async delete(userId) {
      const user = await users.get(userId);
      if (user) await assertMfaForAdministrator(tx, user, caller);
      changes.delete(userId);
      return users.delete(userId);
    },
  });
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

function guardFactors(factors: TableWriter<'factors'>, { tx, caller }: Deps): TableWriter<'factors'> {
  const assertMfa = async (factor: Factor | undefined) => {
    const user = factor && (await tx.users.get(factor.userId));
    if (user) await assertMfaForAdministrator(tx, user, caller);
  };
  return overrideWrites(factors, {
    async insert(factor) {
      await assertMfa(factor);
      await factors.insert(factor);
    },
    async replace(factor) {
      await assertMfa(factor);
      await factors.replace(factor);
    },
    async delete(factorId) {
      await assertMfa(await factors.get(factorId));
      return factors.delete(factorId);
    },
  });
}
