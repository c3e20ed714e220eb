/** Memberships of users, businesses and services in groups. */
import * as z from 'zod';
import { defineTable } from './define-table.ts';
import { text } from './fields.ts';

export const MembershipRow = z
  .strictObject({
    groupId: text,
    kind: z.enum(['user', 'business', 'businessUser', 'service']),
    memberId: text,
    /** With kind businessUser: the business that the user represents. */
    businessId: text.optional(),
    /** With kind service: created without an administrative role, so it grants only roles that the client's owner has. */
    delegated: z.literal(true).optional(),
  })
  .readonly();

export type Membership = z.infer<typeof MembershipRow>;

/** Ids and names contain no slash, so a slash separates them. */
export function membershipKey(row: Membership): string {
  return [row.groupId, row.kind, row.businessId ?? '', row.memberId].join('/');
}

/** The value of the index `member`: all memberships of one member, or of one user of a business. */
export function memberValue(row: Pick<Membership, 'kind' | 'memberId' | 'businessId'>): string {
  return [row.kind, row.businessId ?? '', row.memberId].join('/');
}

/** The value of the index `memberList`: the members of one kind in one group; for business users those of one business. */
export function memberListKey(row: Pick<Membership, 'groupId' | 'kind' | 'businessId'>): string {
  return [row.groupId, row.kind, row.businessId ?? ''].join('/');
}

export const membershipTable = defineTable(MembershipRow, membershipKey, {
  unique: {},
  index: {
    group: (row) => row.groupId,
    memberList: memberListKey,
    member: memberValue,
    business: (row) => row.businessId,
  },
});
