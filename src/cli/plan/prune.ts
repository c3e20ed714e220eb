/** Finds resources created by an earlier apply of the set that are no longer in the documents. Pure. */

import type { AnyChange, GroupChange } from './changes.ts';
import type { DesiredState } from './desired-state.ts';
import type { ManagedResource } from './inventory.ts';
import type { RemoteState } from './remote-state.ts';
import type { ResourceIndex } from './resource-index.ts';
import { buildCorporateGroupRemoval } from './resources/business.ts';
import { buildApiKeyRemoval, buildClientRemoval, type PlanIssue } from './resources/client.ts';
import { buildGroupRemoval } from './resources/group.ts';
import { findOrphanedMemberships, type OrphanedMembership } from './resources/memberships.ts';

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
  const resources = findRemovedResources(recorded, desired, state, index);
  const removed = new Set(resources.flatMap(({ kind, name }) => (kind === 'group' ? [name] : [])));
  const memberships = findOrphanedMemberships(recorded, desired, state).filter(
    ({ groupName }) => !removed.has(groupName),
  );
  return { resources, memberships };
}

function findRemovedResources(
  recorded: readonly ManagedResource[],
  desired: DesiredState,
  state: RemoteState,
  index: ResourceIndex,
): AnyChange[] {
  const desiredIds = listDesiredIds(desired, state, index);
  const ids = new Set(
    recorded.filter(({ kind, id }) => !desiredIds.has(`${kind} ${id}`)).map(({ kind, id }) => `${kind} ${id}`),
  );
  return [
    ...[...(state.groups?.values() ?? [])]
      .filter(({ groupId }) => ids.has(`group ${groupId}`))
      .map((one) => buildGroupRemoval(one, state)),
    ...(state.corporateGroups ?? [])
      .filter((one) => ids.has(`corporateGroup ${one.corporateGroupId}`))
      .map(buildCorporateGroupRemoval),
    ...(state.apiKeys ?? []).filter(({ apiKeyId }) => ids.has(`apiKey ${apiKeyId}`)).map(buildApiKeyRemoval),
    ...(state.clients ?? []).filter(({ clientId }) => ids.has(`client ${clientId}`)).map(buildClientRemoval),
  ];
}

/** Returns the server ids of resources in the documents. */
function listDesiredIds(desired: DesiredState, state: RemoteState, index: ResourceIndex): Set<string> {
  const found = [
    ...desired.groups.map(({ groupName }) => ['group', state.groups?.get(groupName)?.groupId]),
    ...desired.corporateGroups.map((one) => [
      'corporateGroup',
      index.corporateGroup(one.corporateGroupName)?.corporateGroupId,
    ]),
    ...desired.apiKeys.map((entry) => ['apiKey', index.apiKey(entry)?.apiKeyId]),
    ...desired.clients.map((entry) => ['client', index.client(entry)?.clientId]),
  ];
  return new Set(found.map(([kind, id]) => `${kind} ${id}`));
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

/** Returns errors for references to clients that would be deleted. */
export function findRemainingReferences(
  changes: readonly AnyChange[],
  desired: DesiredState,
  index: ResourceIndex,
): PlanIssue[] {
  const removed = new Set(
    changes.flatMap((one) => (one.kind === 'client' && one.action === 'delete' ? [one.name, one.id] : [])),
  );
  const message = (name: string) =>
    `the client of ${name} would be pruned, because it is no longer in the clients of the documents`;
  if (removed.size === 0) return [];
  return [
    ...desired.groups.flatMap(({ path, members }) =>
      (members.service ?? []).flatMap(({ id }, at) =>
        removed.has(id) ? [{ path: `${path}/services/${at}`, message: message(id) }] : [],
      ),
    ),
    ...desired.apiKeys.flatMap((entry) => {
      const { clientId } = index.client(entry) ?? {};
      return removed.has(clientId)
        ? [{ path: entry.path, message: message(entry.serviceAccountId ?? clientId ?? '') }]
        : [];
    }),
  ];
}

/** Returns the services whose clients are deleted. */
export function listRemovedServices(changes: readonly AnyChange[]): string[] {
  return changes.flatMap((one) =>
    one.kind === 'client' && one.action === 'delete' ? (one.before?.serviceAccountId ?? []) : [],
  );
}
