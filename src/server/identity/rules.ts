/** Rules about the objects of a call, beside its roles. What they refuse is answered as if it were not there, unless said otherwise. */
import { fault } from '../../contract/errors.ts';
import type { Reader } from '../store/store.ts';
import type { Group, User } from '../store/tables.ts';
import { effectiveRoles } from './effective-roles.ts';
import type { Principal } from './principal.ts';
import { groupRolesOfUser, isAdministrative } from './users.ts';

type RoleReader = Pick<Reader, 'groups' | 'memberships'>;

/** Whether the caller holds ADMIN or one of the IAM_ADMIN roles. */
export function isAdministrator(caller: Principal): boolean {
  return isAdministrative(caller.roles);
}

/**
 * Nobody adds to a group what he does not hold himself, unless he maintains the service: whoever could would give himself
 * any role through a friend. @throws IamError GROUP_NOT_FOUND.
 */
export async function requireHeldRoles(reader: RoleReader, group: Group, caller: Principal): Promise<void> {
  if (caller.roles.has('IAM_ADMIN_MAINTENANCE')) return;
  const given = await effectiveRoles(reader, [group.groupId]);
  if ([...given].some((role) => !caller.roles.has(role))) throw fault('GROUP_NOT_FOUND');
}

/** Whether the caller is let in as owner or administrator of a business only, and so acts on its own business only. */
export function actsForOwnBusinessOnly(caller: Principal): boolean {
  return !isAdministrator(caller) && (caller.roles.has('BUSINESSOWNER') || caller.roles.has('BUSINESSADMIN'));
}

/** The business in whose name the caller acts: its user's, else its client's. */
export function businessOf(caller: Principal): string | undefined {
  return caller.user ? caller.user.businessId : caller.client.businessId;
}

/**
 * What lets somebody in, or keeps him out, is changed for an administrator only by a caller with a second proof.
 * @throws IamError MFA_MISSING.
 */
export async function requireProofFor(reader: RoleReader, user: User, caller: Principal): Promise<void> {
  if (caller.roles.has('AUTH-MFA')) return;
  if (isAdministrative(await groupRolesOfUser(reader, user))) throw fault('MFA_MISSING');
}
