/** Memberships: records of an earlier apply that are no longer in the documents, and their writes, which are idempotent. */
import type { DesiredState } from '../desired-state.ts';
import { type Execution, type StepWriter, unwrapResult } from '../execution.ts';
import type { ManagedResource } from '../inventory.ts';
import { formatMember, type Member, type MemberKind, memberKey, memberKinds } from '../members.ts';
import { getGroupMembers, type RemoteState } from '../remote-state.ts';

/** Builds the record of a membership. Ids contain no spaces. */
function buildMembershipRecord(groupId: string, groupName: string, member: Member): ManagedResource {
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

interface MembershipOperations {
  readonly add: string;
  readonly remove: string;
  /** Parameter of the group and field of the member. */
  readonly group: string;
  readonly member: string;
}

const membershipOperations: Readonly<Record<MemberKind, MembershipOperations>> = {
  user: { add: 'user-accesses.add-user', remove: 'user-accesses.remove-user', group: 'groupName', member: 'userId' },
  business: {
    add: 'business-accesses.add-business',
    remove: 'business-accesses.remove-business',
    group: 'groupId',
    member: 'businessId',
  },
  businessUser: {
    add: 'user-accesses.add-business-user',
    remove: 'user-accesses.remove-business-user',
    group: 'groupName',
    member: 'userId',
  },
  service: {
    add: 'service-accesses.add-service',
    remove: 'service-accesses.remove-service',
    group: 'groupId',
    member: 'serviceId',
  },
};

const writeJoin: StepWriter<'join'> = async (execution, { group, members }) => {
  const [first] = members;
  if (!first) return;
  const { add, member } = membershipOperations[first.kind];
  const body = members.map(({ id }) => ({ [member]: id }));
  unwrapResult(await execution.deps.call(add, { params: buildGroupParams(execution, group, first), body }));
  await execution.record(
    'made',
    ...members.map((one) => buildMembershipRecord(resolveGroupId(execution, group), group, one)),
  );
};

const writeLeave: StepWriter<'leave'> = async (execution, { group, member }) => {
  const { remove, member: name } = membershipOperations[member.kind];
  const params = { ...buildGroupParams(execution, group, member), [name]: member.id };
  unwrapResult(await execution.deps.call(remove, { params }), 'MEMBERSHIP_NOT_FOUND');
  await execution.record('gone', buildMembershipRecord(resolveGroupId(execution, group), group, member));
};

export const memberWriters = { join: writeJoin, leave: writeLeave };

/** Returns the group id, because a name can be equal to the id of another group. */
function resolveGroupId({ groupIds }: Execution, group: string): string {
  return groupIds.get(group) ?? group;
}

function buildGroupParams(execution: Execution, group: string, { kind, businessId }: Member): Record<string, string> {
  return {
    [membershipOperations[kind].group]: resolveGroupId(execution, group),
    ...(businessId === undefined ? {} : { businessId }),
  };
}
