/** Resolves the names of users and businesses in documents, with the rules of `NameResolver`. */
import { reference } from '../../contract/entities.ts';
import { isNameLikeId, parseTypedValue } from '../output/value-prefix.ts';
import { maxConcurrentLookups, type NameResolver } from '../request/resolve-names.ts';
import type { DesiredCorporateGroup, DesiredGroup, DesiredState } from './model/desired-entries.ts';
import { type Member, type MemberKind, memberKey } from './model/members.ts';
import type { RemoteState } from './model/remote-state.ts';

const kinds = {
  users: reference('user', ['id'])['x-reference'],
  businesses: reference('business', ['id'])['x-reference'],
} as const;

type Ids = Readonly<Record<keyof typeof kinds, ReadonlyMap<string, string>>>;

/**
 * Whether a value must be looked up although it is an id: it can also be the name of another business. The id of a user is a
 * login name unless it looks like another kind of name, so that no other user can have it.
 */
function isAmbiguousId(kind: keyof typeof kinds, value: string): boolean {
  return kind === 'businesses' || isNameLikeId('user', value) || parseTypedValue(value).kind !== undefined;
}

/**
 * Returns the desired state with ids in place of the names of users and businesses; undefined if there are none.
 * @throws CliError (exit 2) for an ambiguous name
 */
export async function resolveMemberNames(
  names: NameResolver,
  desired: DesiredState,
  state: RemoteState,
): Promise<DesiredState | undefined> {
  const ids = { users: new Map<string, string>(), businesses: new Map<string, string>() };
  for (const kind of ['users', 'businesses'] as const) {
    const values = [...state[kind]].filter(([value, found]) => found === undefined || isAmbiguousId(kind, value));
    for (let at = 0; at < values.length; at += maxConcurrentLookups)
      await Promise.all(
        values.slice(at, at + maxConcurrentLookups).map(async ([value]) => {
          const id = await names.resolve(kinds[kind], value);
          if (id !== value) ids[kind].set(value, id);
        }),
      );
  }
  return ids.users.size + ids.businesses.size === 0 ? undefined : replaceNames(desired, ids);
}

function replaceNames(desired: DesiredState, ids: Ids): DesiredState {
  return {
    ...desired,
    groups: desired.groups.map((group) => ({ ...group, members: replaceMembers(group.members, ids) })),
    corporateGroups: desired.corporateGroups.map((group) => replaceBusinesses(group, ids)),
    customers: desired.customers.map(({ userId, ...customer }) => ({
      ...customer,
      ...(userId === undefined ? {} : { userId: ids.users.get(userId) ?? userId }),
    })),
  };
}

function replaceMembers(members: DesiredGroup['members'], ids: Ids): DesiredGroup['members'] {
  const entries = Object.entries(members) as [MemberKind, readonly Member[]][];
  return Object.fromEntries(
    entries.map(([kind, list]) => {
      const keyed = list
        .map((member) => replaceMember(member, ids))
        .map((member) => [memberKey(member), member] as const);
      // A document may name one member by its id and by its name.
      return [kind, [...new Map(keyed).values()]];
    }),
  );
}

function replaceMember(member: Member, { users, businesses }: Ids): Member {
  const { kind, id, businessId } = member;
  if (kind === 'service') return member;
  const known = kind === 'business' ? businesses : users;
  return {
    ...member,
    id: known.get(id) ?? id,
    ...(businessId === undefined ? {} : { businessId: businesses.get(businessId) ?? businessId }),
  };
}

function replaceBusinesses(group: DesiredCorporateGroup, { businesses }: Ids): DesiredCorporateGroup {
  if (!group.businesses) return group;
  return { ...group, businesses: [...new Set(group.businesses.map((id) => businesses.get(id) ?? id))] };
}
