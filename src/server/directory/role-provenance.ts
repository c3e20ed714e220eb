/** The origin of effective roles: for each role, the groups of a member that grant it. */
import { createPause, type Pause } from '../lib/event-loop-turns.ts';
import type { Reader } from '../store/store.ts';
import type { Group, Membership } from '../store/tables.ts';
import { collectReachableGroups, edgesPerTurn, listGroupIdsOfMember } from './group-roles.ts';

export interface RoleSource {
  readonly role: string;
  /** Names of the member's direct groups; not of dependencies from which these have the role. */
  readonly groupNames: string[];
}

/**
 * The roles of a member of these groups, each with the groups that grant it directly or through dependencies; both sorted
 * by name. `groups` contains all reachable groups by id. `isGranted` can exclude roles that the member does not get from
 * a group. Yields to the event loop after every few thousand dependencies.
 */
export async function collectRoleSources(
  groups: ReadonlyMap<string, Group>,
  memberOf: Iterable<string>,
  isGranted: (role: string, groupId: string) => boolean = () => true,
): Promise<RoleSource[]> {
  const namesByRole = new Map<string, Set<string>>();
  const pause = createPause(edgesPerTurn);
  for (const groupId of new Set(memberOf)) {
    const group = groups.get(groupId);
    const roles = group ? await collectGroupRoles(groups, group, pause) : [];
    for (const role of roles) if (isGranted(role, groupId)) addSource(namesByRole, role, group?.groupName ?? '');
  }
  const sources: RoleSource[] = [];
  for (const role of [...namesByRole.keys()].sort()) {
    const names = namesByRole.get(role) ?? new Set();
    await pause(names.size);
    sources.push({ role, groupNames: [...names].sort() });
  }
  return sources;
}

type Member = Pick<Membership, 'kind' | 'memberId' | 'businessId'>;

/** The roles that these members together get from groups, with their origin. Not cached, so that it reflects every change. */
export async function readRoleSources(
  reader: Pick<Reader, 'groups' | 'memberships'>,
  members: readonly Member[],
): Promise<RoleSource[]> {
  const memberOf = await listGroupIds(reader, members);
  return collectRoleSources(await collectReachableGroups(reader, memberOf), memberOf);
}

export interface RoleOrigin extends RoleSource {
  /** Names of the groups that have the role themselves: direct groups or their dependencies. */
  readonly ownerNames: readonly string[];
}

/** Like `readRoleSources`, also with the groups that have the role themselves. */
export async function readRoleOrigins(
  reader: Pick<Reader, 'groups' | 'memberships'>,
  members: readonly Member[],
): Promise<RoleOrigin[]> {
  const memberOf = await listGroupIds(reader, members);
  const groups = await collectReachableGroups(reader, memberOf);
  const owners = new Map<string, Set<string>>();
  const pause = createPause(edgesPerTurn);
  for (const { groupName, roles } of groups.values()) {
    await pause(1 + roles.length);
    for (const role of roles) addSource(owners, role, groupName);
  }
  const sources = await collectRoleSources(groups, memberOf);
  return sources.map((source) => ({ ...source, ownerNames: [...(owners.get(source.role) ?? [])].sort() }));
}

async function listGroupIds(reader: Pick<Reader, 'memberships'>, members: readonly Member[]): Promise<string[]> {
  return (await Promise.all(members.map((member) => listGroupIdsOfMember(reader, member)))).flat();
}

async function collectGroupRoles(groups: ReadonlyMap<string, Group>, start: Group, pause: Pause): Promise<Set<string>> {
  const seen = new Set([start.groupId]);
  const roles = new Set<string>();
  // Iteration over a Set includes elements that are added during the iteration.
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
