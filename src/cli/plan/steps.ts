/** The writes of a plan in an order that the server takes at every point of it. Pure. */
import type {
  AnyChange,
  ApiKeyChange,
  ClientChange,
  CorporateGroupChange,
  CustomerChange,
  GroupChange,
} from './changes.ts';
import { reaches, walk } from './group-graph.ts';
import type { Caller } from './guards.ts';
import { type Member, memberFields, memberKinds } from './members.ts';
import type { GroupState, State } from './state.ts';

/** Writes that name many members name so many at once: what a body may hold is limited. */
const membersAtOnce = 1000;

export type Step =
  | { readonly kind: 'customer'; readonly change: CustomerChange }
  | { readonly kind: 'client'; readonly change: ClientChange }
  | { readonly kind: 'apiKey'; readonly change: ApiKeyChange }
  /** With `release` only what goes is taken away, so that it is free for another. */
  | { readonly kind: 'corporateGroup'; readonly change: CorporateGroupChange; readonly release: boolean }
  | { readonly kind: 'group'; readonly change: GroupChange; readonly release: boolean }
  | { readonly kind: 'join'; readonly group: string; readonly members: readonly Member[] }
  | { readonly kind: 'leave'; readonly group: string; readonly member: Member };

/** Things before what rests on them, members after their groups, and what goes last and in reverse. */
export function stepsOf(changes: readonly AnyChange[], state: State, caller: Caller): Step[] {
  const of = <Kind extends AnyChange['kind']>(kind: Kind) =>
    changes.filter((change): change is Extract<AnyChange, { kind: Kind }> => change.kind === kind);
  const kept = (one: AnyChange) => !isRemoval(one);
  const groups = of('group');
  const changed = groups.filter(kept);
  const leaves = changed.flatMap(({ name, leaving }) =>
    leaving.map((member): Step => ({ kind: 'leave', group: name, member })),
  );
  return [
    ...of('customer').map((change): Step => ({ kind: 'customer', change })),
    ...of('client')
      .filter(kept)
      .map((change): Step => ({ kind: 'client', change })),
    // Before their clients get roles: who makes a key must hold all roles of its client.
    ...of('apiKey')
      .filter(kept)
      .map((change): Step => ({ kind: 'apiKey', change })),
    ...corporateSteps(of('corporateGroup')),
    ...groupSteps(changed, state),
    ...changed.flatMap(joins),
    // Whoever puts himself out does everything else before.
    ...leaves.filter((step) => !isAbout(step, caller)),
    ...of('apiKey')
      .filter(isRemoval)
      .map((change): Step => ({ kind: 'apiKey', change })),
    ...removalsInOrder(groups.filter(isRemoval), state),
    ...of('client')
      .filter(isRemoval)
      .map((change): Step => ({ kind: 'client', change })),
    ...leaves.filter((step) => isAbout(step, caller)),
  ];
}

function isAbout(step: Step, { userId, serviceId }: Caller): boolean {
  if (step.kind !== 'leave') return false;
  const { kind, id } = step.member;
  return kind === 'service' ? id === serviceId : id === userId;
}

/** A business that moves is set free before it joins another, also by the end of the corporate group that it is in. */
function corporateSteps(changes: readonly CorporateGroupChange[]): Step[] {
  const entries = (change: CorporateGroupChange, part: 'added' | 'removed') =>
    change.fields.find(({ field }) => field === 'businesses')?.[part] ?? [];
  const [gone, kept] = [changes.filter(isRemoval), changes.filter((change) => !isRemoval(change))];
  const taken = new Set(kept.flatMap((change) => entries(change, 'added')));
  const releasing = kept.filter((change) => entries(change, 'removed').some((id) => taken.has(id)));
  const step = (release: boolean) => (change: CorporateGroupChange) =>
    ({ kind: 'corporateGroup', change, release }) as const;
  return [...gone.map(step(false)), ...releasing.map(step(true)), ...kept.map(step(false))];
}

function isRemoval({ action }: AnyChange): boolean {
  return action === 'delete';
}

/** Dependencies come first. One that turns round is taken away before, or there would be a circle for a moment. */
function groupSteps(changes: readonly GroupChange[], state: State): Step[] {
  const own = new Map(changes.filter(changesGroup).map((change) => [change.name, change]));
  const after = new Map<string, Pick<GroupState, 'dependencies'>>(state.groups);
  const union = new Map<string, Pick<GroupState, 'dependencies'>>(state.groups);
  for (const { name, before, after: now } of own.values()) {
    after.set(name, { dependencies: now?.dependencies ?? [] });
    union.set(name, { dependencies: [...(before?.dependencies ?? []), ...(now?.dependencies ?? [])] });
  }
  const releasing = [...own.values()].filter(({ name, fields }) => {
    const removed = fields.find(({ field }) => field === 'dependencies')?.removed ?? [];
    return removed.some((below) => reaches(union, below, name));
  });
  return [
    ...releasing.map((change): Step => ({ kind: 'group', change, release: true })),
    ...walk(after).order.flatMap((name) => {
      const change = own.get(name);
      return change ? [{ kind: 'group', change, release: false } as const] : [];
    }),
  ];
}

const memberFieldNames: readonly string[] = Object.values(memberFields);

/** Whether more than its members changes. */
function changesGroup({ action, fields }: GroupChange): boolean {
  return action === 'create' || fields.some(({ field }) => !memberFieldNames.includes(field));
}

function joins({ name, joining }: GroupChange): Step[] {
  const lots = new Map<string, Member[]>();
  for (const member of joining) {
    const lot = `${memberKinds.indexOf(member.kind)} ${member.businessId ?? ''}`;
    const before = lots.get(lot);
    if (before) before.push(member);
    else lots.set(lot, [member]);
  }
  return [...lots.values()].flatMap((members) =>
    Array.from({ length: Math.ceil(members.length / membersAtOnce) }, (_, at): Step => {
      const lot = members.slice(at * membersAtOnce, (at + 1) * membersAtOnce);
      return { kind: 'join', group: name, members: lot };
    }),
  );
}

/** Those that depend on others go before them. */
function removalsInOrder(changes: readonly GroupChange[], state: State): Step[] {
  const gone = new Map(changes.map((change) => [change.name, change]));
  const order = walk(state.groups ?? new Map())
    .order.filter((name) => gone.has(name))
    .reverse();
  return order.map((name) => ({ kind: 'group', change: gone.get(name) as GroupChange, release: false }));
}
