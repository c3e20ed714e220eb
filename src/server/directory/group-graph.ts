/** The dependency graph of groups: inherited roles, dependents and members of each group. */
import { createPause, type Pause } from '../lib/event-loop-turns.ts';
import type { Derivation } from '../store/derived-values.ts';
import type { Reader } from '../store/store.ts';
import type { Group, Membership } from '../store/tables.ts';
import { collectReachableGroups, edgesPerTurn } from './group-roles.ts';

export type MemberCounts = Readonly<Record<Membership['kind'], number>>;

export interface GroupNode {
  readonly group: Group;
  /** Roles of dependencies that the group does not have itself, sorted. */
  readonly inheritedRoles: readonly string[];
  readonly dependentCount: number;
  readonly members: MemberCounts;
}

export interface GroupGraph {
  readonly nodes: readonly GroupNode[];
  /** Number of groups without the limit. */
  readonly groupCount: number;
}

type GraphReader = Pick<Reader, 'groups' | 'memberships'>;

/**
 * The first groups by id, or a group with everything that it depends on and that depends on it, first the group itself.
 * Memory is proportional to groups, dependencies, members and the roles that are shown; it yields to the event loop.
 */
export async function readGroupGraph(
  reader: GraphReader,
  { root, limit }: { readonly root: Group | undefined; readonly limit: number },
): Promise<GroupGraph> {
  const pause = createPause(edgesPerTurn);
  const selected = root ? await collectRelatedGroups(reader, root) : await reader.groups.list();
  const shown = selected.slice(0, limit);
  const reached = await collectReachableGroups(
    reader,
    shown.map(({ groupId }) => groupId),
  );
  const nodes: GroupNode[] = [];
  for (const group of shown) nodes.push(await createNode(reader, group, { groups: reached, pause }));
  return { nodes, groupCount: selected.length };
}

async function collectRelatedGroups(reader: GraphReader, root: Group): Promise<Group[]> {
  const below = await collectReachableGroups(reader, [root.groupId]);
  const above = await reader.groups.findReaching('dependency', 'dependency', root.groupId);
  const related = new Map([...below.values(), ...above].map(toEntry));
  related.delete(root.groupId);
  return [root, ...[...related.values()].sort((a, b) => (a.groupId < b.groupId ? -1 : 1))];
}

function toEntry(group: Group): [string, Group] {
  return [group.groupId, group];
}

interface GraphDeps {
  readonly groups: ReadonlyMap<string, Group>;
  readonly pause: Pause;
}

async function createNode(reader: GraphReader, group: Group, { groups, pause }: GraphDeps): Promise<GroupNode> {
  const own = new Set(group.roles);
  const inherited = await collectInheritedRoles(group, groups, pause);
  const dependents = await reader.groups.find('dependency', group.groupId);
  await pause(inherited.size + dependents.length);
  return {
    group,
    inheritedRoles: [...inherited].filter((role) => !own.has(role)).sort(),
    dependentCount: dependents.length,
    members: await readMemberCounts(reader, group.groupId, pause),
  };
}

/** By the id of the group. */
const memberCounts: Derivation<MemberCounts> = { name: 'member counts' };

async function readMemberCounts(reader: GraphReader, groupId: string, pause: Pause): Promise<MemberCounts> {
  const cache = reader.memberships.tableCache(memberCounts);
  const cached = cache?.get(groupId);
  if (cached) return cached;
  const memberships = await reader.memberships.find('group', groupId);
  const counts = { user: 0, business: 0, businessUser: 0, service: 0 };
  for (const { kind } of memberships) counts[kind] += 1;
  // If memberships changed in between, the count is correct, but may be of the previous state.
  if (cache === reader.memberships.tableCache(memberCounts)) cache?.set(groupId, counts);
  await pause(memberships.length);
  return counts;
}

/** The roles of the groups that a group reaches. For one group at a time: those of all together can be a square of groups. */
async function collectInheritedRoles(
  { dependencies }: Group,
  groups: ReadonlyMap<string, Group>,
  pause: Pause,
): Promise<ReadonlySet<string>> {
  const reached = new Set(dependencies);
  const roles = new Set<string>();
  // Iteration over a Set includes entries that are added during the iteration.
  for (const groupId of reached) {
    const group = groups.get(groupId);
    if (!group) continue;
    for (const role of group.roles) roles.add(role);
    for (const dependency of group.dependencies) reached.add(dependency);
    await pause(1 + group.roles.length + group.dependencies.length);
  }
  return roles;
}
