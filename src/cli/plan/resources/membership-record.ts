/** Memberships in the record of a set. */
import type { ManagedResource } from '../inventory.ts';
import { formatMember, type Member, type MemberKind, memberKey, memberKinds } from '../model/members.ts';
import type { RemoteState } from '../model/remote-state.ts';

/** The id of a membership in the record of a set. Ids contain no spaces. */
export function membershipId(groupId: string, member: Member): string {
  return `${groupId} ${memberKey(member)}`;
}

export function membershipName(groupName: string, member: Member): string {
  return `${groupName}: ${member.kind} ${formatMember(member)}`;
}

export interface RecordedMembership {
  readonly made: ManagedResource;
  readonly groupId: string;
  readonly member: Member;
}

export function parseMembershipRecord(made: ManagedResource): RecordedMembership[] {
  const parsed = made.kind === 'membership' ? parseMembershipId(made.id) : undefined;
  return parsed ? [{ made, ...parsed }] : [];
}

export function parseMembershipId(id: string): Pick<RecordedMembership, 'groupId' | 'member'> | undefined {
  const [groupId = '', kind, ...ids] = id.split(' ');
  const memberId = ids.at(-1);
  if (memberId === undefined || !(memberKinds as readonly unknown[]).includes(kind)) return undefined;
  const businessId = ids.length > 1 ? { businessId: ids[0] } : {};
  return { groupId, member: { kind: kind as MemberKind, id: memberId, ...businessId } };
}

/** The membership of a record, if its group exists. */
export function findMembership(id: string, { groups }: RemoteState): { groupName: string; member: Member } | undefined {
  const { groupId, member } = parseMembershipId(id) ?? {};
  const groupName = groupId === undefined || !groups ? undefined : namesOf(groups).get(groupId);
  return groupName === undefined || !member ? undefined : { groupName, member };
}

const namesById = new WeakMap<object, ReadonlyMap<string, string>>();

/** The names of groups by id. There can be thousands of memberships. */
function namesOf(groups: NonNullable<RemoteState['groups']>): ReadonlyMap<string, string> {
  const names = namesById.get(groups) ?? new Map([...groups].map(([name, { groupId }]) => [groupId, name] as const));
  namesById.set(groups, names);
  return names;
}

/** Whether a membership of a record is on the server; `unknown` if that was not read or cannot be. */
export function getPresence(id: string, state: RemoteState): 'present' | 'absent' | 'group-absent' | 'unknown' {
  if (!state.groups) return 'unknown';
  const { groupName, member } = findMembership(id, state) ?? {};
  if (groupName === undefined || !member) return 'group-absent';
  const members = state.members.get(groupName);
  if (members?.has(memberKey(member))) return 'present';
  return members && !(member.kind === 'businessUser' && state.partialMembers.has(groupName)) ? 'absent' : 'unknown';
}
