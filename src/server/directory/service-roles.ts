/**
 * Authorities of a client acting for itself. A service of a user or a business has no role that its owner has lost: a
 * membership that was created without an administrative role is delegated, and grants only roles that the owner has at
 * the time of the check. Memberships created by administrators and seeds grant every role of their group.
 */
import type { Derivation } from '../store/derived-values.ts';
import type { Reader } from '../store/store.ts';
import { type Client, memberValue } from '../store/tables.ts';
import { collectReachableGroups, resolveEffectiveRoles } from './group-roles.ts';
import { collectRoleSources, type RoleSource } from './role-provenance.ts';
import { resolveGroupRolesOfUser } from './user-roles.ts';

type RoleReader = Pick<Reader, 'groups' | 'memberships' | 'users' | 'clients'>;

/** The authorities of the client itself: its assigned ones and, with a service account, the roles of its groups. */
export async function resolveClientAuthorities(reader: RoleReader, client: Client): Promise<Set<string>> {
  if (client.serviceAccountId === undefined) return new Set(client.authorities);
  const { granted, delegated } = await listGroupsOfService(reader, client.serviceAccountId);
  const roles = new Set([...client.authorities, 'AUTH-BASIC', ...(await resolveEffectiveRoles(reader, granted))]);
  if (delegated.length === 0) return roles;
  const ownerRoles = await resolveOwnerRoles(reader, client);
  for (const role of await resolveEffectiveRoles(reader, delegated))
    if (!ownerRoles || ownerRoles.has(role)) roles.add(role);
  return roles;
}

/** The roles that a service gets from groups, each with these groups. */
export async function readServiceRoleSources(reader: RoleReader, client: Client): Promise<RoleSource[]> {
  const { granted, delegated } = await listGroupsOfService(reader, client.serviceAccountId ?? '');
  const ownerRoles = delegated.length === 0 ? undefined : await resolveOwnerRoles(reader, client);
  const isGranted = (role: string, groupId: string) =>
    !ownerRoles || ownerRoles.has(role) || !delegated.includes(groupId);
  const memberOf = [...granted, ...delegated];
  return collectRoleSources(await collectReachableGroups(reader, memberOf), memberOf, isGranted);
}

/** The groups of a service, separated by kind of membership. */
async function listGroupsOfService(reader: Pick<Reader, 'memberships'>, memberId: string) {
  const memberships = await reader.memberships.find('member', memberValue({ kind: 'service', memberId }));
  const idsOf = (isDelegated: boolean) =>
    memberships.filter(({ delegated = false }) => delegated === isDelegated).map(({ groupId }) => groupId);
  return { granted: idsOf(false), delegated: idsOf(true) };
}

/** The roles that the owner of a client gets from groups; undefined if the client has no owner. */
async function resolveOwnerRoles(reader: RoleReader, client: Client): Promise<ReadonlySet<string> | undefined> {
  const { userId, businessId, ownerClientId } = client;
  if (userId === undefined && businessId === undefined && ownerClientId === undefined) return undefined;
  const user = userId === undefined ? undefined : await reader.users.get(userId);
  const owner = ownerClientId === undefined ? undefined : await reader.clients.get(ownerClientId);
  return new Set([
    ...(user ? await resolveGroupRolesOfUser(reader, user) : []),
    ...(businessId === undefined ? [] : await resolveBusinessRoles(reader, businessId)),
    ...(owner ? await resolveClientAuthorities(reader, owner) : []),
  ]);
}

/** The roles that a business holds: of its groups, and of memberships of its users on its behalf. */
export async function resolveBusinessRoles(
  reader: Pick<Reader, 'groups' | 'memberships'>,
  businessId: string,
): Promise<Set<string>> {
  return resolveEffectiveRoles(reader, await listGroupsOfBusiness(reader, businessId));
}

/** By the id of the business. Cached because a business may have many users, and its services send many requests. */
const groupsOfBusiness: Derivation<readonly string[]> = { name: 'groups of a business' };

/** The groups of a business: its own, and those of memberships of users of the business. */
async function listGroupsOfBusiness(
  reader: Pick<Reader, 'memberships'>,
  businessId: string,
): Promise<readonly string[]> {
  const cache = reader.memberships.tableCache(groupsOfBusiness);
  const cached = cache?.get(businessId);
  if (cached) return cached;
  const own = await reader.memberships.find('member', memberValue({ kind: 'business', memberId: businessId }));
  const pairs = await reader.memberships.find('business', businessId);
  const groupIds = [...new Set([...own, ...pairs].map(({ groupId }) => groupId))];
  // If memberships changed in between, the result may mix both states: use it, but do not cache it.
  if (reader.memberships.tableCache(groupsOfBusiness) === cache) cache?.set(businessId, groupIds);
  return groupIds;
}
