/**
 * Effective roles of groups: their own roles and, transitively, those of the groups they depend on. They are cached by
 * the groups table, the only input: any change to a group invalidates them.
 */
import { createPause, type Pause } from '../lib/for-each-yielding.ts';
import type { Derivation } from '../store/derived-values.ts';
import type { Reader } from '../store/store.ts';
import { type Group, type Membership, memberValue } from '../store/tables.ts';

type GroupReader = Pick<Reader, 'groups'>;

/** Dependencies followed in one turn of the event loop. */
export const edgesPerTurn = 5_000;

/** All groups reachable from these ids through dependencies, including the groups themselves. Skips ids of deleted groups. */
export async function collectReachableGroups(
  reader: GroupReader,
  groupIds: Iterable<string>,
  pause: Pause = createPause(edgesPerTurn),
): Promise<Map<string, Group>> {
  const reached = new Map<string, Group>();
  const open = [...groupIds];
  for (let groupId = open.pop(); groupId !== undefined; groupId = open.pop()) {
    const pausing = pause();
    if (pausing) await pausing;
    if (reached.has(groupId)) continue;
    const group = await reader.groups.get(groupId);
    if (!group) continue;
    reached.set(groupId, group);
    open.push(...group.dependencies);
  }
  return reached;
}

/** The effective roles of these groups together. */
export async function resolveEffectiveRoles(reader: GroupReader, groupIds: Iterable<string>): Promise<Set<string>> {
  const cache = reader.groups.tableCache(effectiveRoles);
  if (cache === undefined) return collectRoles(reader, groupIds);
  const all = new Set<string>();
  // One pause for all groups: many short traversals for one member would otherwise add up to one long turn.
  const pause = createPause(edgesPerTurn);
  for (const groupId of groupIds) {
    const roles = await readCachedRoles(reader, groupId, { cache, pause });
    const pausing = pause(roles.size);
    if (pausing) await pausing;
    for (const role of roles) all.add(role);
  }
  return all;
}

/** By the id of the group. */
const effectiveRoles: Derivation<ReadonlySet<string>> = { name: 'effective roles' };

async function readCachedRoles(
  reader: GroupReader,
  groupId: string,
  { cache, pause }: { readonly cache: Map<string, ReadonlySet<string>>; readonly pause: Pause },
): Promise<ReadonlySet<string>> {
  const cached = cache.get(groupId);
  if (cached) return cached;
  const roles = await collectRoles(reader, [groupId], pause);
  // If groups changed in between, the result may mix both states: return it, but do not cache it.
  if (reader.groups.tableCache(effectiveRoles) === cache) cache.set(groupId, roles);
  return roles;
}

async function collectRoles(reader: GroupReader, groupIds: Iterable<string>, pause?: Pause): Promise<Set<string>> {
  const groups = await collectReachableGroups(reader, groupIds, pause);
  return new Set([...groups.values()].flatMap((group) => group.roles));
}

/** The ids of the groups that a member (a user, a business, a user of a business, a service) belongs to directly. */
export async function listGroupIdsOfMember(
  reader: Pick<Reader, 'memberships'>,
  member: Pick<Membership, 'kind' | 'memberId' | 'businessId'>,
): Promise<string[]> {
  const memberships = await reader.memberships.find('member', memberValue(member));
  return memberships.map((membership) => membership.groupId);
}

/** All groups that get the roles of these groups through dependencies: traverses from a group to those that depend on it. */
export async function collectDependentGroupIds(reader: GroupReader, groupIds: Iterable<string>): Promise<Set<string>> {
  const reached = new Set<string>();
  const open = [...groupIds];
  const pause = createPause(edgesPerTurn);
  for (let groupId = open.pop(); groupId !== undefined; groupId = open.pop()) {
    const pausing = pause();
    if (pausing) await pausing;
    if (reached.has(groupId)) continue;
    reached.add(groupId);
    const dependents = await reader.groups.find('dependency', groupId);
    open.push(...dependents.map((group) => group.groupId));
  }
  return reached;
}
