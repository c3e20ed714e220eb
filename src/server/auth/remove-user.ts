/** Removes users. */

import { retireSubjectId } from '../directory/subject-ids.ts';
import { listMemberIdentities } from '../directory/user-roles.ts';
import type { Transaction } from '../store/store.ts';
import { customerKey, type User } from '../store/tables.ts';
import { removeMemberships } from '../users/users.ts';
import { revokeUserAccess } from './revoke-user-access.ts';

/**
 * Removes a user with all its data. Its ids are not reused. The row is deleted before the memberships, because these
 * determine whether the user is an administrator.
 */
export async function removeUser(tx: Transaction, user: User): Promise<void> {
  await revokeUserAccess(tx, user.userId);
  await tx.users.delete(user.userId);
  for (const member of listMemberIdentities(user)) if (member.kind !== 'business') await removeMemberships(tx, member);
  for (const { factorId } of await tx.factors.find('userId', user.userId)) await tx.factors.delete(factorId);
  for (const { deviceKey } of await tx.devices.find('userId', user.userId)) await tx.devices.delete(deviceKey);
  const customer = await tx.customers.getBy('userId', user.userId);
  if (customer) await tx.customers.delete(customerKey(customer.customerId));
  await retireSubjectId(tx, user.userId);
}
