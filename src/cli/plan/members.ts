/** Members of groups, as one kind of thing: users, businesses, users in the name of a business, services. */

export const memberKinds = ['user', 'business', 'businessUser', 'service'] as const;
export type MemberKind = (typeof memberKinds)[number];

export interface Member {
  readonly kind: MemberKind;
  readonly id: string;
  /** Of kind businessUser: in whose name. */
  readonly businessId?: string | undefined;
}

/** The field of a document that lists members of a kind. */
export const memberFields: Readonly<Record<MemberKind, string>> = {
  user: 'users',
  business: 'businesses',
  businessUser: 'businessUsers',
  service: 'services',
};

/** Tells members of one group apart. Ids hold no blank. */
export function memberKey({ kind, id, businessId }: Member): string {
  return businessId === undefined ? `${kind} ${id}` : `${kind} ${businessId} ${id}`;
}

/** A member as people read it: `b9/u1` is the user u1 in the name of the business b9. */
export function formatMember({ id, businessId }: Member): string {
  return businessId === undefined ? id : `${businessId}/${id}`;
}

/** In the order of kinds, then of ids. */
export function sortMembers(members: Iterable<Member>): Member[] {
  const keyed = [...members].map((member) => ({ member, key: formatMember(member) }));
  const order = (kind: MemberKind) => memberKinds.indexOf(kind);
  keyed.sort((a, b) => order(a.member.kind) - order(b.member.kind) || (a.key < b.key ? -1 : Number(a.key > b.key)));
  return keyed.map(({ member }) => member);
}
