/** Access rules for individual objects, in addition to roles. A denied object is reported as not found unless noted otherwise. */
import { apiError, detailedError, type IamError } from '../../contract/errors.ts';
import { isAllowed, isIamAdministrativeRole, type RoleExpression } from '../../contract/roles.ts';
import type { Reader } from '../store/store.ts';
import { type Client, type Group, type Membership, membershipKey, type User } from '../store/tables.ts';
import { listGroupIdsOfMember, resolveEffectiveRoles } from './group-roles.ts';
import { explainMfaOfClients, hasMfa, isClientItself, type Principal } from './principal.ts';
import { isAdministrative, resolveGroupRolesOfUser } from './user-roles.ts';

type RoleReader = Pick<Reader, 'groups' | 'memberships'>;

/** Whether the caller has ADMIN or one of the IAM_ADMIN roles. */
export function isAdministrator(caller: Principal): boolean {
  return isAdministrative(caller.roles);
}

/**
 * Without IAM_ADMIN_MAINTENANCE a caller may add members only to groups whose roles it has all itself; otherwise it could
 * obtain any role through another user. @throws IamError GROUP_NOT_FOUND.
 */
export async function assertHoldsGroupRoles(reader: RoleReader, group: Group, caller: Principal): Promise<void> {
  if (caller.roles.has('IAM_ADMIN_MAINTENANCE')) return;
  const exceeding = await listExceedingRoles(reader, group, caller);
  if (exceeding.length === 0) return;
  const text = `The group exists, but grants roles that the caller lacks: ${exceeding.join(', ')}. Adding members to it requires IAM_ADMIN_MAINTENANCE.`;
  throw apiError('GROUP_NOT_FOUND').withReason({ text });
}

/** Roles of which one, besides the authentication levels, authorizes an operation on memberships. */
const qualifyingRoles = [
  'IAM_ADMIN_MAINTENANCE',
  'ADMIN',
  'BUSINESSOWNER',
  'BUSINESSADMIN',
  'PERSON',
  'CLI-AUTH-BASIC',
];

/** Whether the caller has this role, and it authorizes the operation without the other qualifying roles. */
function isQualifiedBy(role: string, admission: RoleExpression, caller: Principal): boolean {
  const others = qualifyingRoles.filter((name) => name !== role);
  return caller.roles.has(role) && !isAuthorizedOnlyBy(others, admission, caller);
}

interface MembershipRemoval {
  readonly admission: RoleExpression;
  readonly caller: Principal;
  /** Whether the caller owns the service, or the business is the caller's. */
  readonly owns: boolean;
}

/**
 * The memberships that a caller may end: with IAM_ADMIN_MAINTENANCE all; with ADMIN those in groups without an IAM_ADMIN
 * role; with BUSINESSOWNER or BUSINESSADMIN its own, and those in groups whose roles it has all itself; as an
 * authenticated client those in groups without administrative roles; as a person those of its services. To a caller
 * limited to its own objects, an inaccessible group without such a member is reported as not found.
 * @throws IamError GROUP_NOT_FOUND.
 */
export async function assertMembershipRemovable(
  reader: RoleReader,
  group: Group,
  membership: Membership,
  { admission, caller, owns }: MembershipRemoval,
): Promise<void> {
  const isQualified = (role: string) => isQualifiedBy(role, admission, caller);
  if (isQualified('IAM_ADMIN_MAINTENANCE')) return;
  const granted = await resolveEffectiveRoles(reader, [group.groupId]);
  if (isQualified('ADMIN') && ![...granted].some(isIamAdministrativeRole)) return;
  if (isQualified('CLI-AUTH-BASIC') && !isAdministrative(granted)) return;
  const asPerson = owns && isQualified('PERSON');
  const asBusiness = owns && (isQualified('BUSINESSOWNER') || isQualified('BUSINESSADMIN'));
  const exceeding = [...granted].filter((role) => !caller.roles.has(role)).sort();
  if (exceeding.length === 0 && (asPerson || asBusiness)) return;
  const isReached = asPerson || (asBusiness && isCallerItself(membership, caller));
  if (isReached && (await reader.memberships.get(membershipKey(membership)))) return;
  const text = `The group exists, but the caller may not end this membership. The roles of the group that the caller lacks: ${exceeding.join(', ') || 'none'}.`;
  throw apiError('GROUP_NOT_FOUND').withReason({ text });
}

/**
 * Removing a service ends its memberships; therefore a service with an IAM_ADMIN role from a group can be removed only
 * with IAM_ADMIN_MAINTENANCE. @throws IamError CLIENT_NOT_FOUND.
 */
export async function assertServiceRemovable(reader: RoleReader, client: Client, caller: Principal): Promise<void> {
  const { serviceAccountId: memberId } = client;
  if (memberId === undefined || caller.roles.has('IAM_ADMIN_MAINTENANCE')) return;
  const granted = await resolveEffectiveRoles(
    reader,
    await listGroupIdsOfMember(reader, { kind: 'service', memberId }),
  );
  if (![...granted].some(isIamAdministrativeRole)) return;
  const text = 'The client exists, but its service has an IAM_ADMIN role. Removing it requires IAM_ADMIN_MAINTENANCE.';
  throw apiError('CLIENT_NOT_FOUND').withReason({ text });
}

