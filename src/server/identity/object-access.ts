/** Rules about the objects of a call, beside its roles. What they refuse is answered as if it were not there, unless said otherwise. */
import { apiError, detailedError } from '../../contract/errors.ts';
import { isAllowed, isIamAdministrativeRole, type RoleExpression } from '../../contract/roles.ts';
import type { Reader } from '../store/store.ts';
import { type Client, type Group, type Membership, membershipKey, type User } from '../store/tables.ts';
import { listGroupIdsOfMember, resolveEffectiveRoles } from './effective-roles.ts';
import { withReason } from './error-reasons.ts';
import { isClientItself, type Principal } from './principal.ts';
import { isAdministrative, resolveGroupRolesOfUser } from './user-roles.ts';

type RoleReader = Pick<Reader, 'groups' | 'memberships'>;

/** Whether the caller holds ADMIN or one of the IAM_ADMIN roles. */
export function isAdministrator(caller: Principal): boolean {
  return isAdministrative(caller.roles);
}

/**
 * Without IAM_ADMIN_MAINTENANCE a caller adds only to groups all of whose roles it holds itself: it could otherwise give
 * itself any role through another user. @throws IamError GROUP_NOT_FOUND.
 */
export async function assertHoldsGroupRoles(reader: RoleReader, group: Group, caller: Principal): Promise<void> {
  if (caller.roles.has('IAM_ADMIN_MAINTENANCE')) return;
  const exceeding = await listExceedingRoles(reader, group, caller);
  if (exceeding.length === 0) return;
  const text = `The group exists, but gives roles that the caller does not hold itself: ${exceeding.join(', ')}. With IAM_ADMIN_MAINTENANCE it could add to it.`;
  throw withReason(apiError('GROUP_NOT_FOUND'), { text });
}

/** Roles of which one, beside the levels of authentication, admits to an operation on memberships. */
const qualifyingRoles = [
  'IAM_ADMIN_MAINTENANCE',
  'ADMIN',
  'BUSINESSOWNER',
  'BUSINESSADMIN',
  'PERSON',
  'CLI-AUTH-BASIC',
];

/** Whether the caller holds this role, and it admits to the operation without the other qualifying ones. */
function isQualifiedBy(role: string, admission: RoleExpression, caller: Principal): boolean {
  const others = qualifyingRoles.filter((name) => name !== role);
  return caller.roles.has(role) && !isAdmittedOnlyBy(others, admission, caller);
}

interface MembershipRemoval {
  readonly admission: RoleExpression;
  readonly caller: Principal;
  /** Whether the service belongs to the caller, or the business is the caller's own. */
  readonly owns: boolean;
}

/**
 * Which memberships a caller may end: with IAM_ADMIN_MAINTENANCE all; with ADMIN those in groups without an IAM_ADMIN
 * role; with BUSINESSOWNER or BUSINESSADMIN its own, and those in groups all of whose roles it holds; as a proven client
 * those in groups that make no administrators; as a person those of its own services. To a caller that looks after its
 * own only, a group out of its reach without such a member is not there. @throws IamError GROUP_NOT_FOUND.
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
  throw withReason(apiError('GROUP_NOT_FOUND'), { text });
}

/**
 * The removal of a service ends its memberships, so without IAM_ADMIN_MAINTENANCE a caller does not reach a service that
 * a group gives an IAM_ADMIN role. @throws IamError CLIENT_NOT_FOUND.
 */
export async function assertServiceRemovable(reader: RoleReader, client: Client, caller: Principal): Promise<void> {
  const { serviceAccountId: memberId } = client;
  if (memberId === undefined || caller.roles.has('IAM_ADMIN_MAINTENANCE')) return;
  const granted = await resolveEffectiveRoles(
    reader,
    await listGroupIdsOfMember(reader, { kind: 'service', memberId }),
  );
  if (![...granted].some(isIamAdministrativeRole)) return;
  const text = 'The client exists, but a group gives its service an IAM_ADMIN role: that takes IAM_ADMIN_MAINTENANCE.';
  throw withReason(apiError('CLIENT_NOT_FOUND'), { text });
}

