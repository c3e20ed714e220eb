/** Memberships that an earlier apply of the same set made and the documents no longer ask for. Pure. */
import type { Desired } from './desired.ts';
import { type Member, type MemberKind, memberKey, memberKinds, memberName } from './members.ts';
import type { Made } from './pruning.ts';
import { membersIn, type State } from './state.ts';

/** A membership as it is remembered. No id holds a blank. */
export function membershipOf(groupId: string, groupName: string, member: Member): Made {
  return {
    kind: 'membership',
    id: `${groupId} ${memberKey(member)}`,
    name: `${groupName}: ${member.kind} ${memberName(member)}`,
  };
}

interface Remembered {
  readonly made: Made;
  readonly groupId: string;
  readonly member: Member;
}

function remembered(made: Made): Remembered[] {
  const [groupId = '', kind, ...ids] = made.id.split(' ');
  const id = ids.at(-1);
  if (made.kind !== 'membership' || id === undefined || !(memberKinds as readonly unknown[]).includes(kind)) return [];
  const businessId = ids.length > 1 ? { businessId: ids[0] } : {};
  return [{ made, groupId, member: { kind: kind as MemberKind, id, ...businessId } }];
}

/** One that is there and that nobody asks for any more. */
export interface Leftover {
  readonly made: Made;
  readonly groupName: string;
  readonly member: Member;
}

/**
 * Those of groups that stay, of kinds that the documents do not list: where they list a kind, all others of it leave anyway.
 * As long as the members of a group were not read, none of it.
 */
export function leftMemberships(recorded: readonly Made[], desired: Desired, state: State): Leftover[] {
  return candidates(recorded, desired, state).filter(({ groupName, member }) =>
    membersIn(state, groupName).has(memberKey(member)),
  );
}

/** Names of the groups whose members tell whether a membership is still there. */
export function groupsOfMemberships(recorded: readonly Made[], desired: Desired, state: State): string[] {
  return candidates(recorded, desired, state).map(({ groupName }) => groupName);
}

function candidates(recorded: readonly Made[], desired: Desired, state: State): Leftover[] {
  const found = recorded.flatMap(remembered);
  if (found.length === 0) return [];
  const names = new Map([...(state.groups ?? [])].map(([name, { groupId }]) => [groupId, name]));
  const listed = new Map(desired.groups.map(({ groupName, members }) => [groupName, members]));
  return found.flatMap(({ made, groupId, member }) => {
    const groupName = names.get(groupId);
    if (groupName === undefined || listed.get(groupName)?.[member.kind] !== undefined) return [];
    return [{ made, groupName, member }];
  });
}

/** Members that leave, by the name of their group. */
export function byGroup(leftovers: readonly Leftover[]): ReadonlyMap<string, readonly Member[]> {
  const found = new Map<string, Member[]>();
  for (const { groupName, member } of leftovers) {
    const others = found.get(groupName);
    if (others) others.push(member);
    else found.set(groupName, [member]);
  }
  return found;
}