/** Whether the member is the calling user, or the service of the calling client. */
function isCallerItself({ kind, memberId }: Membership, caller: Principal): boolean {
  if (kind === 'service') return isClientItself(caller) && caller.client.serviceAccountId === memberId;
  return kind !== 'business' && caller.user?.userId === memberId;
}

/** The effective roles of a group that the caller does not have. */
async function listExceedingRoles(reader: RoleReader, group: Group, caller: Principal): Promise<string[]> {
  const granted = await resolveEffectiveRoles(reader, [group.groupId]);
  return [...granted].filter((role) => !caller.roles.has(role)).sort();
}

/**
 * Whether the caller is authorized only by these roles. Other roles of the caller do not widen the access that these
 * grant: a caller who may read everything as an auditor and owns one business can still write to that business only.
 */
function isAuthorizedOnlyBy(names: readonly string[], admission: RoleExpression, caller: Principal): boolean {
  const others = new Set([...caller.roles].filter((role) => !names.includes(role)));
  return !isAllowed(admission, { roles: others, scope: caller.scope });
}

const rolesOverOwnBusiness = ['BUSINESSOWNER', 'BUSINESSADMIN'];
const rolesOverOwnServices = ['BUSINESSOWNER', 'BUSINESSADMIN', 'PERSON'];

/**
 * A caller authorized as owner or administrator of a business may act on its own business only.
 * @throws IamError BUSINESS_NOT_FOUND.
 */
export function assertOwnBusiness(businessId: string, admission: RoleExpression, caller: Principal): void {
  if (isOwnBusiness(businessId, caller)) return;
  if (!isAuthorizedOnlyBy(rolesOverOwnBusiness, admission, caller)) return;
  const text = `The caller is authorized only by BUSINESSOWNER or BUSINESSADMIN, which are limited to its own business: ${businessOf(caller) ?? 'none'}.`;
  throw apiError('BUSINESS_NOT_FOUND').withReason({ text });
}

/** Whether the caller has no administrative role that grants access to services of others. */
export function isLimitedToOwnServices(admission: RoleExpression, caller: Principal): boolean {
  return isAuthorizedOnlyBy(rolesOverOwnServices, admission, caller);
}

/**
 * Without an administrative role a caller may act on its own services only; otherwise it could remove the roles of other
 * services, or grant them its own. `service` is undefined if it does not exist. @throws IamError SERVICE_NOT_FOUND.
 */
export function assertOwnService(service: Client | undefined, admission: RoleExpression, caller: Principal): void {
  if (service && isOwnClient(service, caller)) return;
  if (!isLimitedToOwnServices(admission, caller)) return;
  const text = service
    ? 'The service belongs to another owner, and the caller has no administrative role for it.'
    : 'Service not found.';
  throw apiError('SERVICE_NOT_FOUND').withReason({ text });
}

/**
 * Whether a client belongs to the caller, or is the calling client itself. The client that a user calls through does not
 * belong to that user.
 */
export function isOwnClient(client: Client, caller: Principal): boolean {
  return ownsClient(caller, client) || (isClientItself(caller) && client.clientId === caller.client.clientId);
}

/** Whether a client belongs to the caller: to its business, to its user or, for a client without user, to that client. */
export function ownsClient(caller: Principal, client: Client): boolean {
  if (client.businessId !== undefined && client.businessId === businessOf(caller)) return true;
  const userId = isClientItself(caller) ? caller.client.userId : caller.user?.userId;
  if (client.userId !== undefined && client.userId === userId) return true;
  return isClientItself(caller) && client.ownerClientId === caller.client.clientId;
}

export function isOwnBusiness(businessId: string, caller: Principal): boolean {
  return businessOf(caller) === businessId;
}

/** The business that the caller acts for: that of its user, else that of its client. */
export function businessOf(caller: Principal): string | undefined {
  return isClientItself(caller) ? caller.client.businessId : caller.user?.businessId;
}

/** The error for a caller that lacks a second factor; `message` says what requires it. */
export function mfaMissingError(caller: Principal | undefined, message: string): IamError {
  const text = `${message} ${caller ? explainMfaOfClients(caller) : ''}`.trimEnd();
  return detailedError('MFA_MISSING', { missingRoles: ['AUTH-MFA'] }, text);
}

/**
 * Changing the credentials, factors or lock of an administrator requires AUTH-MFA of the caller.
 * @throws IamError MFA_MISSING.
 */
export async function assertMfaForAdministrator(
  reader: RoleReader,
  user: User,
  caller: Principal | undefined,
): Promise<void> {
  if (hasMfa(caller) || !isAdministrative(await resolveGroupRolesOfUser(reader, user))) return;
  throw mfaMissingError(caller, 'The user is an administrator, so this request requires AUTH-MFA.');
}
