/** Where effective roles come from: for each role, which of a member's groups give it. */
import { createPause, type Pause } from '../for-each-yielding.ts';
import type { Reader } from '../store/store.ts';
import type { Group, Membership } from '../store/tables.ts';
import { collectReachableGroups, edgesPerTurn, listGroupIdsOfMember } from './effective-roles.ts';

export interface RoleSource {
  readonly role: string;
  /** Names of groups that the member is in itself; a dependency that a group has the role from is not one of them. */
  readonly groupNames: string[];
}

/**
 * The roles that a member of these groups has, each with those of the groups that give it, themselves or by what they
 * depend on; all in the order of their names. `groups` holds, by id, all that can be reached. `isGiven` may leave out
 * roles of a group that the member does not get by it. A member of many groups that depend on many others has a turn of the
 * event loop for each few thousand of them.
 */
export async function collectRoleSources(
  groups: ReadonlyMap<string, Group>,
  memberOf: Iterable<string>,
  isGiven: (role: string, groupId: string) => boolean = () => true,
): Promise<RoleSource[]> {
  const namesByRole = new Map<string, Set<string>>();
  const pause = createPause(edgesPerTurn);
  for (const groupId of new Set(memberOf)) {
    const group = groups.get(groupId);
    const roles = group ? await collectGroupRoles(groups, group, pause) : [];
    for (const role of roles) if (isGiven(role, groupId)) addSource(namesByRole, role, group?.groupName ?? '');
  }
  const sources: RoleSource[] = [];
  for (const role of [...namesByRole.keys()].sort()) {
    const names = namesByRole.get(role) ?? new Set();
    await pause(names.size);
    sources.push({ role, groupNames: [...names].sort() });
  }
  return sources;
}

/** What these members, taken together, may do by their groups, and by which. Read afresh, so it is right after every change. */
export async function readRoleSources(
  reader: Pick<Reader, 'groups' | 'memberships'>,
  members: readonly Pick<Membership, 'kind' | 'memberId' | 'businessId'>[],
): Promise<RoleSource[]> {
  const memberOf = (await Promise.all(members.map((member) => listGroupIdsOfMember(reader, member)))).flat();
  return collectRoleSources(await collectReachableGroups(reader, memberOf), memberOf);
}

async function collectGroupRoles(groups: ReadonlyMap<string, Group>, start: Group, pause: Pause): Promise<Set<string>> {
  const seen = new Set([start.groupId]);
  const roles = new Set<string>();
  // The set grows while it is walked: a walk over a set comes by what is added to it.
  for (const groupId of seen) {
    const group = groups.get(groupId);
    const pausing = pause(1 + (group?.roles.length ?? 0) + (group?.dependencies.length ?? 0));
    if (pausing) await pausing;
    for (const role of group?.roles ?? []) roles.add(role);
    for (const dependency of group?.dependencies ?? []) seen.add(dependency);
  }
  return roles;
}

function addSource(namesByRole: Map<string, Set<string>>, role: string, groupName: string): void {
  const names = namesByRole.get(role) ?? new Set();
  namesByRole.set(role, names.add(groupName));
}
