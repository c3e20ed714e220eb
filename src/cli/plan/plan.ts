/** The plan: what changes, what that does to roles, and what stands against it. Pure. */
import { corporateGroupChange, customerChange } from './business-changes.ts';
import type { AnyChange, GroupChange } from './changes.ts';
import { apiKeyChange, clientChange, type Refusal } from './client-changes.ts';
import type { Desired, DesiredGroup } from './desired.ts';
import { groupChange, groupsAfter } from './group-changes.ts';
import { walk } from './group-graph.ts';
import { type Caller, type Guards, guardsOf } from './guards.ts';
import { type Index, indexOf } from './matching.ts';
import { byGroup } from './memberships.ts';
import { goneServices, type Made, noRemovals, type Removals, removals, stillNamed, stillNeeded } from './pruning.ts';
import { referenceRefusals } from './references.ts';
import { type RoleEffect, reachOf, roleEffects } from './role-effects.ts';
import type { State } from './state.ts';

export interface Plan {
  readonly set?: string | undefined;
  readonly changes: readonly AnyChange[];
  readonly roles: readonly RoleEffect[];
  readonly guards: Guards;
  /** Made by earlier applies of the set, no longer asked for, and left there without --prune. */
  readonly leftovers: readonly Made[];
  /** Memberships that go because of --prune. */
  readonly pruned: readonly Made[];
  /** What can't be done; with one of them nothing is. */
  readonly refusals: readonly Refusal[];
}

export interface PlanInput {
  readonly desired: Desired;
  readonly state: State;
  readonly caller: Caller;
  readonly recorded: readonly Made[];
  readonly prune: boolean;
}

/** Compares what is asked for with what is there. */
export function planOf({ desired, state, caller, recorded, prune }: PlanInput): Plan {
  const index = indexOf(desired, state);
  const gone = removals(recorded, desired, state, index);
  const { changes, refusals } = changesOf(desired, state, index, prune ? gone : noRemovals);
  const groups = changes.filter((change): change is GroupChange => change.kind === 'group');
  const after = groupsAfter(groups, state);
  const structural = [...refusals, ...circleRefusals(desired, after.groups), ...neededRefusals(groups, after.groups)];
  const named = stillNamed(changes, desired, index);
  const all = [...structural, ...named, ...referenceRefusals(desired, state, index, changes, after.groups)];
  // Roles along a circle are not defined, and nobody needs them: the plan is refused.
  const reach = structural.length > 0 ? undefined : reachOf(groups, state);
  const roles = reach ? withServices(roleEffects(reach, state.users), goneServices(changes), state) : [];
  return {
    ...(desired.set === undefined ? {} : { set: desired.set }),
    changes,
    roles,
    guards: guardsOf(reach, roles, changes, state, caller),
    leftovers: prune ? [] : madeOf(gone),
    pruned: prune ? gone.memberships.map(({ made }) => made) : [],
    refusals: all,
  };
}

/** A service whose client goes loses everything, in whatever groups it is. */
function withServices(effects: readonly RoleEffect[], gone: readonly string[], state: State): RoleEffect[] {
  const lost = gone.flatMap((id): RoleEffect[] => {
    const loses = [...(state.serviceRoles.get(id) ?? [])].sort();
    return loses.length === 0 ? [] : [{ kind: 'service', id, gains: [], loses }];
  });
  return [...effects.filter(({ kind, id }) => kind !== 'service' || !gone.includes(id)), ...lost];
}

/** All changes, in the order in which they are printed: by kind, and by name within a kind. */
export function changesOf(desired: Desired, state: State, index: Index, gone: Removals) {
  const pruned = byGroup(gone.memberships);
  const groups = [...desired.groups, ...otherGroups(desired, pruned)];
  const customers = desired.customers.map((entry) => customerChange(entry, index));
  const clients = desired.clients.map((entry) => clientChange(entry, index));
  const keys = desired.apiKeys.map((entry) => apiKeyChange(entry, index));
  const changes: AnyChange[] = [
    ...groups.flatMap((entry) => groupChange(entry, state, pruned.get(entry.groupName))),
    ...[...customers, ...clients, ...keys].flatMap((outcome): readonly AnyChange[] => outcome.changes),
    ...desired.corporateGroups.flatMap((entry) => corporateGroupChange(entry, index)),
    ...gone.things,
  ];
  const order = ['customer', 'client', 'apiKey', 'corporateGroup', 'group'];
  const rank = ({ kind, action }: AnyChange) => order.indexOf(kind) + (action === 'delete' ? order.length : 0);
  changes.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : Number(a.name > b.name)));
  return { changes, refusals: [...customers, ...clients, ...keys].flatMap((outcome) => outcome.refusals) };
}

/** Groups that the documents do not name and whose members change all the same. */
function otherGroups({ groups }: Desired, pruned: ReadonlyMap<string, unknown>): DesiredGroup[] {
  const named = new Set(groups.map(({ groupName }) => groupName));
  const others = [...pruned.keys()].filter((name) => !named.has(name));
  return others.map((groupName) => ({ path: '', groupName, members: {} }));
}

function madeOf({ things, memberships }: Removals): Made[] {
  const asMade = things.map(({ kind, id = '', name }) => ({ kind, id, name }) as Made);
  return [...asMade, ...memberships.map(({ made }) => made)];
}

type Groups = ReadonlyMap<string, { readonly dependencies: readonly string[] }>;

function circleRefusals({ groups }: Desired, after: Groups): Refusal[] {
  const paths = new Map(groups.map(({ groupName, path }) => [groupName, path]));
  return walk(after).circles.map((circle) => {
    const path = circle.map((name) => paths.get(name)).find((found) => found !== undefined);
    return {
      path: path === undefined ? '' : `${path}/dependencies`,
      message: `the groups depend on each other in a circle: ${circle.join(' -> ')}`,
    };
  });
}

function neededRefusals(changes: readonly GroupChange[], after: Groups): Refusal[] {
  return stillNeeded(changes, after).map((message) => ({ path: '', message }));
}
