/**
 * Memberships of groups. They are no `Resource`: a document lists them in the entry of their group, so they have neither a
 * list nor a name of their own, they are read per group, and their differences are fields of the group's change. They
 * have their own steps and records, because they are written with their own requests, after their group.
 */

import { callOperation, tryOperation } from '../../request/call-operation.ts';
import { type Execution, recordCreation } from '../execution.ts';
import type { ManagedResource, PendingCreation } from '../inventory.ts';
import {
  type AnyChange,
  diffList,
  type FieldChange,
  type GroupChange,
  isRemoval,
  type MembershipStep,
  type PlanIssue,
  selectChanges,
} from '../model/changes.ts';
import type { DesiredGroup, DesiredState, DocumentEntry } from '../model/desired-entries.ts';
import {
  describeOtherBusiness,
  formatMember,
  type Member,
  type MemberKind,
  memberFields,
  memberKey,
  memberKinds,
  sortMembers,
} from '../model/members.ts';
import { getGroupMembers, isMissing, type PlanCaller, type RemoteState } from '../model/remote-state.ts';
import type { CheckContext, ReferenceContext, References, StepContext, StepPhases, Writable } from '../resource.ts';
import { describePrunedClient } from './client.ts';
import { id, idOrName, list, object } from './document-schema.ts';
import { buildMemberLists } from './member-lists.ts';
import { readMembersOf } from './member-reads.ts';
import {
  findMembership,
  getPresence,
  membershipId,
  membershipName,
  parseMembershipId,
  parseMembershipRecord,
} from './membership-record.ts';

/** Maximum number of members per request, because the body size is limited. */
const maxMembersPerCall = 1000;

interface MemberChanges {
  readonly joining: readonly Member[];
  readonly leaving: readonly Member[];
}

/** The memberships of a group, as parts of the entry and the change of the group, and their own writes. */
export const memberships = {
  kind: 'membership',
  label: 'member of',
  /** The fields of a group's entry that list its members. */
  schema: createSchema(),
  parse: parseMembers,
  read: readMembersOf,
  list: (state: RemoteState, groupName: string) => sortMembers(getGroupMembers(state, groupName).values()),
  diff: diffMembers,
  diffFields,
  listReferences: listNewMembers,
  check: checkMembers,
  findOrphaned: findOrphanedMemberships,
  findUnlisted: (recorded: readonly ManagedResource[], desired: DesiredState, state: RemoteState) =>
    findOrphanCandidates(recorded, desired, state)
      .filter(({ made, groupName }) => state.members.has(groupName) && getPresence(made.id, state) === 'unknown')
      .map(({ made }) => made),
  listGroupsToRead: listGroupsOfMemberships,
  groupOf: ({ kind, key }: PendingCreation, state: RemoteState) =>
    kind === 'membership' ? findMembership(key, state)?.groupName : undefined,
  presence: getPresence,
  /** The member in the id of a record. */
  memberIn: (id: string) => parseMembershipId(id)?.member,
  order: orderMemberships,
  write: writeMembership,
  export: buildMemberLists,
} satisfies Writable<MembershipStep> & Readonly<Record<string, unknown>>;

function createSchema() {
  return {
    users: list(idOrName('Id or login name of a user'), 'All users who are direct members of the group'),
    businesses: list(idOrName('Id or name of a business'), 'All businesses whose users are in the group'),
    businessUsers: list(
      object(
        { businessId: idOrName('Id or name of the business'), userId: idOrName('Id or login name of the user') },
        ['businessId', 'userId'],
        'A user who is a member on behalf of a business',
      ),
      'All users who are members on behalf of their business',
    ),
    services: list(id('Service account id of a client'), 'All services in the group'),
  };
}

/** Splits an entry into its members by kind and the other fields. An absent kind stays absent. */
function parseMembers(entry: DocumentEntry): {
  readonly members: DesiredGroup['members'];
  readonly rest: DocumentEntry;
} {
  const { users, businesses, businessUsers, services, ...rest } = entry;
  const listed = { user: users, business: businesses, businessUser: businessUsers, service: services };
  const members = memberKinds.flatMap((kind) =>
    listed[kind] === undefined ? [] : [[kind, (listed[kind] as unknown[]).map((value) => parseMember(kind, value))]],
  );
  return { members: Object.fromEntries(members), rest };
}

