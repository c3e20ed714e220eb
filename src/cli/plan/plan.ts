/** Builds the plan: changes, role effects, guards and issues. Pure. */

import { describeInvisible } from '../../contract/visible-names.ts';
import { describePrefix } from '../output/value-prefix.ts';
import { evaluateGuards, type LockoutGuards } from './guards.ts';
import type { ManagedResource } from './inventory.ts';
import { type AnyChange, type GroupChange, isRemoval, type PlanIssue, selectChanges } from './model/changes.ts';
import type { DesiredState } from './model/desired-entries.ts';
import { sortTopologically } from './model/group-graph.ts';
import type { PlanCaller, RemoteState } from './model/remote-state.ts';
import { createResourceIndex, type ResourceIndex } from './model/resource-index.ts';
import {
  findKept,
  findRemainingDependents,
  findRemovals,
  groupByGroupName,
  type KeptResource,
  listRemovedClients,
  listRemovedServices,
  noRemovals,
  type Removals,
  type SetOwnership,
} from './prune.ts';
import type { CheckContext } from './resource.ts';
import { documentResources, findResource, resources } from './resources/index.ts';
import {
  computeHeldRolesOf,
  computeRoleEffects,
  computeRoleImpact,
  projectGroups,
  type RoleEffect,
} from './role-effects.ts';

export interface Plan {
  readonly set?: string | undefined;
  readonly changes: readonly AnyChange[];
  readonly roles: readonly RoleEffect[];
  readonly guards: LockoutGuards;
  /** Created by earlier applies of the set and no longer in the documents; not deleted without --prune. */
  readonly orphans: readonly ManagedResource[];
  /** What --prune leaves; without --prune only what another writer may have created. */
  readonly kept: readonly KeptResource[];
  /** Created by an earlier apply, which did not receive their secrets. */
  readonly lostSecrets: readonly ManagedResource[];
  /** Memberships that --prune removes. */
  readonly pruned: readonly ManagedResource[];
  /** Changes that cannot be applied. Any issue rejects the whole plan. */
  readonly issues: readonly PlanIssue[];
}

export interface PlanInput {
  readonly desired: DesiredState;
  readonly state: RemoteState;
  readonly caller: PlanCaller;
  readonly recorded: readonly ManagedResource[];
  readonly adopted?: readonly ManagedResource[];
  readonly unclear?: SetOwnership['unclear'];
  readonly prune: boolean;
}

/** Compares the desired state with the remote state. */
export function buildPlan({ desired, state, caller, recorded, adopted = [], unclear = [], prune }: PlanInput): Plan {
  const index = createResourceIndex(desired, state);
  const removals = findRemovals(recorded, desired, state, index);
  const { changes, issues } = computeChanges(desired, state, index, prune ? removals : noRemovals);
  const groups = selectChanges(changes, 'group');
  const after = projectGroups(groups, state);
  const structural = [
    ...issues,
    ...findUnusableNames(desired, index),
    ...findCycleIssues(desired, after.groups),
    ...findDependencyIssues(groups, after.groups),
  ];
  const references = findReferenceIssues({
    desired,
    state,
    index,
    changes,
    groupChanges: new Map(groups.map((change) => [change.name, change])),
    removedClients: listRemovedClients(changes),
    groupsAfter: after.groups,
  });
  // Effective roles are undefined for a cycle; the plan is rejected anyway.
  const impact = structural.length > 0 ? undefined : computeRoleImpact(groups, state, after);
  const held = impact && computeHeldRolesOf(impact);
  const roles =
    impact && held
      ? addRemovedServices(computeRoleEffects(impact, held, state.users), listRemovedServices(changes), state)
      : [];
  return {
    ...(desired.set === undefined ? {} : { set: desired.set }),
    changes,
    roles,
    guards: evaluateGuards(held, roles, changes, state, caller),
    orphans: prune ? [] : listOrphans(removals),
    kept: findKept(prune ? recorded : [], unclear, desired, state, index),
    lostSecrets: findLostSecrets(adopted, changes),
    pruned: prune ? removals.memberships.map(({ made }) => made) : [],
    issues: [...structural, ...references],
  };
}

