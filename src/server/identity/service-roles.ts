/**
 * What a client may do by itself. A service of a user or a business has no role that its owner lost: a membership that
 * was made without an administrative role is delegated, and gives only what the owner holds at the moment of the check.
 * Memberships that administrators and seeds made give every role of their group.
 */
import type { Reader } from '../store/store.ts';
import { type Client, memberValue } from '../store/tables.ts';
import { collectReachableGroups, resolveEffectiveRoles } from './effective-roles.ts';
import { collectRoleSources, type RoleSource } from './role-provenance.ts';
import { resolveGroupRolesOfUser } from './user-roles.ts';

type RoleReader = Pick<Reader, 'groups' | 'memberships' | 'users' | 'clients'>;

/** The authorities that belong to the client itself: given ones, and with a service account those of its groups. */
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

/** The roles that groups give a service, each with the groups that give it. */
export async function readServiceRoleSources(reader: RoleReader, client: Client): Promise<RoleSource[]> {
  const { granted, delegated } = await listGroupsOfService(reader, client.serviceAccountId ?? '');
  const ownerRoles = delegated.length === 0 ? undefined : await resolveOwnerRoles(reader, client);
  const isGiven = (role: string, groupId: string) =>
    !ownerRoles || ownerRoles.has(role) || !delegated.includes(groupId);
  const memberOf = [...granted, ...delegated];
  return collectRoleSources(await collectReachableGroups(reader, memberOf), memberOf, isGiven);
}

/** The groups of a service, parted by who made the membership. */
async function listGroupsOfService(reader: Pick<Reader, 'memberships'>, memberId: string) {
  const memberships = await reader.memberships.find('member', memberValue({ kind: 'service', memberId }));
  const idsOf = (isDelegated: boolean) =>
    memberships.filter(({ delegated = false }) => delegated === isDelegated).map(({ groupId }) => groupId);
  return { granted: idsOf(false), delegated: idsOf(true) };
}

/** What the owner of a client holds by its groups; undefined where the client has no owner. */
async function resolveOwnerRoles(reader: RoleReader, client: Client): Promise<ReadonlySet<string> | undefined> {
  const { userId, businessId, ownerClientId } = client;
  if (userId === undefined && businessId === undefined && ownerClientId === undefined) return undefined;
  const user = userId === undefined ? undefined : await reader.users.get(userId);
  const owner = ownerClientId === undefined ? undefined : await reader.clients.get(ownerClientId);
  return new Set([
    ...(user ? await resolveGroupRolesOfUser(reader, user) : []),
    ...(businessId === undefined
      ? []
      : await resolveEffectiveRoles(reader, await listGroupsOfBusiness(reader, businessId))),
    ...(owner ? await resolveClientAuthorities(reader, owner) : []),
  ]);
}

/** By the stamp of the memberships: a business may have many users, and its services call often. */
const groupsByBusiness = new WeakMap<object, Map<string, readonly string[]>>();

/** The groups that a business is in, itself and by the pair memberships of its users. */
async function listGroupsOfBusiness(
  reader: Pick<Reader, 'memberships'>,
  businessId: string,
): Promise<readonly string[]> {
  const stamp = reader.memberships.stamp();
  const cached = stamp && groupsByBusiness.get(stamp)?.get(businessId);
  if (cached) return cached;
  const own = await reader.memberships.find('member', memberValue({ kind: 'business', memberId: businessId }));
  const pairs = await reader.memberships.find('business', businessId);
  const groupIds = [...new Set([...own, ...pairs].map(({ groupId }) => groupId))];
  // Read while the memberships changed, it may mix two states: used once, and not kept.
  if (stamp && reader.memberships.stamp() === stamp)
    groupsByBusiness.set(stamp, (groupsByBusiness.get(stamp) ?? new Map()).set(businessId, groupIds));
  return groupIds;
}
