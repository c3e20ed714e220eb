/**
 * Effective roles of groups: their own roles and, transitively, those of the groups they depend on. They are cached by
 * the groups table, the only input: any change to a group invalidates them.
 */
import { createPause } from '../lib/event-loop-turns.ts';
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
): Promise<Map<string, Group>> {
  const groups = await reader.groups.reach('dependency', [...groupIds]);
  return new Map(groups.map((group) => [group.groupId, group]));
}

/** The effective roles of these groups together. */
export async function resolveEffectiveRoles(reader: GroupReader, groupIds: Iterable<string>): Promise<Set<string>> {
  const cache = reader.groups.tableCache(effectiveRoles);
  if (cache === undefined) return collectRoles(reader, groupIds);
  const all = new Set<string>();
  // One pause for all groups: many short traversals for one member would otherwise add up to one long turn.
  const pause = createPause(edgesPerTurn);
  for (const groupId of groupIds) {
    const roles = await readCachedRoles(reader, groupId, cache);
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
  cache: Map<string, ReadonlySet<string>>,
): Promise<ReadonlySet<string>> {
  const cached = cache.get(groupId);
  if (cached) return cached;
  const roles = await collectRoles(reader, [groupId]);
  // If groups changed in between, the result may mix both states: return it, but do not cache it.
  if (reader.groups.tableCache(effectiveRoles) === cache) cache.set(groupId, roles);
  return roles;
}

async function collectRoles(reader: GroupReader, groupIds: Iterable<string>): Promise<Set<string>> {
  const groups = await collectReachableGroups(reader, groupIds);
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
