/** Group members: users, businesses, business users and services. */
import { valueSchemas } from '../value-schemas.ts';

/** The form of ids: a member in another one is named, and has no id yet. */
export const idForm = new RegExp(valueSchemas.id.pattern);

export const memberKinds = ['user', 'business', 'businessUser', 'service'] as const;
export type MemberKind = (typeof memberKinds)[number];

export interface Member {
  readonly kind: MemberKind;
  readonly id: string;
  /** Business of a business user. */
  readonly businessId?: string | undefined;
}

/** Document field of each member kind. */
export const memberFields: Readonly<Record<MemberKind, string>> = {
  user: 'users',
  business: 'businesses',
  businessUser: 'businessUsers',
  service: 'services',
};

/** Unique key of a member within a group. Ids contain no spaces. */
export function memberKey({ kind, id, businessId }: Member): string {
  return businessId === undefined ? `${kind} ${id}` : `${kind} ${businessId} ${id}`;
}

/** Formats a member: `b9/u1` is the user u1 on behalf of the business b9. */
export function formatMember({ id, businessId }: Member): string {
  return businessId === undefined ? id : `${businessId}/${id}`;
}

/** Sorts members by kind, then by id. */
export function sortMembers(members: Iterable<Member>): Member[] {
  const keyed = [...members].map((member) => ({ member, key: formatMember(member) }));
  const order = (kind: MemberKind) => memberKinds.indexOf(kind);
  keyed.sort((a, b) => order(a.member.kind) - order(b.member.kind) || (a.key < b.key ? -1 : Number(a.key > b.key)));
  return keyed.map(({ member }) => member);
}
