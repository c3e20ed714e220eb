/** Memberships created by an earlier apply of the set that are no longer in the documents. Pure. */
import type { DesiredState } from '../desired-state.ts';
import type { ManagedResource } from '../inventory.ts';
import { getGroupMembers, type RemoteState } from '../remote-state.ts';
import { formatMember, type Member, type MemberKind, memberKey, memberKinds } from './members.ts';

/** Builds the record of a membership. Ids contain no spaces. */
export function buildMembershipRecord(groupId: string, groupName: string, member: Member): ManagedResource {
  return {
    kind: 'membership',
    id: `${groupId} ${memberKey(member)}`,
    name: `${groupName}: ${member.kind} ${formatMember(member)}`,
  };
}

interface RecordedMembership {
  readonly made: ManagedResource;
  readonly groupId: string;
  readonly member: Member;
}

function parseMembershipRecord(made: ManagedResource): RecordedMembership[] {
  const [groupId = '', kind, ...ids] = made.id.split(' ');
  const id = ids.at(-1);
  if (made.kind !== 'membership' || id === undefined || !(memberKinds as readonly unknown[]).includes(kind)) return [];
  const businessId = ids.length > 1 ? { businessId: ids[0] } : {};
  return [{ made, groupId, member: { kind: kind as MemberKind, id, ...businessId } }];
}

/** A recorded membership that still exists and is no longer in the documents. */
export interface OrphanedMembership {
  readonly made: ManagedResource;
  readonly groupName: string;
  readonly member: Member;
}

/**
 * Finds orphaned memberships of remaining groups, of member kinds that the documents do not list; unlisted members of
 * listed kinds are removed in any case. Ignores groups whose members have not been read.
 */
export function findOrphanedMemberships(
  recorded: readonly ManagedResource[],
  desired: DesiredState,
  state: RemoteState,
): OrphanedMembership[] {
  return findOrphanCandidates(recorded, desired, state).filter(({ groupName, member }) =>
    getGroupMembers(state, groupName).has(memberKey(member)),
  );
}

/** Returns the groups whose members must be read to find orphaned memberships. */
export function listGroupsOfMemberships(
  recorded: readonly ManagedResource[],
  desired: DesiredState,
  state: RemoteState,
): string[] {
  return findOrphanCandidates(recorded, desired, state).map(({ groupName }) => groupName);
}

function findOrphanCandidates(
  recorded: readonly ManagedResource[],
  desired: DesiredState,
  state: RemoteState,
): OrphanedMembership[] {
  const result = recorded.flatMap(parseMembershipRecord);
  if (result.length === 0) return [];
  const names = new Map([...(state.groups ?? [])].map(([name, { groupId }]) => [groupId, name]));
  const listed = new Map(desired.groups.map(({ groupName, members }) => [groupName, members]));
  return result.flatMap(({ made, groupId, member }) => {
    const groupName = names.get(groupId);
    if (groupName === undefined || listed.get(groupName)?.[member.kind] !== undefined) return [];
    return [{ made, groupName, member }];
  });
}

/** Groups members to remove by group name. */
export function groupByGroupName(orphans: readonly OrphanedMembership[]): ReadonlyMap<string, readonly Member[]> {
  const result = new Map<string, Member[]>();
  for (const { groupName, member } of orphans) {
    const others = result.get(groupName);
    if (others) others.push(member);
    else result.set(groupName, [member]);
  }
  return result;
}
