/**
 * Guards every write of an operation: changes to the contacts, login identifiers, factors or lock of an administrator, and
 * its removal, require AUTH-MFA of the caller, as does every write that makes an administrator. Each user is notified of
 * login identifiers and factors that were added or removed. Seeds, the bootstrap and the control plane write to the store
 * unguarded; with remote access, the changes of the control plane require AUTH-MFA.
 */
import { isDeepStrictEqual } from 'node:util';
import { assertMfaForAdministrator } from '../directory/object-access.ts';
import type { Principal } from '../directory/principal.ts';
import { assertUserGainsNothing, guardRoleGains } from '../directory/role-gain-guard.ts';
import { overrideTable, overrideTables, overrideTransaction } from '../store/overrides.ts';
import type { Store, TableWriter, Transaction } from '../store/store.ts';
import type { Factor, User } from '../store/tables.ts';
import { type Account, type NoticeDeps, notifyAccountChanges, readAccount } from './account-notices.ts';

/** Wraps the store for one request, with or without a caller: its transactions guard the writes. */
export function guardAccounts(store: Store, caller: Principal | undefined, deps: NoticeDeps): Store {
  const transaction: Store['transaction'] = async (work) => {
    let hasNotices = false;
    const result = await store.transaction(async (tx) => {
      const changes: AccountChanges = new Map();
      const done = await work(guardTransaction(tx, caller, changes));
      hasNotices = changes.size > 0 && (await notifyUsers(tx, changes, deps));
      return done;
    });
    if (hasNotices) deps.outbox.wake();
    return result;
  };
  return overrideTransaction(store, transaction);
}

/** By user id: the account before its first change in the transaction. */
type AccountChanges = Map<string, Account>;

async function recordChange(tx: Transaction, changes: AccountChanges, userId: string): Promise<void> {
  const before = changes.has(userId) ? undefined : await readAccount(tx, userId);
  if (before) changes.set(userId, before);
}

async function notifyUsers(tx: Transaction, changes: AccountChanges, deps: NoticeDeps): Promise<boolean> {
  let hasNotices = false;
  for (const [userId, before] of changes) {
    const after = await readAccount(tx, userId);
    // A user that was removed is not notified.
    if (after) hasNotices = (await notifyAccountChanges(tx, before, after, deps)) || hasNotices;
  }
  return hasNotices;
}

function guardTransaction(tx: Transaction, caller: Principal | undefined, changes: AccountChanges): Transaction {
  return overrideTables(tx, {
    ...guardRoleGains({ tx, caller }),
    users: (users) => guardUsers(users, { tx, caller, changes }),
    factors: (factors) => guardFactors(factors, { tx, caller, changes }),
  });
}

interface Deps {
  readonly tx: Transaction;
  readonly caller: Principal | undefined;
}

function guardUsers(
  users: TableWriter<'users'>,
  { changes, ...deps }: Deps & { readonly changes: AccountChanges },
): TableWriter<'users'> {
  const { tx, caller } = deps;
  return overrideTable(users, {
    async insert(user) {
      await assertUserGainsNothing(deps, { before: undefined, after: user });
      await users.insert(user);
    },
    async replace(after) {
      const before = await users.get(after.userId);
      await assertUserGainsNothing(deps, { before, after });
      if (before && !isDeepStrictEqual(pickGuardedFields(before), pickGuardedFields(after))) {
        await assertMfaForAdministrator(tx, before, caller);
        await recordChange(tx, changes, after.userId);
      }
      await users.replace(after);
    },
    async delete(userId) {
      const user = await users.get(userId);
      if (user) await assertMfaForAdministrator(tx, user, caller);
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

function guardFactors(
  factors: TableWriter<'factors'>,
  { tx, caller, changes }: Deps & { readonly changes: AccountChanges },
): TableWriter<'factors'> {
  const beforeChange = async (factor: Factor | undefined) => {
    const user = factor && (await tx.users.get(factor.userId));
    if (!user) return;
    await assertMfaForAdministrator(tx, user, caller);
    await recordChange(tx, changes, user.userId);
  };
  return overrideTable(factors, {
    async insert(factor) {
      await beforeChange(factor);
      await factors.insert(factor);
    },
    async replace(factor) {
      await beforeChange(factor);
      await factors.replace(factor);
    },
    async delete(factorId) {
      await beforeChange(await factors.get(factorId));
      return factors.delete(factorId);
    },
  });
}