/** A service whose client is deleted loses all its roles. */
function addRemovedServices(
  effects: readonly RoleEffect[],
  removed: readonly string[],
  state: RemoteState,
): RoleEffect[] {
  const lost = removed.flatMap((id): RoleEffect[] => {
    const loses = [...(state.serviceRoles.get(id) ?? [])].sort();
    return loses.length === 0 ? [] : [{ kind: 'service', id, gains: [], loses }];
  });
  return [...effects.filter(({ kind, id }) => kind !== 'service' || !removed.includes(id)), ...lost];
}

/** Computes all changes in print order: by kind, then by name. */
export function computeChanges(desired: DesiredState, state: RemoteState, index: ResourceIndex, removals: Removals) {
  const context = { state, index, pruned: groupByGroupName(removals.memberships) };
  const results = resources.map((resource) => resource.diff(desired[resource.list], context));
  const changes = [...results.flatMap((result) => result.changes), ...removals.resources];
  const order = resources.map(({ kind }) => kind);
  const rank = ({ kind, action }: AnyChange) => order.indexOf(kind) + (action === 'delete' ? order.length : 0);
  changes.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : Number(a.name > b.name)));
  return { changes, issues: results.flatMap((result) => result.issues) };
}

/** Returns the references of the documents to resources that do not exist after the changes. */
function findReferenceIssues(context: CheckContext): PlanIssue[] {
  return documentResources.flatMap((resource) => resource.check(context.desired[resource.list], context));
}

function listOrphans({ resources: removed, memberships }: Removals): ManagedResource[] {
  const resources = removed.map(({ kind, id = '', name }) => ({ kind, id, name }) as ManagedResource);
  return [...resources, ...memberships.map(({ made }) => made)];
}

/** Returns the clients and API keys that remain, and whose only copy of the secret was in a lost response. */
function findLostSecrets(adopted: readonly ManagedResource[], changes: readonly AnyChange[]): ManagedResource[] {
  const removed = new Set(changes.filter(isRemoval).map(({ kind, id }) => `${kind} ${id}`));
  return adopted.filter(
    ({ kind, id }) =>
      kind !== 'membership' && findResource(kind)?.describeSecretOwner !== undefined && !removed.has(`${kind} ${id}`),
  );
}

/** The names of new resources that the server would reject, or that mean another one. Those that exist may have them. */
function findUnusableNames(desired: DesiredState, index: ResourceIndex): PlanIssue[] {
  return documentResources.flatMap((resource) =>
    desired[resource.list].flatMap((entry) => {
      if (resource.find(entry, index) !== undefined) return [];
      const { nameField = '', newNames } = resource;
      const given = { [nameField]: (entry as object as Readonly<Record<string, unknown>>)[nameField] };
      const visible = newNames?.(entry, index) ?? {};
      return Object.entries({ ...given, ...visible }).flatMap(([field, name]) => {
        if (typeof name !== 'string') return [];
        const violation = (field in visible ? describeInvisible(name) : undefined) ?? describePrefix(name);
        return violation === undefined ? [] : [{ path: `${entry.path}/${field}`, message: `${field} ${violation}` }];
      });
    }),
  );
}

type Groups = ReadonlyMap<string, { readonly dependencies: readonly string[] }>;

function findCycleIssues({ groups }: DesiredState, after: Groups): PlanIssue[] {
  const paths = new Map(groups.map(({ groupName, path }) => [groupName, path]));
  return sortTopologically(after).cycles.map((cycle) => {
    const path = cycle.map((name) => paths.get(name)).find((found) => found !== undefined);
    return {
      path: path === undefined ? '' : `${path}/dependencies`,
      message: `dependency cycle: ${cycle.join(' -> ')}`,
    };
  });
}

function findDependencyIssues(changes: readonly GroupChange[], after: Groups): PlanIssue[] {
  return findRemainingDependents(changes, after).map((message) => ({ path: '', message }));
}
