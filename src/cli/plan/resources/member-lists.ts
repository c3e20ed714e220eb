/** The members of a group as its exported entry lists them. */
import type { DocumentEntry } from '../model/desired-entries.ts';
import { type Member, type MemberKind, memberFields, memberKinds, sortMembers } from '../model/members.ts';
import type { Portable } from '../model/portable.ts';
import { getGroupMembers, type RemoteState } from '../model/remote-state.ts';

export function buildMemberLists(groupName: string, state: RemoteState, portable: Portable): DocumentEntry {
  const named = [...getGroupMembers(state, groupName).values()].map((member) => ({
    ...member,
    id: nameMember(member, portable),
    ...(member.businessId === undefined ? {} : { businessId: portable.business(member.businessId) }),
  }));
  const members = sortMembers(named);
  for (const { id, businessId } of members)
    if (businessId !== undefined)
      portable.note(
        'of a business: users',
        `${id} (${businessId})`,
        'before an apply elsewhere, they must belong to it there: docs/provision.md has the order',
      );
  const listOf = (kind: MemberKind) => members.filter((one) => one.kind === kind).map(buildMemberEntry);
  return Object.fromEntries(memberKinds.map((kind) => [memberFields[kind], listOf(kind)]));
}

function nameMember({ kind, id }: Member, portable: Portable): string {
  if (kind === 'service') return id;
  return kind === 'business' ? portable.business(id) : portable.user(id);
}

function buildMemberEntry({ id, businessId }: Member): unknown {
  return businessId === undefined ? id : { businessId, userId: id };
}
