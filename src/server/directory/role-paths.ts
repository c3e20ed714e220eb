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
  members: readonly Pick<Membership, 'kind' | 'memberId' | 'businessId'>[],
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
