/** Roles of a user: from its authentication level, its kind and its groups. */
import { isAdministrativeRole } from '../../contract/roles.ts';
import type { Reader } from '../store/store.ts';
import { type Membership, memberValue, type Session, type User } from '../store/tables.ts';
import { type AuthenticationLevel, rolesOfLevel } from './authentication-levels.ts';
import { resolveEffectiveRoles } from './group-roles.ts';

type RoleReader = Pick<Reader, 'groups' | 'memberships'>;

/** The memberships that apply to a user: its own, those of its business, and those it has as a user of its business. */
export function listMemberIdentities(
  user: Pick<User, 'userId' | 'businessId'>,
): Pick<Membership, 'kind' | 'memberId' | 'businessId'>[] {
  const own = { kind: 'user', memberId: user.userId } as const;
  if (user.businessId === undefined) return [own];
  return [
    own,
    { kind: 'business', memberId: user.businessId },
    { kind: 'businessUser', memberId: user.userId, businessId: user.businessId },
  ];
}

/** The ids of all groups that grant a user roles directly. */
async function listGroupIdsOfUser(
  reader: Pick<Reader, 'memberships'>,
  user: Pick<User, 'userId' | 'businessId'>,
): Promise<string[]> {
  const memberships = await reader.memberships.findMany('member', listMemberIdentities(user).map(memberValue));
  return [...new Set(memberships.map(({ groupId }) => groupId))];
}

/** The roles that a user gets from groups, regardless of its level. */
export async function resolveGroupRolesOfUser(
  reader: RoleReader,
  user: Pick<User, 'userId' | 'businessId'>,
): Promise<Set<string>> {
  return resolveEffectiveRoles(reader, await listGroupIdsOfUser(reader, user));
}

/** Every role of a user authenticated at this level. Below AUTH-IDENTIFIED it has none. */
export async function resolveUserRoles(
  reader: RoleReader,
  user: User,
  level: AuthenticationLevel,
): Promise<Set<string>> {
  return level === 'NONE' ? new Set() : combineUserRoles(user, level, await resolveGroupRolesOfUser(reader, user));
}

/** The same, with the roles that the user gets from groups. */
export function combineUserRoles(user: User, level: AuthenticationLevel, groupRoles: ReadonlySet<string>): Set<string> {
  if (level === 'NONE') return new Set();
  const kind = user.businessId === undefined ? 'PERSON' : 'BUSINESS';
  return new Set([...rolesOfLevel(level), ...(user.lead ? [] : ['USER']), kind, ...groupRoles]);
}

/** Whether the roles include an administrative one: ADMIN, or one of the IAM_ADMIN roles. */
export function isAdministrative(roles: ReadonlySet<string>): boolean {
  return [...roles].some(isAdministrativeRole);
}

/** The scope that lets a client see and use roles. */
export const rolesScope = 'roles';

/** Roles over a business, which no user hands to a third party. */
const businessRoles: readonly string[] = ['BUSINESSOWNER', 'BUSINESSADMIN'];

/**
 * In a session that a browser session started for a third-party client, and in those that derive from it: the level, and
 * with the scope `roles` also the kind and the group roles of the user, but none that administers. All roles in others.
 */
export function limitToConsent(roles: ReadonlySet<string>, { openid }: Pick<Session, 'openid'>): ReadonlySet<string> {
  if (openid?.isLimited === undefined) return roles;
  const hasRoles = tellsRoles({ openid });
  return new Set([...roles].filter((role) => isLevelRole(role) || (hasRoles && isDelegable(role))));
}

/** Whether tokens of the session tell what the user may do, and for which business. */
export function tellsRoles({ openid }: Pick<Session, 'openid'>): boolean {
  return openid?.isLimited === undefined || openid.scopes.includes(rolesScope);
}

function isLevelRole(role: string): boolean {
  return rolesOfLevel('AUTH-MFA').includes(role);
}

function isDelegable(role: string): boolean {
  return !isAdministrativeRole(role) && !businessRoles.includes(role);
}
