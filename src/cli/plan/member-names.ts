/** Resolves the names of users and businesses in documents: an id wins; only values that are no ids are looked up. */
import { reference } from '../../contract/entities.ts';
import type { NameResolver } from '../request/resolve-names.ts';
import type { DesiredCorporateGroup, DesiredGroup, DesiredState } from './model/desired-entries.ts';
import { type Member, type MemberKind, memberKey } from './model/members.ts';
import type { RemoteState } from './model/remote-state.ts';

const kinds = {
  users: reference('user', ['id'])['x-reference'],
  businesses: reference('business', ['id'])['x-reference'],
} as const;

type Ids = Readonly<Record<keyof typeof kinds, ReadonlyMap<string, string>>>;

/**
 * Returns the desired state with ids in place of the names of users and businesses that the server does not know as ids;
 * undefined if there are none. @throws CliError (exit 2) for an ambiguous name
 */
export async function resolveMemberNames(
  names: NameResolver,
  desired: DesiredState,
  state: RemoteState,
): Promise<DesiredState | undefined> {
  const ids = { users: new Map<string, string>(), businesses: new Map<string, string>() };
  for (const kind of ['users', 'businesses'] as const)
    for (const [value, found] of state[kind]) {
      if (found !== undefined) continue;
      const id = await names.resolve(kinds[kind], value);
      if (id !== value) ids[kind].set(value, id);
    }
  return ids.users.size + ids.businesses.size === 0 ? undefined : replaceNames(desired, ids);
}

function replaceNames(desired: DesiredState, ids: Ids): DesiredState {
  return {
    ...desired,
    groups: desired.groups.map((group) => ({ ...group, members: replaceMembers(group.members, ids) })),
    corporateGroups: desired.corporateGroups.map((group) => replaceBusinesses(group, ids)),
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
