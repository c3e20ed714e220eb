/** Finds what earlier applies of the set created, and what of it is no longer in the documents. Pure. */

import type { Inventory, InventoryEntry, ManagedResource, PendingCreation } from './inventory.ts';
import { type AnyChange, type GroupChange, isRemoval, isSameUnordered, selectChanges } from './model/changes.ts';
import type { DesiredEntry, DesiredState } from './model/desired-entries.ts';
import type { Member } from './model/members.ts';
import type { RemoteState } from './model/remote-state.ts';
import type { ResourceIndex } from './model/resource-index.ts';
import { findResource, memberships, type OrphanedMembership, resources } from './resources/index.ts';

/** What the set owns, now that the server was read. */
export interface SetOwnership {
  readonly managed: readonly ManagedResource[];
  /** What of it an apply created without a response. */
  readonly adopted: readonly ManagedResource[];
  /** What was found for a pending creation, but another writer may have created; a list for each of them. */
  readonly unclear: readonly (readonly ManagedResource[])[];
  /** What the record of the set lacks. */
  readonly news: readonly InventoryEntry[];
}

export function creationId({ kind, key }: Pick<PendingCreation, 'kind' | 'key'>): string {
  return `${kind} ${key}`;
}

/**
 * Resolves the pending creations of a set. The plan had found nothing before it sent such a request: what is there now
 * with exactly the fields that were sent, and the defaults of all others, counts as created by the set, anything else only if
 * the user has claimed it.
 */
export function resolveOwnership(
  { managed, pending }: Inventory,
  state: RemoteState,
  claimed: ReadonlySet<string> = new Set(),
): SetOwnership {
  const isManaged = new Set(managed.map(({ kind, id }) => `${kind} ${id}`));
  const isGone = ({ kind, id }: ManagedResource) =>
    kind === 'membership' && memberships.presence(id, state) === 'absent';
  const adopted: ManagedResource[] = [];
  const unclear: ManagedResource[][] = [];
  const news: InventoryEntry[] = managed.filter(isGone).map((one) => ({ what: 'gone', ...one }));
  for (const creation of pending) {
    const { kind, key } = creation;
    const candidates = findCandidates(creation, state)?.filter(({ found: { id } }) => !isManaged.has(`${kind} ${id}`));
    if (!candidates) continue;
    const isOwn = candidates.length === 1 && candidates[0]?.isAsSent === true && creation.unclear !== true;
    const found = candidates.map((candidate) => candidate.found);
    const own = isOwn ? found : found.filter(({ id }) => claimed.has(`${kind} ${id}`));
    adopted.push(...own);
    news.push(...own.map((one) => ({ what: 'made', ...one, key }) as const));
    if (found.length === 0) news.push({ what: 'dropped', kind, key });
    else if (own.length === 0) {
      unclear.push(found);
      // What the set changes from now on can become as it was sent.
      if (!creation.unclear) news.push({ what: 'pending', ...creation, unclear: true });
    }
  }
  return { managed: [...managed.filter((one) => !isGone(one)), ...adopted], adopted, unclear, news };
}

interface Candidate {
  readonly found: ManagedResource;
  readonly isAsSent: boolean;
}

/** Returns what a pending creation can have created; undefined if that was not read. */
function findCandidates(
  { kind, key, name, groupName, sent }: PendingCreation,
  state: RemoteState,
): Candidate[] | undefined {
  if (kind === 'membership') {
    const presence = memberships.presence(key, state);
    if (presence === 'unknown') return undefined;
    return presence === 'present' ? [{ found: { kind, id: key, name, groupName }, isAsSent: true }] : [];
  }
  const resource = findResource(kind);
  if (!resource || state[resource.list] === undefined) return undefined;
  return [...resource.listRemote(state)].flatMap((remote) => {
    const fields = remote as Readonly<Record<string, unknown>>;
    if (resource.creationKey(fields) !== key) return [];
    return [
      {
        found: { kind, id: resource.idOf(remote), name },
        isAsSent: hasFields(fields, { ...resource.creationDefaults, ...sent }),
      },
    ];
  });
}

function hasFields(found: Readonly<Record<string, unknown>>, sent: PendingCreation['sent']): boolean {
  return Object.entries(sent).every(([name, value]) => isSameUnordered(found[name], value));
}

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
  const names = new Map(recorded.map(({ kind, id, name }) => [`${kind} ${id}`, name]));
  return [...resources].reverse().flatMap((resource) =>
    [...resource.listRemote(state)].flatMap((remote) => {
      const id = `${resource.kind} ${resource.idOf(remote)}`;
      const name = names.get(id);
      return name === undefined || desiredIds.has(id) ? [] : (resource.remove?.(remote, state, name) ?? []);
    }),
  );
}

/** What --prune leaves of what the set created. */
export interface KeptResource extends ManagedResource {
  /** Why, as a clause. */
  readonly reason: string;
  /** It is not certain that the set created it: the user can claim it. */
  readonly isUnclear?: true;
}

/** Returns what the API cannot delete, what it does not list, and what another writer may have created. */
export function findKept(
  recorded: readonly ManagedResource[],
  unclear: SetOwnership['unclear'],
  desired: DesiredState,
  state: RemoteState,
  index: ResourceIndex,
): KeptResource[] {
  const desiredIds = listDesiredIds(desired, index);
  const isOrphan = ({ kind, id }: ManagedResource) => !desiredIds.has(`${kind} ${id}`);
  const permanent = recorded.filter((one) => isOrphan(one) && isPermanent(one, state));
  const unlisted = memberships.findUnlisted(recorded, desired, state);
  return [
    ...permanent.map((one) => ({ ...one, reason: 'the service cannot delete it' })),
    ...unlisted.map((one) => ({ ...one, reason: 'without the control plane, users of a business are not listed' })),
    ...unclear.flatMap((found) =>
      found.filter(isOrphan).map((one) => ({
        ...one,
        name: found.length === 1 ? one.name : `${one.name} (${one.id})`,
        reason: 'another writer may have created it: the response to its creation was lost',
        isUnclear: true as const,
      })),
    ),
  ];
}

function isPermanent({ kind, id }: ManagedResource, state: RemoteState): boolean {
  const resource = kind === 'membership' ? undefined : findResource(kind);
  if (!resource || resource.remove) return false;
  return [...resource.listRemote(state)].some((remote) => resource.idOf(remote) === id);
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