/** Whether a membership is that of the calling user, or of the service that the calling client is. */
function isCallerItself({ kind, memberId }: Membership, caller: Principal): boolean {
  if (kind === 'service') return isClientItself(caller) && caller.client.serviceAccountId === memberId;
  return kind !== 'business' && caller.user?.userId === memberId;
}

/** What a group gives, and the caller does not hold itself. */
async function listExceedingRoles(reader: RoleReader, group: Group, caller: Principal): Promise<string[]> {
  const granted = await resolveEffectiveRoles(reader, [group.groupId]);
  return [...granted].filter((role) => !caller.roles.has(role)).sort();
}

/**
 * Whether it is these roles alone that let the caller in. What else the caller holds widens nothing that it does not open
 * by itself: who reads everything as an auditor and owns one business still writes to that one only.
 */
export function isAdmittedOnlyBy(names: readonly string[], admission: RoleExpression, caller: Principal): boolean {
  const others = new Set([...caller.roles].filter((role) => !names.includes(role)));
  return !isAllowed(admission, { roles: others, scope: caller.scope });
}

const rolesOverOwnBusiness = ['BUSINESSOWNER', 'BUSINESSADMIN'];
const rolesOverOwnServices = ['BUSINESSOWNER', 'BUSINESSADMIN', 'PERSON'];

/**
 * Who is let in as owner or administrator of a business acts on its own one, or could rule over every other.
 * @throws IamError BUSINESS_NOT_FOUND.
 */
export function assertOwnBusiness(businessId: string, admission: RoleExpression, caller: Principal): void {
  if (isOwnBusiness(businessId, caller)) return;
  if (!isAdmittedOnlyBy(rolesOverOwnBusiness, admission, caller)) return;
  const text = `Only BUSINESSOWNER or BUSINESSADMIN let the caller in, and those reach his own business alone: ${businessOf(caller) ?? 'he has none'}.`;
  throw withReason(apiError('BUSINESS_NOT_FOUND'), { text });
}

/** Whether the caller has no administrative role that lets it reach services other than its own. */
export function isLimitedToOwnServices(admission: RoleExpression, caller: Principal): boolean {
  return isAdmittedOnlyBy(rolesOverOwnServices, admission, caller);
}

/**
 * Without an administrative role a caller acts on its own services: it could otherwise strip those of others, or grant
 * them what it holds. `service` is undefined where there is none. @throws IamError SERVICE_NOT_FOUND.
 */
export function assertOwnService(service: Client | undefined, admission: RoleExpression, caller: Principal): void {
  if (service && isOwnClient(service, caller)) return;
  if (!isLimitedToOwnServices(admission, caller)) return;
  const text = service
    ? 'The service exists, but belongs to another owner, and the caller has no administrative role that reaches it.'
    : 'Service not found.';
  throw withReason(apiError('SERVICE_NOT_FOUND'), { text });
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

/** Whether the caller acts in the name of this business. */
export function isOwnBusiness(businessId: string, caller: Principal): boolean {
  return businessOf(caller) === businessId;
}

/** The business in whose name the caller acts: its user's, else its client's. */
export function businessOf(caller: Principal): string | undefined {
  return isClientItself(caller) ? caller.client.businessId : caller.user?.businessId;
}

/**
 * What lets somebody in, or keeps him out, is changed for an administrator only by a caller with a second proof.
 * @throws IamError MFA_MISSING.
 */
export async function assertMfaForAdministrator(reader: RoleReader, user: User, caller: Principal): Promise<void> {
  if (caller.roles.has('AUTH-MFA')) return;
  if (isAdministrative(await resolveGroupRolesOfUser(reader, user)))
    throw detailedError('MFA_MISSING', { missingRoles: ['AUTH-MFA'] });
}
