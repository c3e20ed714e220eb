/** Finds resources created by an earlier apply of the set that are no longer in the documents. Pure. */

import type { ManagedResource } from './inventory.ts';
import { type AnyChange, type GroupChange, isRemoval, selectChanges } from './model/changes.ts';
import type { DesiredEntry, DesiredState } from './model/desired-entries.ts';
import type { Member } from './model/members.ts';
import type { RemoteState } from './model/remote-state.ts';
import type { ResourceIndex } from './model/resource-index.ts';
import { memberships, type OrphanedMembership, resources } from './resources/index.ts';

/** Resources to delete, and memberships to remove from remaining groups. */
export interface Removals {
  readonly resources: readonly AnyChange[];
  readonly memberships: readonly OrphanedMembership[];
}

export const noRemovals: Removals = { resources: [], memberships: [] };

/** Returns the removals of recorded resources that still exist and are no longer in the documents. */
export function findRemovals(
  recorded: readonly ManagedResource[],
  desired: DesiredState,
  state: RemoteState,
  index: ResourceIndex,
): Removals {
  const removals = findRemovedResources(recorded, desired, state, index);
  const removed = new Set(removals.flatMap(({ kind, name }) => (kind === 'group' ? [name] : [])));
  const orphaned = memberships.findOrphaned(recorded, desired, state);
  return { resources: removals, memberships: orphaned.filter(({ groupName }) => !removed.has(groupName)) };
}

/** Returns the deletions in reverse dependency order of the kinds. */
function findRemovedResources(
  recorded: readonly ManagedResource[],
  desired: DesiredState,
  state: RemoteState,
  index: ResourceIndex,
): AnyChange[] {
  const desiredIds = listDesiredIds(desired, index);
  const ids = new Set(recorded.map(({ kind, id }) => `${kind} ${id}`).filter((id) => !desiredIds.has(id)));
  return [...resources]
    .reverse()
    .flatMap((resource) =>
      [...resource.listRemote(state)]
        .filter((remote) => ids.has(`${resource.kind} ${resource.idOf(remote)}`))
        .flatMap((remote) => resource.remove?.(remote, state) ?? []),
    );
}

/** Returns the server ids of resources in the documents. */
function listDesiredIds(desired: DesiredState, index: ResourceIndex): Set<string> {
  const found = resources.flatMap((resource) =>
    desired[resource.list].flatMap((entry: DesiredEntry) => {
      const remote = resource.find(entry, index);
      return remote === undefined ? [] : [`${resource.kind} ${resource.idOf(remote)}`];
    }),
  );
  return new Set(found);
}

/** Returns errors for deleted groups on which remaining groups depend. */
export function findRemainingDependents(
  changes: readonly GroupChange[],
  after: ReadonlyMap<string, { readonly dependencies: readonly string[] }>,
): string[] {
  const removed = new Set(changes.filter(({ action }) => action === 'delete').map(({ name }) => name));
  return [...after].flatMap(([name, { dependencies }]) =>
    dependencies
      .filter((below) => removed.has(below))
      .map((below) => `the group ${below} can't be pruned: ${name} depends on it`),
  );
}

/** Returns the ids and service accounts of clients that are deleted. */
export function listRemovedClients(changes: readonly AnyChange[]): ReadonlySet<string> {
  const removals = selectChanges(changes, 'client').filter(isRemoval);
  return new Set(removals.flatMap(({ name, id }) => (id === undefined ? [name] : [name, id])));
}

/** Returns the services whose clients are deleted. */
export function listRemovedServices(changes: readonly AnyChange[]): string[] {
  return changes.flatMap((one) =>
    one.kind === 'client' && one.action === 'delete' ? (one.before?.serviceAccountId ?? []) : [],
  );
}

/** Groups members to remove by group name. */
export function groupByGroupName(orphans: readonly OrphanedMembership[]): ReadonlyMap<string, readonly Member[]> {
  const result = new Map<string, Member[]>();
  for (const { groupName, member } of orphans) {
    const others = result.get(groupName);
    if (others) others.push(member);
    else result.set(groupName, [member]);
  }
  return result;
}
