/** What planning still needs to read: asked again after each reading, until it is nothing. Pure. */
import type { GroupChange } from './changes.ts';
import type { Desired } from './desired.ts';
import { groupsAfter } from './group-changes.ts';
import { walk } from './group-graph.ts';
import { indexOf } from './matching.ts';
import { groupsOfMemberships } from './memberships.ts';
import { changesOf } from './plan.ts';
import { goneServices, type Made, noRemovals, removals } from './pruning.ts';
import { reachOf, touchedHolders } from './role-effects.ts';
import type { State } from './state.ts';

export interface Unread {
  /** Whole lists. */
  readonly lists: readonly ('groups' | 'clients' | 'apiKeys' | 'corporateGroups' | 'customers')[];
  /** Names of groups whose members are needed. */
  readonly members: readonly string[];
  readonly users: readonly string[];
  readonly businesses: readonly string[];
  readonly services: readonly string[];
  /** Services whose clients go, with all that they may do. */
  readonly serviceRoles: readonly string[];
}

/** Nothing to read. */
export const none: Unread = {
  lists: [],
  members: [],
  users: [],
  businesses: [],
  services: [],
  serviceRoles: [],
};

/** Whether there is anything to read. */
export function isEmpty(wanted: Unread): boolean {
  return Object.values(wanted).every((part) => part.length === 0);
}

/** What is missing for a plan, the cheapest and most telling first. */
export function unread(desired: Desired, state: State, recorded: readonly Made[], prune: boolean): Unread {
  const lists = missingLists(desired, state, recorded);
  if (lists.length > 0) return { ...none, lists };
  const members = missingMembers(desired, state, recorded, prune);
  if (members.length > 0) return { ...none, members };
  return missingThings(desired, state, recorded, prune);
}

function missingLists(desired: Desired, state: State, recorded: readonly Made[]): Unread['lists'] {
  const made = new Set(recorded.map(({ kind }) => kind));
  const { groups, clients, apiKeys, corporateGroups, customers } = desired;
  const wanted = {
    groups: groups.length > 0 || made.has('group') || made.has('membership'),
    clients: clients.length > 0 || apiKeys.length > 0 || made.has('client'),
    apiKeys: apiKeys.length > 0 || made.has('apiKey'),
    corporateGroups: corporateGroups.length > 0 || made.has('corporateGroup'),
    customers: customers.length > 0,
  };
  return (Object.keys(wanted) as (keyof typeof wanted)[]).filter((kind) => wanted[kind] && state[kind] === undefined);
}

/** Members of the groups whose members are listed, and of those that go. */
function missingMembers(desired: Desired, state: State, recorded: readonly Made[], prune: boolean): string[] {
  const listed = desired.groups
    .filter(({ members }) => Object.keys(members).length > 0)
    .map(({ groupName }) => groupName);
  const { things } = prune ? removals(recorded, desired, state, indexOf(desired, state)) : noRemovals;
  const gone = things.filter(({ kind }) => kind === 'group').map(({ name }) => name);
  return namesToRead([...listed, ...gone, ...groupsOfMemberships(recorded, desired, state)], state);
}

function namesToRead(names: Iterable<string>, state: State): string[] {
  return [...new Set(names)].filter((name) => state.groups?.has(name) && !state.members.has(name));
}

function missingThings(desired: Desired, state: State, recorded: readonly Made[], prune: boolean): Unread {
  const index = indexOf(desired, state);
  const gone = prune ? removals(recorded, desired, state, index) : noRemovals;
  const changes = changesOf(desired, state, index, gone).changes.filter(
    (change): change is GroupChange => change.kind === 'group',
  );
  const serviceRoles = fresh(goneServices(gone.things), state.serviceRoles);
  const named = { ...namedThings(desired, changes, state), serviceRoles };
  if (walk(groupsAfter(changes, state).groups).circles.length > 0) return { ...none, ...named };
  const reach = reachOf(changes, state);
  const members = namesToRead(reach.relevant, state);
  if (members.length > 0) return { ...none, ...named, members };
  const businessRoles = [...state.members.values()].some((inGroup) =>
    [...inGroup.values()].some(({ kind }) => kind === 'business'),
  );
  const holders = businessRoles ? [...touchedHolders(reach)] : [];
  const users = holders.filter((holder) => holder.startsWith('user ')).map((holder) => holder.slice('user '.length));
  return { ...none, ...named, users: fresh([...named.users, ...users], state.users) };
}

/** What documents name for the first time, so that it has to be looked for. */
function namedThings(desired: Desired, changes: readonly GroupChange[], state: State) {
  const joining = changes.flatMap((change) => change.joining);
  const ids = (...kinds: readonly string[]) => joining.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id);
  const businesses = [
    ...ids('business'),
    ...joining.flatMap(({ businessId }) => (businessId === undefined ? [] : [businessId])),
    ...newInCorporateGroups(desired, state),
    ...desired.customers.flatMap(({ businessId }) => (businessId === undefined ? [] : [businessId])),
  ];
  const customers = desired.customers.flatMap(({ userId }) => (userId === undefined ? [] : [userId]));
  return {
    users: fresh([...ids('user', 'businessUser'), ...customers], state.users),
    businesses: fresh(businesses, state.businesses),
    services: fresh(ids('service'), state.services),
  };
}

function newInCorporateGroups({ corporateGroups }: Desired, state: State): string[] {
  const inside = new Set(state.corporateGroups?.flatMap(({ businesses }) => businesses));
  return corporateGroups.flatMap(({ businesses = [] }) => businesses.filter((businessId) => !inside.has(businessId)));
}

function fresh(ids: readonly string[], looked: ReadonlyMap<string, unknown>): string[] {
  return [...new Set(ids)].filter((id) => !looked.has(id));
}
