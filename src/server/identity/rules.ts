/** Rules about the objects of a call, beside its roles. What they refuse is answered as if it were not there, unless said otherwise. */
import { fault } from '../../contract/errors.ts';
import { allows, type RoleExpression } from '../../contract/roles.ts';
import type { Reader } from '../store/store.ts';
import { type Client, type Group, type Membership, membershipKey, type User } from '../store/tables.ts';
import { effectiveRoles } from './effective-roles.ts';
import { isClientItself, type Principal } from './principal.ts';
import { because } from './reasons.ts';
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
  const beyond = await rolesBeyond(reader, group, caller);
  if (beyond.length === 0) return;
  const text = `The group is there, but gives what the caller does not hold himself: ${beyond.join(', ')}. IAM_ADMIN_MAINTENANCE may give it all the same.`;
  throw because(fault('GROUP_NOT_FOUND'), { text });
}

/**
 * Who looks after his own alone and asks to end a membership that is not there learns nothing of a group that he could
 * add nothing to: he could else find out which groups there are. Administrators list them all anyway.
 * @throws IamError GROUP_NOT_FOUND.
 */
export async function requireKnownGroup(
  reader: RoleReader,
  group: Group,
  membership: Membership,
  caller: Principal,
): Promise<void> {
  if (isAdministrator(caller) || (await reader.memberships.get(membershipKey(membership)))) return;
  const beyond = await rolesBeyond(reader, group, caller);
  if (beyond.length === 0) return;
  const text = `The group is there, but has no such member, and gives what the caller does not hold himself: ${beyond.join(', ')}.`;
  throw because(fault('GROUP_NOT_FOUND'), { text });
}

/** What a group gives, and the caller does not hold himself. */
async function rolesBeyond(reader: RoleReader, group: Group, caller: Principal): Promise<string[]> {
  const given = await effectiveRoles(reader, [group.groupId]);
  return [...given].filter((role) => !caller.roles.has(role)).sort();
}

/**
 * Whether it is these roles alone that let the caller in. What else the caller holds widens nothing that it does not open
 * by itself: who reads everything as an auditor and owns one business still writes to that one only.
 */
export function admittedOnlyBy(names: readonly string[], admission: RoleExpression, caller: Principal): boolean {
  const others = new Set([...caller.roles].filter((role) => !names.includes(role)));
  return !allows(admission, { roles: others, scope: caller.scope });
}

const rolesOverOwnBusiness = ['BUSINESSOWNER', 'BUSINESSADMIN'];
const rolesOverOwnServices = ['BUSINESSOWNER', 'BUSINESSADMIN', 'PERSON'];

/**
 * Who is let in as owner or administrator of a business acts on its own one, or could rule over every other.
 * @throws IamError BUSINESS_NOT_FOUND.
 */
export function requireOwnBusiness(businessId: string, admission: RoleExpression, caller: Principal): void {
  if (businessOf(caller) === businessId) return;
  if (!admittedOnlyBy(rolesOverOwnBusiness, admission, caller)) return;
  const text = `Only BUSINESSOWNER or BUSINESSADMIN let the caller in, and those reach his own business alone: ${businessOf(caller) ?? 'he has none'}.`;
  throw because(fault('BUSINESS_NOT_FOUND'), { text });
}

/**
 * Without an administrative role somebody acts on its own services: anybody could else strip those of others, or have
 * them do what he may. Undefined, for one that is not there, is nobody's own. @throws IamError SERVICE_NOT_FOUND.
 */
export function requireOwnService(service: Client | undefined, admission: RoleExpression, caller: Principal): void {
  if (service && isOwnClient(service, caller)) return;
  if (!admittedOnlyBy(rolesOverOwnServices, admission, caller)) return;
  const text = service
    ? 'The service is there, but belongs to somebody else, and the caller has no administrative role that reaches it.'
    : 'There is no such service.';
  throw because(fault('SERVICE_NOT_FOUND'), { text });
}

/**
 * Whether a client belongs to the caller, or is the calling client itself. The client that a user happens to call
 * through is not the user's.
 */
export function isOwnClient(client: Client, caller: Principal): boolean {
  return ownsClient(caller, client) || (isClientItself(caller) && client.clientId === caller.client.clientId);
}

/** Whether a client belongs to the caller: to its business, to its user or, where no user calls, to the calling client. */
export function ownsClient(caller: Principal, client: Client): boolean {
  if (client.businessId !== undefined && client.businessId === businessOf(caller)) return true;
  const userId = isClientItself(caller) ? caller.client.userId : caller.user?.userId;
  if (client.userId !== undefined && client.userId === userId) return true;
  return isClientItself(caller) && client.ownerClientId === caller.client.clientId;
}

/**
 * What every proven first-party client may do to a group ends where the group makes administrators: any of them could
 * else put all administrators out. @throws IamError GROUP_NOT_FOUND.
 */
export async function requireReachedGroup(
  reader: RoleReader,
  group: Group,
  admission: RoleExpression,
  caller: Principal,
): Promise<void> {
  if (!admittedOnlyBy(['CLI-AUTH-BASIC'], admission, caller)) return;
  if (!isAdministrative(await effectiveRoles(reader, [group.groupId]))) return;
  const text = 'The group is there, but makes administrators: only administrators reach it.';
  throw because(fault('GROUP_NOT_FOUND'), { text });
}

/** The business in whose name the caller acts: its user's, else its client's. */
export function businessOf(caller: Principal): string | undefined {
  return isClientItself(caller) ? caller.client.businessId : caller.user?.businessId;
}

/**
 * What lets somebody in, or keeps him out, is changed for an administrator only by a caller with a second proof.
 * @throws IamError MFA_MISSING.
 */
export async function requireProofFor(reader: RoleReader, user: User, caller: Principal): Promise<void> {
  if (caller.roles.has('AUTH-MFA')) return;
  if (isAdministrative(await groupRolesOfUser(reader, user))) throw fault('MFA_MISSING');
}
