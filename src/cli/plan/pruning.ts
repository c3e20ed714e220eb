/** What an earlier apply of the same set made and the documents no longer have. Pure. */

import { corporateGroupRemoval } from './business-changes.ts';
import type { AnyChange, GroupChange } from './changes.ts';
import { apiKeyRemoval, clientRemoval, type Refusal } from './client-changes.ts';
import type { Desired } from './desired.ts';
import { groupRemoval } from './group-changes.ts';
import type { Index } from './matching.ts';
import { type Leftover, leftMemberships } from './memberships.ts';
import type { State } from './state.ts';

/** Something that an apply made: known by its id, which nothing else ever has; a membership by its group and its member. */
export interface Made {
  readonly kind: 'group' | 'client' | 'apiKey' | 'corporateGroup' | 'membership';
  readonly id: string;
  readonly name: string;
}

/** What goes: things, and members of groups that stay. */
export interface Removals {
  readonly things: readonly AnyChange[];
  readonly memberships: readonly Leftover[];
}

export const noRemovals: Removals = { things: [], memberships: [] };

/** The removals of what is recorded, still there and no longer asked for. */
export function removals(recorded: readonly Made[], desired: Desired, state: State, index: Index): Removals {
  const things = removedThings(recorded, desired, state, index);
  const gone = new Set(things.flatMap(({ kind, name }) => (kind === 'group' ? [name] : [])));
  const memberships = leftMemberships(recorded, desired, state).filter(({ groupName }) => !gone.has(groupName));
  return { things, memberships };
}

function removedThings(recorded: readonly Made[], desired: Desired, state: State, index: Index): AnyChange[] {
  const kept = keptIds(desired, state, index);
  const ids = new Set(
    recorded.filter(({ kind, id }) => !kept.has(`${kind} ${id}`)).map(({ kind, id }) => `${kind} ${id}`),
  );
  return [
    ...[...(state.groups?.values() ?? [])]
      .filter(({ groupId }) => ids.has(`group ${groupId}`))
      .map((one) => groupRemoval(one, state)),
    ...(state.corporateGroups ?? [])
      .filter((one) => ids.has(`corporateGroup ${one.corporateGroupId}`))
      .map(corporateGroupRemoval),
    ...(state.apiKeys ?? []).filter(({ apiKeyId }) => ids.has(`apiKey ${apiKeyId}`)).map(apiKeyRemoval),
    ...(state.clients ?? []).filter(({ clientId }) => ids.has(`client ${clientId}`)).map(clientRemoval),
  ];
}

/** What the documents mean, as it is on the server. */
function keptIds(desired: Desired, state: State, index: Index): Set<string> {
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

/** Why a group can't go: others that stay depend on it. */
export function stillNeeded(
  changes: readonly GroupChange[],
  after: ReadonlyMap<string, { readonly dependencies: readonly string[] }>,
): string[] {
  const gone = new Set(changes.filter(({ action }) => action === 'delete').map(({ name }) => name));
  return [...after].flatMap(([name, { dependencies }]) =>
    dependencies
      .filter((below) => gone.has(below))
      .map((below) => `the group ${below} can't be pruned: ${name} depends on it`),
  );
}

/** What the documents still name of the clients that go. */
export function stillNamed(changes: readonly AnyChange[], desired: Desired, index: Index): Refusal[] {
  const gone = new Set(
    changes.flatMap((one) => (one.kind === 'client' && one.action === 'delete' ? [one.name, one.id] : [])),
  );
  const message = (name: string) =>
    `the client of ${name} would be pruned: it is no longer among the clients of the documents`;
  if (gone.size === 0) return [];
  return [
    ...desired.groups.flatMap(({ path, members }) =>
      (members.service ?? []).flatMap(({ id }, at) =>
        gone.has(id) ? [{ path: `${path}/services/${at}`, message: message(id) }] : [],
      ),
    ),
    ...desired.apiKeys.flatMap((entry) => {
      const { clientId } = index.client(entry) ?? {};
      return gone.has(clientId)
        ? [{ path: entry.path, message: message(entry.serviceAccountId ?? clientId ?? '') }]
        : [];
    }),
  ];
}

/** Services whose clients go. */
export function goneServices(changes: readonly AnyChange[]): string[] {
  return changes.flatMap((one) =>
    one.kind === 'client' && one.action === 'delete' ? (one.before?.serviceAccountId ?? []) : [],
  );
}
