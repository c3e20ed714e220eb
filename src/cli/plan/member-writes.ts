/** Putting members into groups and taking them out. Who is in already, or out already, is no fault. */
import { type Execution, expected, type Writer } from './executor.ts';
import type { Member, MemberKind } from './members.ts';
import { membershipOf } from './memberships.ts';

interface Paths {
  readonly add: string;
  readonly remove: string;
  /** The parameter that names the group, and the field that names the member. */
  readonly group: string;
  readonly member: string;
}

const paths: Readonly<Record<MemberKind, Paths>> = {
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

const join: Writer<'join'> = async (execution, { group, members }) => {
  const [first] = members;
  if (!first) return;
  const { add, member } = paths[first.kind];
  const body = members.map(({ id }) => ({ [member]: id }));
  expected(await execution.tools.call(add, { params: groupParams(execution, group, first), body }));
  await execution.remember('made', ...members.map((one) => membershipOf(groupIdOf(execution, group), group, one)));
};

const leave: Writer<'leave'> = async (execution, { group, member }) => {
  const { remove, member: name } = paths[member.kind];
  const params = { ...groupParams(execution, group, member), [name]: member.id };
  expected(await execution.tools.call(remove, { params }), 'MEMBERSHIP_NOT_FOUND');
  await execution.remember('gone', membershipOf(groupIdOf(execution, group), group, member));
};

export const memberSteps = { join, leave };

/** By its id: a name may be the id of another group. */
function groupIdOf({ groupIds }: Execution, group: string): string {
  return groupIds.get(group) ?? group;
}

function groupParams(execution: Execution, group: string, { kind, businessId }: Member): Record<string, string> {
  return {
    [paths[kind].group]: groupIdOf(execution, group),
    ...(businessId === undefined ? {} : { businessId }),
  };
}
