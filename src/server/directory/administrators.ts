/** Guarantees that at least one user who can sign in has IAM_ADMIN_MAINTENANCE. */
import { apiError } from '../../contract/errors.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { loginNames, type Membership, type User } from '../store/tables.ts';
import { collectDependentGroupIds } from './effective-roles.ts';

const administratorRole = 'IAM_ADMIN_MAINTENANCE';

/** Whether a user has a login name and a password, and is not locked. */
export function canSignIn(user: User): boolean {
  return !user.locked && user.passwordHash !== undefined && loginNames(user).length > 0;
}

/** Whether at least one user who can sign in effectively has IAM_ADMIN_MAINTENANCE. Clients do not count. */
export async function hasAdministrator(reader: Reader): Promise<boolean> {
  const granting = await reader.groups.find('role', administratorRole);
  const groupIds = await collectDependentGroupIds(
    reader,
    granting.map((group) => group.groupId),
  );
  for (const groupId of groupIds) {
    for (const membership of await reader.memberships.find('group', groupId)) {
      if (await grantsAdministrator(reader, membership)) return true;
    }
  }
  return false;
}

async function grantsAdministrator(reader: Reader, membership: Membership): Promise<boolean> {
  if (membership.kind === 'service') return false;
  if (membership.kind === 'business') {
    const users = await reader.users.find('businessId', membership.memberId);
    return users.some(canSignIn);
  }
  const user = await reader.users.get(membership.memberId);
  if (!user || !canSignIn(user)) return false;
  return membership.kind === 'user' || user.businessId === membership.businessId;
}

/**
 * Runs a change and rejects it if it removes the last administrator. If there was no administrator before, the change
 * is accepted.
 * @throws IamError LAST_ADMINISTRATOR; the transaction is then rolled back.
 */
export async function withAdministratorCheck<Result>(tx: Transaction, change: () => Promise<Result>): Promise<Result> {
  const before = await hasAdministrator(tx);
  const result = await change();
  if (before && !(await hasAdministrator(tx))) throw apiError('LAST_ADMINISTRATOR');
  return result;
}
