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
 * Time and memory are proportional to groups, dependencies and members; it yields to the event loop.
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
  const roles = await collectEffectiveRoles(reached, pause);
  const nodes: GroupNode[] = [];
  for (const group of shown) nodes.push(await createNode(reader, group, { roles, pause }));
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
  readonly roles: ReadonlyMap<string, ReadonlySet<string>>;
  readonly pause: Pause;
}

async function createNode(reader: GraphReader, group: Group, { roles, pause }: GraphDeps): Promise<GroupNode> {
  const own = new Set(group.roles);
  const effective = roles.get(group.groupId) ?? own;
  const dependents = await reader.groups.find('dependency', group.groupId);
  await pause(effective.size + dependents.length);
  return {
    group,
    inheritedRoles: [...effective].filter((role) => !own.has(role)).sort(),
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

/**
 * The effective roles of all these groups, each dependency followed once: a group is resolved after its dependencies, or, in
 * a cycle of a file that was changed, when it is reached again.
 */
async function collectEffectiveRoles(
  groups: ReadonlyMap<string, Group>,
  pause: Pause,
): Promise<Map<string, ReadonlySet<string>>> {
  const resolved = new Map<string, ReadonlySet<string>>();
  const opened = new Set<Group>();
  for (const start of groups.values()) {
    const open = [start];
    for (let group = open.at(-1); group; group = open.at(-1)) {
      const pending = opened.has(group) ? [] : listPending(group, groups, resolved);
      opened.add(group);
      if (pending.length > 0) {
        open.push(...pending);
        await pause(pending.length);
        continue;
      }
      open.pop();
      if (!resolved.has(group.groupId)) resolved.set(group.groupId, await mergeRoles(group, resolved, pause));
    }
  }
  return resolved;
}

/** The dependencies that are not resolved yet. */
function listPending(
  group: Group,
  groups: ReadonlyMap<string, Group>,
  resolved: ReadonlyMap<string, unknown>,
): Group[] {
  return group.dependencies.flatMap((groupId) => {
    const dependency = resolved.has(groupId) ? undefined : groups.get(groupId);
    return dependency ? [dependency] : [];
  });
}

async function mergeRoles(
  group: Group,
  resolved: ReadonlyMap<string, ReadonlySet<string>>,
  pause: Pause,
): Promise<ReadonlySet<string>> {
  const roles = new Set(group.roles);
  for (const groupId of group.dependencies) {
    const inherited = resolved.get(groupId) ?? new Set();
    for (const role of inherited) roles.add(role);
    await pause(1 + inherited.size);
  }
  return roles;
}