function parseMember(kind: MemberKind, value: unknown): Member {
  if (kind !== 'businessUser') return { kind, id: String(value) };
  const { businessId, userId } = value as { businessId: string; userId: string };
  return { kind, id: userId, businessId };
}

/** Returns members to add and remove; for each listed kind, unlisted members are removed, and pruned members in any case. */
function diffMembers(
  { groupName, members }: DesiredGroup,
  state: Pick<RemoteState, 'members'>,
  pruned: readonly Member[] = [],
): MemberChanges {
  const current = getGroupMembers(state, groupName);
  const desiredMembers = new Map(
    memberKinds.flatMap((kind) => (members[kind] ?? []).map((one) => [memberKey(one), one] as const)),
  );
  const joining = [...desiredMembers].flatMap(([key, member]) => (current.has(key) ? [] : [member]));
  const leaving = [...current].flatMap(([key, member]) =>
    members[member.kind] === undefined || desiredMembers.has(key) ? [] : [member],
  );
  return { joining: sortMembers(joining), leaving: sortMembers([...leaving, ...pruned]) };
}

function diffFields({ joining, leaving }: MemberChanges): FieldChange[] {
  return memberKinds.flatMap((kind) =>
    diffList(memberFields[kind], listMemberNames(leaving, kind), listMemberNames(joining, kind)),
  );
}

function listMemberNames(members: readonly Member[], kind: string): string[] {
  return members.filter((member) => member.kind === kind).map(formatMember);
}

/** Returns the ids of new members, and the businesses on whose behalf users become members. */
function listNewMembers({ changes }: ReferenceContext): References {
  const joining = selectChanges(changes, 'group').flatMap((change) => change.joining);
  const ids = (...kinds: readonly MemberKind[]) =>
    joining.filter(({ kind }) => kinds.includes(kind)).map((member) => member.id);
  return {
    users: ids('user', 'businessUser'),
    businesses: [...ids('business'), ...joining.flatMap(({ businessId }) => businessId ?? [])],
    services: ids('service'),
  };
}

/** Returns new members that do not exist, and services whose clients are deleted. Existing members are not checked. */
function checkMembers(group: DesiredGroup, context: CheckContext): PlanIssue[] {
  return [...findRemovedServices(group, context), ...findMissingMembers(group, context)];
}

function findRemovedServices({ path, members }: DesiredGroup, { removedClients }: CheckContext): PlanIssue[] {
  return (members.service ?? []).flatMap(({ id: service }, at) =>
    removedClients.has(service) ? [{ path: `${path}/services/${at}`, message: describePrunedClient(service) }] : [],
  );
}

function findMissingMembers(group: DesiredGroup, context: CheckContext): PlanIssue[] {
  const joining = new Set(context.groupChanges.get(group.groupName)?.joining.map(memberKey));
  if (joining.size === 0) return [];
  return Object.values(group.members).flatMap((members) =>
    members.flatMap((member, at) => {
      const message = joining.has(memberKey(member)) ? describeMissingMember(member, context) : undefined;
      return message === undefined ? [] : [{ path: `${group.path}/${memberFields[member.kind]}/${at}`, message }];
    }),
  );
}

