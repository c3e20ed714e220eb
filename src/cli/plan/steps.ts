/** Orders the writes of a plan so that the server accepts each of them. Pure. */

import type {
  AnyChange,
  ApiKeyChange,
  ClientChange,
  CorporateGroupChange,
  CustomerChange,
  GroupChange,
} from './changes.ts';
import { isReachable, sortTopologically } from './group-graph.ts';
import { type Member, memberFields, memberKinds } from './members.ts';
import type { PlanCaller, RemoteGroup, RemoteState } from './remote-state.ts';

/** Maximum number of members per request, because the body size is limited. */
const maxMembersPerCall = 1000;

export type Step =
  | { readonly kind: 'customer'; readonly change: CustomerChange }
  | { readonly kind: 'client'; readonly change: ClientChange }
  | { readonly kind: 'apiKey'; readonly change: ApiKeyChange }
  /** With `release` only removals are applied, so that the removed entries can be used elsewhere. */
  | { readonly kind: 'corporateGroup'; readonly change: CorporateGroupChange; readonly release: boolean }
  | { readonly kind: 'group'; readonly change: GroupChange; readonly release: boolean }
  | { readonly kind: 'join'; readonly group: string; readonly members: readonly Member[] }
  | { readonly kind: 'leave'; readonly group: string; readonly member: Member };

/** Creates resources before their dependents, adds members after their groups, and deletes last in reverse order. */
export function buildSteps(changes: readonly AnyChange[], state: RemoteState, caller: PlanCaller): Step[] {
  const of = <Kind extends AnyChange['kind']>(kind: Kind) =>
    changes.filter((change): change is Extract<AnyChange, { kind: Kind }> => change.kind === kind);
  const isRetained = (one: AnyChange) => !isRemoval(one);
  const groups = of('group');
  const changed = groups.filter(isRetained);
  const leaves = changed.flatMap(({ name, leaving }) =>
    leaving.map((member): Step => ({ kind: 'leave', group: name, member })),
  );
  return [
    ...of('customer').map((change): Step => ({ kind: 'customer', change })),
    ...of('client')
      .filter(isRetained)
      .map((change): Step => ({ kind: 'client', change })),
    // Before their clients get roles, because creating a key requires all roles of its client.
    ...of('apiKey')
      .filter(isRetained)
      .map((change): Step => ({ kind: 'apiKey', change })),
    ...orderCorporateGroups(of('corporateGroup')),
    ...orderGroups(changed, state),
    ...changed.flatMap(buildJoins),
    // The caller's own memberships are removed last.
    ...leaves.filter((step) => !isAboutCaller(step, caller)),
    ...of('apiKey')
      .filter(isRemoval)
      .map((change): Step => ({ kind: 'apiKey', change })),
    ...orderRemovals(groups.filter(isRemoval), state),
    ...of('client')
      .filter(isRemoval)
      .map((change): Step => ({ kind: 'client', change })),
    ...leaves.filter((step) => isAboutCaller(step, caller)),
  ];
}

function isAboutCaller(step: Step, { userId, serviceId }: PlanCaller): boolean {
  if (step.kind !== 'leave') return false;
  const { kind, id } = step.member;
  return kind === 'service' ? id === serviceId : id === userId;
}

/** A business that moves is removed from its corporate group first, or that group is deleted first. */
function orderCorporateGroups(changes: readonly CorporateGroupChange[]): Step[] {
  const entries = (change: CorporateGroupChange, part: 'added' | 'removed') =>
    change.fields.find(({ field }) => field === 'businesses')?.[part] ?? [];
  const [removals, others] = [changes.filter(isRemoval), changes.filter((change) => !isRemoval(change))];
  const claimed = new Set(others.flatMap((change) => entries(change, 'added')));
  const releasing = others.filter((change) => entries(change, 'removed').some((id) => claimed.has(id)));
  const step = (release: boolean) => (change: CorporateGroupChange) =>
    ({ kind: 'corporateGroup', change, release }) as const;
  return [...removals.map(step(false)), ...releasing.map(step(true)), ...others.map(step(false))];
}

function isRemoval({ action }: AnyChange): boolean {
  return action === 'delete';
}

/** Orders dependencies first. A dependency that is reversed is removed before, to avoid a temporary cycle. */
function orderGroups(changes: readonly GroupChange[], state: RemoteState): Step[] {
  const own = new Map(changes.filter(hasGroupChange).map((change) => [change.name, change]));
  const after = new Map<string, Pick<RemoteGroup, 'dependencies'>>(state.groups);
  const union = new Map<string, Pick<RemoteGroup, 'dependencies'>>(state.groups);
  for (const { name, before, after: now } of own.values()) {
    after.set(name, { dependencies: now?.dependencies ?? [] });
    union.set(name, { dependencies: [...(before?.dependencies ?? []), ...(now?.dependencies ?? [])] });
  }
  const releasing = [...own.values()].filter(({ name, fields }) => {
    const removed = fields.find(({ field }) => field === 'dependencies')?.removed ?? [];
    return removed.some((below) => isReachable(union, below, name));
  });
  return [
    ...releasing.map((change): Step => ({ kind: 'group', change, release: true })),
    ...sortTopologically(after).order.flatMap((name) => {
      const change = own.get(name);
      return change ? [{ kind: 'group', change, release: false } as const] : [];
    }),
  ];
}

const memberFieldNames: readonly string[] = Object.values(memberFields);

/** Whether fields other than the members change. */
function hasGroupChange({ action, fields }: GroupChange): boolean {
  return action === 'create' || fields.some(({ field }) => !memberFieldNames.includes(field));
}

function buildJoins({ name, joining }: GroupChange): Step[] {
  const batches = new Map<string, Member[]>();
  for (const member of joining) {
    const key = `${memberKinds.indexOf(member.kind)} ${member.businessId ?? ''}`;
    const before = batches.get(key);
    if (before) before.push(member);
    else batches.set(key, [member]);
  }
  return [...batches.values()].flatMap((members) =>
    Array.from({ length: Math.ceil(members.length / maxMembersPerCall) }, (_, at): Step => {
      const batch = members.slice(at * maxMembersPerCall, (at + 1) * maxMembersPerCall);
      return { kind: 'join', group: name, members: batch };
    }),
  );
}

/** Deletes dependents before their dependencies. */
function orderRemovals(changes: readonly GroupChange[], state: RemoteState): Step[] {
  const removals = new Map(changes.map((change) => [change.name, change]));
  const order = sortTopologically(state.groups ?? new Map())
    .order.filter((name) => removals.has(name))
    .reverse();
  return order.map((name) => ({ kind: 'group', change: removals.get(name) as GroupChange, release: false }));
}
