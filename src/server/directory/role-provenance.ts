/** The origin of effective roles: for each role, the groups of a member that grant it, and for one role the paths through groups. */
import { createPause, type Pause } from '../lib/event-loop-turns.ts';
import type { Reader } from '../store/store.ts';
import { type Group, type Membership, memberValue } from '../store/tables.ts';
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

export interface RolePath {
  readonly kind: Membership['kind'];
  /** From the direct group of the member to the group that has the role itself. */
  readonly groups: readonly Group[];
}

export interface RolePaths {
  /** The shortest ones, up to the limit. */
  readonly paths: readonly RolePath[];
  /** Number of paths without the limit. */
  readonly pathCount: number;
}

/** Groups of all shown paths together. */
const maxGroups = 10_000;

/**
 * For each direct group of these members that grants the role, the shortest path to a group that has the role itself. Paths
 * are made for the shown ones only: each can lead through all groups.
 */
export async function findRolePaths(
  reader: Pick<Reader, 'groups' | 'memberships'>,
  members: readonly Member[],
  { role, limit }: { readonly role: string; readonly limit: number },
): Promise<RolePaths> {
  const steps = await traceRole(reader, role);
  const memberships = await Promise.all(
    members.map((member) => reader.memberships.find('member', memberValue(member))),
  );
  const starts = memberships.flat().flatMap(({ kind, groupId }) => {
    const step = steps.get(groupId);
    return step ? [{ kind, step }] : [];
  });
  starts.sort((a, b) => a.step.length - b.step.length || compareNames(a.step.group, b.step.group));
  const paths: RolePath[] = [];
  let left = maxGroups;
  for (const { kind, step } of starts.slice(0, limit)) {
    left -= step.length;
    if (paths.length > 0 && left < 0) break;
    paths.push({ kind, groups: followSteps(steps, step) });
  }
  return { paths, pathCount: starts.length };
}

function compareNames(a: Group, b: Group): number {
  return a.groupName < b.groupName ? -1 : 1;
}

interface Step {
  readonly group: Group;
  /** The dependency that has the role; undefined for a group that has it itself. */
  readonly next: string | undefined;
  /** Groups of the path from here. */
  readonly length: number;
}

/** Every group that has the role, with its next step towards a group that has the role itself: breadth first, so shortest. */
async function traceRole(reader: Pick<Reader, 'groups'>, role: string): Promise<ReadonlyMap<string, Step>> {
  const steps = new Map<string, Step>();
  for (const group of await reader.groups.find('role', role))
    steps.set(group.groupId, { group, next: undefined, length: 1 });
  const pause = createPause(edgesPerTurn);
  // Iteration over a Map includes entries that are added during the iteration.
  for (const [next, { length }] of steps) {
    const dependents = await reader.groups.find('dependency', next);
    await pause(1 + dependents.length);
    for (const group of dependents)
      if (!steps.has(group.groupId)) steps.set(group.groupId, { group, next, length: length + 1 });
  }
  return steps;
}

function followSteps(steps: ReadonlyMap<string, Step>, start: Step): Group[] {
  const groups: Group[] = [];
  for (let step: Step | undefined = start; step; step = step.next === undefined ? undefined : steps.get(step.next))
    groups.push(step.group);
  return groups;
}