function describeMissingMember(member: Member, { state, index }: CheckContext): string | undefined {
  const { kind, id, businessId = '' } = member;
  const noBusiness = (name: string) => isMissing(state.businesses, name) && !index.isBusinessCreated(name);
  if (kind === 'service')
    return isMissing(state.services, id) && !index.isServiceCreated(id) ? `service ${id} not found` : undefined;
  if (kind === 'business') return noBusiness(id) ? `business ${id} not found` : undefined;
  if (isMissing(state.users, id)) return `user ${id} not found`;
  if (kind === 'user') return undefined;
  if (noBusiness(businessId)) return `business ${businessId} not found`;
  const { businessId: own, userName } = state.users.get(id) ?? {};
  if (own === undefined || own === businessId) return undefined;
  const businessName = index.business(businessId)?.businessName as string | undefined;
  return describeOtherBusiness({ id, userName, businessId, businessName }, index.isBusinessCreated(businessId));
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
function findOrphanedMemberships(
  recorded: readonly ManagedResource[],
  desired: DesiredState,
  state: RemoteState,
): OrphanedMembership[] {
  return findOrphanCandidates(recorded, desired, state).filter(({ groupName, member }) =>
    getGroupMembers(state, groupName).has(memberKey(member)),
  );
}

/** Returns the groups whose members must be read to find orphaned memberships. */
function listGroupsOfMemberships(
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

/** Adds members after their group was written. The caller's own memberships are removed last. */
function orderMemberships(changes: readonly AnyChange[], { caller }: StepContext): StepPhases<MembershipStep> {
  const groups = selectChanges(changes, 'group').filter((change) => !isRemoval(change));
  const leaves = groups.flatMap(({ name, leaving }) =>
    leaving.map((member) => ({ kind: 'membership', action: 'leave', group: name, member }) as const),
  );
  return {
    write: [groups.flatMap(buildJoins), leaves.filter(({ member }) => !isCaller(member, caller))],
    last: leaves.filter(({ member }) => isCaller(member, caller)).map((leave) => [leave]),
  };
}

function isCaller({ kind, id: member }: Member, { userId, serviceId }: PlanCaller): boolean {
  return kind === 'service' ? member === serviceId : member === userId;
}

function buildJoins({ name, joining }: GroupChange): MembershipStep[] {
  const batches = new Map<string, Member[]>();
  for (const member of joining) {
    const key = `${memberKinds.indexOf(member.kind)} ${member.businessId ?? ''}`;
    const before = batches.get(key);
    if (before) before.push(member);
    else batches.set(key, [member]);
  }
  return [...batches.values()].flatMap((members) =>
    Array.from({ length: Math.ceil(members.length / maxMembersPerCall) }, (_, at): MembershipStep => {
      const batch = members.slice(at * maxMembersPerCall, (at + 1) * maxMembersPerCall);
      return { kind: 'membership', action: 'join', group: name, members: batch };
    }),
  );
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

function writeMembership(execution: Execution, step: MembershipStep): Promise<void> {
  return step.action === 'join' ? writeJoin(execution, step) : writeLeave(execution, step);
}

async function writeJoin(
  execution: Execution,
  { group, members }: Extract<MembershipStep, { action: 'join' }>,
): Promise<void> {
  const joining = members.map((member) => withCreatedBusiness(execution, member));
  const [first] = joining;
  if (!first) return;
  const { add, member } = membershipOperations[first.kind];
  const body = joining.map(({ id }) => ({ [member]: id }));
  const groupId = resolveGroupId(execution, group);
  await recordCreation(execution, {
    resources: joining.map((one) => ({
      kind: 'membership',
      key: membershipId(groupId, one),
      name: membershipName(group, one),
      groupName: group,
      sent: {},
    })),
    send: () => callOperation(execution.context, add, { params: buildGroupParams(execution, group, first), body }),
    idsOf: () => joining.map((one) => membershipId(groupId, one)),
  });
}

/** The member with the id of a business that this run created. No user can belong to it yet. */
function withCreatedBusiness({ businessIds }: Execution, member: Member): Member {
  return member.kind === 'business' ? { ...member, id: businessIds.get(member.id) ?? member.id } : member;
}

async function writeLeave(
  execution: Execution,
  { group, member }: Extract<MembershipStep, { action: 'leave' }>,
): Promise<void> {
  const { remove, member: name } = membershipOperations[member.kind];
  const params = { ...buildGroupParams(execution, group, member), [name]: member.id };
  await tryOperation(execution.context, remove, { params }, 'MEMBERSHIP_NOT_FOUND');
  const id = membershipId(resolveGroupId(execution, group), member);
  await execution.record({ what: 'gone', kind: 'membership', id, name: membershipName(group, member) });
}

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
