/** Builds the plan: changes, role effects, guards and issues. Pure. */

import type { AnyChange, GroupChange } from './changes.ts';
import type { DesiredGroup, DesiredState } from './desired-state.ts';
import { sortTopologically } from './group-graph.ts';
import { evaluateGuards, type LockoutGuards } from './guards.ts';
import type { ManagedResource } from './inventory.ts';
import {
  findRemainingDependents,
  findRemainingReferences,
  findRemovals,
  listRemovedServices,
  noRemovals,
  type Removals,
} from './prune.ts';
import { findReferenceIssues } from './references.ts';
import type { PlanCaller, RemoteState } from './remote-state.ts';
import { createResourceIndex, type ResourceIndex } from './resource-index.ts';
import { diffCorporateGroup, diffCustomer } from './resources/business.ts';
import { diffApiKey, diffClient, type PlanIssue } from './resources/client.ts';
import { diffGroup, projectGroups } from './resources/group.ts';
import { groupByGroupName } from './resources/memberships.ts';
import { computeRoleEffects, computeRoleImpact, type RoleEffect } from './role-effects.ts';

export interface Plan {
  readonly set?: string | undefined;
  readonly changes: readonly AnyChange[];
  readonly roles: readonly RoleEffect[];
  readonly guards: LockoutGuards;
  /** Created by earlier applies of the set and no longer in the documents; not deleted without --prune. */
  readonly orphans: readonly ManagedResource[];
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
  readonly prune: boolean;
}

/** Compares the desired state with the remote state. */
export function buildPlan({ desired, state, caller, recorded, prune }: PlanInput): Plan {
  const index = createResourceIndex(desired, state);
  const removals = findRemovals(recorded, desired, state, index);
  const { changes, issues } = computeChanges(desired, state, index, prune ? removals : noRemovals);
  const groups = changes.filter((change): change is GroupChange => change.kind === 'group');
  const after = projectGroups(groups, state);
  const structural = [
    ...issues,
    ...findCycleIssues(desired, after.groups),
    ...findDependencyIssues(groups, after.groups),
  ];
  const named = findRemainingReferences(changes, desired, index);
  const all = [...structural, ...named, ...findReferenceIssues(desired, state, index, changes, after.groups)];
  // Effective roles are undefined for a cycle; the plan is rejected anyway.
  const impact = structural.length > 0 ? undefined : computeRoleImpact(groups, state);
  const roles = impact
    ? addRemovedServices(computeRoleEffects(impact, state.users), listRemovedServices(changes), state)
    : [];
  return {
    ...(desired.set === undefined ? {} : { set: desired.set }),
    changes,
    roles,
    guards: evaluateGuards(impact, roles, changes, state, caller),
    orphans: prune ? [] : listOrphans(removals),
    pruned: prune ? removals.memberships.map(({ made }) => made) : [],
    issues: all,
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
  const pruned = groupByGroupName(removals.memberships);
  const groups = [...desired.groups, ...listUnnamedGroups(desired, pruned)];
  const customers = desired.customers.map((entry) => diffCustomer(entry, index));
  const clients = desired.clients.map((entry) => diffClient(entry, index));
  const keys = desired.apiKeys.map((entry) => diffApiKey(entry, index));
  const changes: AnyChange[] = [
    ...groups.flatMap((entry) => diffGroup(entry, state, pruned.get(entry.groupName))),
    ...[...customers, ...clients, ...keys].flatMap((outcome): readonly AnyChange[] => outcome.changes),
    ...desired.corporateGroups.flatMap((entry) => diffCorporateGroup(entry, index)),
    ...removals.resources,
  ];
  const order = ['customer', 'client', 'apiKey', 'corporateGroup', 'group'];
  const rank = ({ kind, action }: AnyChange) => order.indexOf(kind) + (action === 'delete' ? order.length : 0);
  changes.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : Number(a.name > b.name)));
  return { changes, issues: [...customers, ...clients, ...keys].flatMap((outcome) => outcome.issues) };
}

/** Returns groups that are not in the documents but lose pruned members. */
function listUnnamedGroups({ groups }: DesiredState, pruned: ReadonlyMap<string, unknown>): DesiredGroup[] {
  const named = new Set(groups.map(({ groupName }) => groupName));
  const others = [...pruned.keys()].filter((name) => !named.has(name));
  return others.map((groupName) => ({ path: '', groupName, members: {} }));
}

function listOrphans({ resources: removed, memberships }: Removals): ManagedResource[] {
  const resources = removed.map(({ kind, id = '', name }) => ({ kind, id, name }) as ManagedResource);
  return [...resources, ...memberships.map(({ made }) => made)];
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
