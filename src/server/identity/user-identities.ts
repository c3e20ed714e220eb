/** What the operations on users share. */
import { apiError, fieldError } from '../../contract/errors.ts';
import type { Reader, Transaction } from '../store/store.ts';
import {
  customerKey,
  foldIdentifier,
  hasEmailForm,
  hasLinkForm,
  loginNames,
  type Membership,
  membershipKey,
  memberValue,
  type User,
} from '../store/tables.ts';
import { businessOf, isAdministrator } from './object-access.ts';
import { isClientItself, type Principal } from './principal.ts';
import { revokeUserAccess } from './revoke-user-access.ts';
import { retireSubjectId } from './subject-ids.ts';
import { listMemberIdentities } from './user-roles.ts';

/** @throws IamError USER_NOT_FOUND. */
export async function requireUser(reader: Pick<Reader, 'users'>, userId: string): Promise<User> {
  const user = await reader.users.get(userId);
  if (!user) throw apiError('USER_NOT_FOUND');
  return user;
}

/**
 * A name that a request gives: the form of a link is for outside accounts, and that of an e-mail address for the address
 * of the same request. Otherwise a stranger could register the name under which another one logs in.
 * @throws IamError USER_NAME_RESERVED.
 */
export function assertUserNameForm(userName: string, userEmail: string | null | undefined): void {
  if (hasLinkForm(userName)) throw fieldError('USER_NAME_RESERVED', 'userName', 'userName must not contain a colon.');
  if (hasEmailForm(userName) && foldIdentifier(userEmail ?? '') !== foldIdentifier(userName))
    throw fieldError(
      'USER_NAME_RESERVED',
      'userName',
      'userName has the form of an e-mail address, and is not the userEmail sent.',
    );
}

/** The user with a user name that was proven, whatever becomes of its e-mail address. */
export function withVerifiedName({ userNameProven: _before, ...user }: User): User {
  return hasEmailForm(user.userName) ? { ...user, userNameProven: true } : user;
}

/** Every name that would log this user in is free or its own already. @throws IamError LOGIN_NAME_TAKEN. */
export async function assertLoginNamesAvailable(tx: Transaction, user: User): Promise<void> {
  for (const name of loginNames(user)) {
    const existing = await tx.users.getBy('login', name);
    if (existing && existing.userId !== user.userId)
      throw apiError('LOGIN_NAME_TAKEN', `Another user logs in as ${JSON.stringify(name)}.`);
  }
}

/**
 * Who may say that a user is of this business: a proven first-party client, an administrator, or the business's own owner
 * or administrator. @throws IamError BUSINESS_NOT_ALLOWED, BUSINESS_UNKNOWN.
 */
export async function assertMayAssignBusiness(
  reader: Pick<Reader, 'businesses'>,
  businessId: string,
  caller: Principal,
): Promise<void> {
  const { roles } = caller;
  const own = businessOf(caller) === businessId && (roles.has('BUSINESSOWNER') || roles.has('BUSINESSADMIN'));
  const allowed =
    (roles.has('CLI-1STPARTY') && roles.has('CLI-AUTH-BASIC')) ||
    roles.has('ADMIN') ||
    roles.has('IAM_ADMIN_MAINTENANCE') ||
    own;
  if (!allowed) throw apiError('BUSINESS_NOT_ALLOWED');
  if (!(await reader.businesses.get(businessId))) throw apiError('BUSINESS_UNKNOWN');
}

/** Proven clients read every user; a user reads itself, and others as an administrator only. @throws IamError USER_NOT_FOUND. */
export function assertUserReadable(userId: string, caller: Principal): void {
  if (isClientItself(caller) || caller.user?.userId === userId || isAdministrator(caller)) return;
  throw apiError('USER_NOT_FOUND');
}

/** Takes the memberships away that a user has in the name of a business it is no longer of. */
export async function removeBusinessMemberships(tx: Transaction, user: User): Promise<void> {
  if (user.businessId === undefined) return;
  const pair = { kind: 'businessUser', memberId: user.userId, businessId: user.businessId } as const;
  await removeMemberships(tx, pair);
}

/**
 * Removes a user with all that is its own. Its ids are not used again. The row goes before the memberships, which tell
 * whether it is that of an administrator.
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

async function removeMemberships(
  tx: Transaction,
  member: Pick<Membership, 'kind' | 'memberId' | 'businessId'>,
): Promise<void> {
  for (const membership of await tx.memberships.find('member', memberValue(member)))
    await tx.memberships.delete(membershipKey(membership));
}
