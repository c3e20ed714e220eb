/** Computes what must still be read for a plan; repeated after each refresh until it is empty. Pure. */

import type { DesiredState } from './desired-state.ts';
import type { ManagedResource } from './inventory.ts';
import { computeChanges } from './plan.ts';
import { findRemovals, listRemovedServices, noRemovals } from './prune.ts';
import type { RemoteState } from './remote-state.ts';
import { createResourceIndex } from './resource-index.ts';
import type { GroupChange } from './resources/changes.ts';
import { projectGroups } from './resources/group-changes.ts';
import { sortTopologically } from './resources/group-graph.ts';
import { listGroupsOfMemberships } from './resources/memberships.ts';
import { computeRoleImpact, listAffectedHolders } from './role-effects.ts';

export interface RefreshScope {
  /** Whole lists. */
  readonly lists: readonly ('groups' | 'clients' | 'apiKeys' | 'corporateGroups' | 'customers')[];
  /** Names of groups whose members must be read. */
  readonly members: readonly string[];
  readonly users: readonly string[];
  readonly businesses: readonly string[];
  readonly services: readonly string[];
  /** Services whose clients are deleted, to read all their roles. */
  readonly serviceRoles: readonly string[];
}

/** Nothing to read. */
export const emptyScope: RefreshScope = {
  lists: [],
  members: [],
  users: [],
  businesses: [],
  services: [],
  serviceRoles: [],
};

/** Whether there is anything to read. */
export function isEmptyScope(scope: RefreshScope): boolean {
  return Object.values(scope).every((part) => part.length === 0);
}

/** Returns the next reads for a plan; lists first, then members, then single resources. */
export function computeRefreshScope(
  desired: DesiredState,
  state: RemoteState,
  recorded: readonly ManagedResource[],
  prune: boolean,
): RefreshScope {
  const lists = listMissingKinds(desired, state, recorded);
  if (lists.length > 0) return { ...emptyScope, lists };
  const members = listMissingMembers(desired, state, recorded, prune);
  if (members.length > 0) return { ...emptyScope, members };
  return findMissingResources(desired, state, recorded, prune);
}

function listMissingKinds(
  desired: DesiredState,
  state: RemoteState,
  recorded: readonly ManagedResource[],
): RefreshScope['lists'] {
  const recordedKinds = new Set(recorded.map(({ kind }) => kind));
  const { groups, clients, apiKeys, corporateGroups, customers } = desired;
  const isNeeded = {
    groups: groups.length > 0 || recordedKinds.has('group') || recordedKinds.has('membership'),
    clients: clients.length > 0 || apiKeys.length > 0 || recordedKinds.has('client'),
    apiKeys: apiKeys.length > 0 || recordedKinds.has('apiKey'),
    corporateGroups: corporateGroups.length > 0 || recordedKinds.has('corporateGroup'),
    customers: customers.length > 0,
  };
  return (Object.keys(isNeeded) as (keyof typeof isNeeded)[]).filter(
    (kind) => isNeeded[kind] && state[kind] === undefined,
  );
}

/** Groups whose members are listed in the documents, and groups that are deleted. */
function listMissingMembers(
  desired: DesiredState,
  state: RemoteState,
  recorded: readonly ManagedResource[],
  prune: boolean,
): string[] {
  const listed = desired.groups
    .filter(({ members }) => Object.keys(members).length > 0)
    .map(({ groupName }) => groupName);
  const { resources } = prune
    ? findRemovals(recorded, desired, state, createResourceIndex(desired, state))
    : noRemovals;
  const removed = resources.filter(({ kind }) => kind === 'group').map(({ name }) => name);
  return listUnreadGroups([...listed, ...removed, ...listGroupsOfMemberships(recorded, desired, state)], state);
}

function listUnreadGroups(names: Iterable<string>, state: RemoteState): string[] {
  return [...new Set(names)].filter((name) => state.groups?.has(name) && !state.members.has(name));
}

function findMissingResources(
  desired: DesiredState,
  state: RemoteState,
  recorded: readonly ManagedResource[],
  prune: boolean,
): RefreshScope {
  const index = createResourceIndex(desired, state);
  const removals = prune ? findRemovals(recorded, desired, state, index) : noRemovals;
  const changes = computeChanges(desired, state, index, removals).changes.filter(
    (change): change is GroupChange => change.kind === 'group',
  );
  const serviceRoles = excludeKnown(listRemovedServices(removals.resources), state.serviceRoles);
  const named = { ...listReferencedIds(desired, changes, state), serviceRoles };
  if (sortTopologically(projectGroups(changes, state).groups).cycles.length > 0) return { ...emptyScope, ...named };
  const impact = computeRoleImpact(changes, state);
  const members = listUnreadGroups(impact.relevant, state);
  if (members.length > 0) return { ...emptyScope, ...named, members };
  const businessRoles = [...state.members.values()].some((inGroup) =>
    [...inGroup.values()].some(({ kind }) => kind === 'business'),
  );
  const holders = businessRoles ? [...listAffectedHolders(impact)] : [];
  const users = holders.filter((holder) => holder.startsWith('user ')).map((holder) => holder.slice('user '.length));
  return { ...emptyScope, ...named, users: excludeKnown([...named.users, ...users], state.users) };
}

/** Returns ids that the documents reference and that have not been looked up. */
function listReferencedIds(desired: DesiredState, changes: readonly GroupChange[], state: RemoteState) {
  const joining = changes.flatMap((change) => change.joining);
  const ids = (...kinds: readonly string[]) => joining.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id);
  const businesses = [
    ...ids('business'),
    ...joining.flatMap(({ businessId }) => (businessId === undefined ? [] : [businessId])),
    ...listNewBusinesses(desired, state),
    ...desired.customers.flatMap(({ businessId }) => (businessId === undefined ? [] : [businessId])),
  ];
  const customers = desired.customers.flatMap(({ userId }) => (userId === undefined ? [] : [userId]));
  return {
    users: excludeKnown([...ids('user', 'businessUser'), ...customers], state.users),
    businesses: excludeKnown(businesses, state.businesses),
    services: excludeKnown(ids('service'), state.services),
  };
}

function listNewBusinesses({ corporateGroups }: DesiredState, state: RemoteState): string[] {
  const inside = new Set(state.corporateGroups?.flatMap(({ businesses }) => businesses));
  return corporateGroups.flatMap(({ businesses = [] }) => businesses.filter((businessId) => !inside.has(businessId)));
}

function excludeKnown(ids: readonly string[], lookup: ReadonlyMap<string, unknown>): string[] {
  return [...new Set(ids)].filter((id) => !lookup.has(id));
}
