/** Dependency paths: through which groups a member gets one role. */
import { createPause } from '../lib/event-loop-turns.ts';
import type { Reader } from '../store/store.ts';
import { type Group, type Membership, memberValue } from '../store/tables.ts';
import { edgesPerTurn } from './group-roles.ts';

export interface RolePath {
  readonly kind: Membership['kind'];
  /** From the direct group of the member to the group that has the role itself. */
  readonly groups: readonly Group[];
}

/** For each direct group of these members that grants the role, the shortest path to a group that has the role itself. */
export async function findRolePaths(
  reader: Pick<Reader, 'groups' | 'memberships'>,
  members: readonly Pick<Membership, 'kind' | 'memberId' | 'businessId'>[],
  role: string,
): Promise<RolePath[]> {
  const steps = await traceRole(reader, role);
  const memberships = await Promise.all(
    members.map((member) => reader.memberships.find('member', memberValue(member))),
  );
  const paths = memberships.flat().map(({ kind, groupId }) => ({ kind, groups: followSteps(steps, groupId) }));
  return paths
    .filter(({ groups }) => groups.length > 0)
    .sort((a, b) => a.groups.length - b.groups.length || compareNames(a.groups[0], b.groups[0]));
}

function compareNames(a: Group | undefined, b: Group | undefined): number {
  return (a?.groupName ?? '') < (b?.groupName ?? '') ? -1 : 1;
}

interface Step {
  readonly group: Group;
  /** The dependency that has the role; undefined for a group that has it itself. */
  readonly next: string | undefined;
}

/** Every group that has the role, with its next step towards a group that has the role itself: breadth first, so shortest. */
async function traceRole(reader: Pick<Reader, 'groups'>, role: string): Promise<ReadonlyMap<string, Step>> {
  const steps = new Map<string, Step>();
  for (const group of await reader.groups.find('role', role)) steps.set(group.groupId, { group, next: undefined });
  const pause = createPause(edgesPerTurn);
  // Iteration over a Map includes entries that are added during the iteration.
  for (const next of steps.keys()) {
    const dependents = await reader.groups.find('dependency', next);
    await pause(1 + dependents.length);
    for (const group of dependents) if (!steps.has(group.groupId)) steps.set(group.groupId, { group, next });
  }
  return steps;
}

function followSteps(steps: ReadonlyMap<string, Step>, start: string): Group[] {
  const groups: Group[] = [];
  for (let step = steps.get(start); step; step = step.next === undefined ? undefined : steps.get(step.next))
    groups.push(step.group);
  return groups;
}
