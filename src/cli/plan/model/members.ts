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

interface NamedBusinessUser {
  readonly id: string;
  readonly userName: string | undefined;
  readonly businessId: string;
  readonly businessName: string | undefined;
}

/** Why a user cannot be a member for a business, and the command that changes it. `isCreated`: the documents create the business. */
export function describeOtherBusiness(
  { id, userName, businessId, businessName }: NamedBusinessUser,
  isCreated: boolean,
): string {
  const named = (value: string, name: string | undefined) =>
    name === undefined || name === value ? value : `${value} (${name})`;
  // Names can contain what a shell expands.
  const argument = (value: string, other: string) => (/^[\w.@:-]+$/.test(value) ? value : other);
  const command = `iam users update ${argument(id, 'USER')} --business-id ${argument(businessId, 'BUSINESS')}`;
  const before = isCreated ? ', which does not exist yet: apply the customers alone, then' : ': first';
  return `the user ${named(id, userName)} does not belong to the business ${named(businessId, businessName)}${before} run \`${command}\``;
}

/** Sorts members by kind, then by id. */
export function sortMembers(members: Iterable<Member>): Member[] {
  const keyed = [...members].map((member) => ({ member, key: formatMember(member) }));
  const order = (kind: MemberKind) => memberKinds.indexOf(kind);
  keyed.sort((a, b) => order(a.member.kind) - order(b.member.kind) || (a.key < b.key ? -1 : Number(a.key > b.key)));
  return keyed.map(({ member }) => member);
}
