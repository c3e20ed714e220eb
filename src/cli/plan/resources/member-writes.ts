/** Adds members to groups and removes them. Both are idempotent. */
import { type Execution, type StepWriter, unwrapResult } from '../execution.ts';
import type { Member, MemberKind } from './members.ts';
import { buildMembershipRecord } from './memberships.ts';

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
