/** Resolves the names of users and businesses in documents, with the rules of `NameResolver`. */
import { reference } from '../../contract/entities.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { isNameLikeId, parseTypedValue } from '../output/value-prefix.ts';
import { type FindListed, maxConcurrentLookups, type NameResolver } from '../request/resolve-names.ts';
import type { PlanIssue } from './model/changes.ts';
import type { DesiredCorporateGroup, DesiredGroup, DesiredState } from './model/desired-entries.ts';
import { type Member, type MemberKind, memberKey } from './model/members.ts';
import type { RemoteBusiness, RemoteState, RemoteUser } from './model/remote-state.ts';
import { createResourceIndex } from './model/resource-index.ts';

const kinds = {
  users: reference('user', ['id'])['x-reference'],
  businesses: reference('business', ['id'])['x-reference'],
} as const;

type Ids = Readonly<Record<keyof typeof kinds, ReadonlyMap<string, string>>>;

/**
 * Finds users in the whole list, as far as it decides what a value means: a value can also be another login name than the
 * user name, and the rows of several or of an id in the form of a login name are for the server to list.
 */
function findInUsers(users: Iterable<RemoteUser | undefined>): FindListed {
  const all = [...users].filter((user) => user !== undefined);
  const byId = new Map(all.map((user) => [user.userId, user]));
  const verified = all.filter(({ nameVerified }) => nameVerified !== false);
  const byName = new Map(verified.map((user) => [foldIdentifier(user.userName ?? ''), user]));
  return (value, isOnlyName) => {
    const withId = isOnlyName ? undefined : byId.get(value);
    const named = byName.get(foldIdentifier(value));
    if (withId !== undefined && withId !== named && (named || isNameLikeId('user', value))) return undefined;
    const found = withId ?? named;
    return found && [{ ...found }];
  };
}

/** Finds businesses in the whole list. The server lists the rows of several. */
function findInBusinesses(businesses: Iterable<RemoteBusiness | undefined>): FindListed {
  const all = [...businesses].filter((business) => business !== undefined);
  const byId = new Map(all.map((business) => [business.businessId, business]));
  const byName = new Map<string, RemoteBusiness[]>();
  for (const business of all) {
    const name = String(business.businessName);
    const named = byName.get(name) ?? [];
    named.push(business);
    byName.set(name, named);
  }
  return (value, isOnlyName) => {
    const withId = isOnlyName ? undefined : byId.get(value);
    const found = new Set([...(withId ? [withId] : []), ...(byName.get(value) ?? [])]);
    return found.size > 1 ? undefined : [...found].map((business) => ({ ...business }));
  };
}

/**
 * Whether a value must be looked up although it is an id: it can also be the name of another business. The id of a user is a
 * login name unless it looks like another kind of name, so that no other user can have it.
 */
function isAmbiguousId(kind: keyof typeof kinds, value: string): boolean {
  return kind === 'businesses' || isNameLikeId('user', value) || parseTypedValue(value).kind !== undefined;
}

/**
 * Returns the desired state with ids in place of the names of users and businesses; undefined if there are none.
 * @param issues receives what is wrong with names in the documents
 * @throws CliError (exit 2) for an ambiguous name
 */
export async function resolveMemberNames(
  names: NameResolver,
  desired: DesiredState,
  state: RemoteState,
  issues: PlanIssue[],
): Promise<DesiredState | undefined> {
  const ids = { users: new Map<string, string>(), businesses: new Map<string, string>() };
  if (state.wholeLists.has('users')) names.useList('user', findInUsers(state.users.values()));
  if (state.wholeLists.has('businesses')) names.useList('business', findInBusinesses(state.businesses.values()));
  const used = listUsed(desired);
  for (const kind of ['users', 'businesses'] as const) {
    const values = [...state[kind]].filter(
      ([value, found]) => used[kind].has(value) && (found === undefined || isAmbiguousId(kind, value)),
    );
    for (let at = 0; at < values.length; at += maxConcurrentLookups)
      await Promise.all(
        values.slice(at, at + maxConcurrentLookups).map(async ([value]) => {
          const id = await names.resolve(kinds[kind], value);
          if (id !== value) ids[kind].set(value, id);
        }),
      );
  }
  const isReplaced = [...ids.users, ...ids.businesses].some(([value, id]) => value !== id);
  issues.push(...findCreated(ids.businesses, desired, state));
  return isReplaced ? replaceNames(desired, ids) : undefined;
}

/** The values of documents that can be names. */
function listUsed({ groups, corporateGroups, customers }: DesiredState): Record<keyof typeof kinds, Set<string>> {
  const members = groups.flatMap((group) => Object.values(group.members).flat());
  const isUser = ({ kind }: Member) => kind === 'user' || kind === 'businessUser';
  const users = members.filter(isUser).map(({ id }) => id);
  const businesses = members.flatMap(
    ({ kind, id, businessId = kind === 'business' ? id : undefined }) => businessId ?? [],
  );
  return {
    users: new Set([...users, ...customers.flatMap(({ userId }) => userId ?? [])]),
    businesses: new Set([...businesses, ...corporateGroups.flatMap((group) => group.businesses ?? [])]),
  };
}

/** The names of businesses that the documents create and name as members, if another business has them already. */
function findCreated(ids: Ids['businesses'], desired: DesiredState, state: RemoteState): PlanIssue[] {
  const index = createResourceIndex(desired, state);
  return desired.customers.flatMap((customer) => {
    const { kind, businessId, document, path } = customer;
    const name = String(customer.fields.businessName);
    const id = ids.get(name);
    if (kind === 'user' || businessId !== undefined || id === undefined || id === name) return [];
    if (index.customer(customer)?.businessId === id) return [];
    const message = `The business name ${JSON.stringify(name)} is that of ${id}, and of the customer with the document ${document}, which does not exist yet. Name both by their ids: give the customer a businessId.`;
    return [{ path: `${path}/businessName`, message }];
  });
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
