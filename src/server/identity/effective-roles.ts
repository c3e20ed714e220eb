/**
 * Which roles groups give: their own and, transitively, those of the groups they depend on. What a group gives is kept
 * with the stamp of the table of groups, which is all that it depends on: after any change to a group it is worked out anew.
 */
import { createPause, type Pause } from '../for-each-yielding.ts';
import type { Reader } from '../store/store.ts';
import { type Group, type Membership, memberValue } from '../store/tables.ts';

type GroupReader = Pick<Reader, 'groups'>;

/** So many dependencies are followed in one turn of the event loop. */
export const edgesPerTurn = 5_000;

/** All groups reached from these ids by dependencies, the first ones included. Ids of groups that are gone are passed over. */
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
  const stamp = reader.groups.stamp();
  if (stamp === undefined) return collectRoles(reader, groupIds);
  const all = new Set<string>();
  // One for all groups: a member of many would otherwise hold the turn with as many walks that are short by themselves.
  const pause = createPause(edgesPerTurn);
  for (const groupId of groupIds) {
    const roles = await readCachedRoles(reader, groupId, { stamp, pause });
    const pausing = pause(roles.size);
    if (pausing) await pausing;
    for (const role of roles) all.add(role);
  }
  return all;
}

/** By stamp and group. A stamp that nobody holds any more takes what was kept with it along. */
const rolesByStamp = new WeakMap<object, Map<string, ReadonlySet<string>>>();

async function readCachedRoles(
  reader: GroupReader,
  groupId: string,
  { stamp, pause }: { readonly stamp: object; readonly pause: Pause },
): Promise<ReadonlySet<string>> {
  const known = rolesByStamp.get(stamp) ?? new Map<string, ReadonlySet<string>>();
  rolesByStamp.set(stamp, known);
  const before = known.get(groupId);
  if (before) return before;
  const roles = await collectRoles(reader, [groupId], pause);
  // Half of it may come from before a change and half from after: such a thing is answered once, and not kept.
  if (reader.groups.stamp() === stamp) known.set(groupId, roles);
  return roles;
}

async function collectRoles(reader: GroupReader, groupIds: Iterable<string>, pause?: Pause): Promise<Set<string>> {
  const groups = await collectReachableGroups(reader, groupIds, pause);
  return new Set([...groups.values()].flatMap((group) => group.roles));
}

/** The ids of the groups that one member (a user, a business, a pair of both, a service) is in directly. */
export async function listGroupIdsOfMember(
  reader: Pick<Reader, 'memberships'>,
  member: Pick<Membership, 'kind' | 'memberId' | 'businessId'>,
): Promise<string[]> {
  const memberships = await reader.memberships.find('member', memberValue(member));
  return memberships.map((membership) => membership.groupId);
}

/** All groups that have these roles through their dependencies: the way up, from a group to those that depend on it. */
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
