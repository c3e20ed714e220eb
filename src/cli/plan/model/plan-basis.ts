/** What a plan was made from, and how that differs from a later plan of the same documents. Pure. */
import {
  type AnyChange,
  diffList,
  diffValue,
  type FieldChange,
  isSameUnordered,
  type ResourceChange,
} from './changes.ts';

/** A change with the state of the resource that it was computed from. */
export interface BasisChange extends ResourceChange {
  readonly before?: Readonly<Record<string, unknown>>;
}

interface SubjectRoles {
  readonly kind: string;
  readonly id: string;
  readonly gains: readonly string[];
  readonly loses: readonly string[];
}

export interface PlanBasis {
  readonly changes: readonly BasisChange[];
  readonly roles: readonly SubjectRoles[];
  readonly guards: unknown;
}

/** A resource whose state differs: `before` is the value that the plan was made from, `after` the value now. */
export type StateDifference = Pick<ResourceChange, 'action' | 'kind' | 'name' | 'fields'>;

export interface PlanDifference {
  readonly resources: readonly StateDifference[];
  /** Changes that only the new plan contains. */
  readonly appeared: readonly Pick<ResourceChange, 'action' | 'kind' | 'name'>[];
  /** Changes that only the earlier plan contains. */
  readonly vanished: readonly Pick<ResourceChange, 'action' | 'kind' | 'name'>[];
  /** Users, businesses and services that gain or lose other roles than planned. */
  readonly roles: readonly { readonly kind: string; readonly id: string; readonly fields: readonly FieldChange[] }[];
  /** Whether the plan affects other administrators. */
  readonly administrators: boolean;
}

/** Returns the basis of a change, without what only the execution needs. */
export function toBasisChange(change: AnyChange): BasisChange {
  const { action, kind, name, id, fields } = change;
  const before = 'before' in change ? change.before : undefined;
  return {
    ...{ action, kind, name, fields },
    ...(id === undefined ? {} : { id }),
    ...(before === undefined ? {} : { before: { ...before } }),
  };
}

/** Compares the bases of two plans of the same documents. */
export function comparePlanBases(earlier: PlanBasis, now: PlanBasis): PlanDifference {
  const pairs = pairBy(earlier.changes, now.changes, ({ kind, name }) => `${kind} ${name}`);
  const isSame = (pair: Pair<BasisChange>) => pair.earlier?.action === pair.now?.action;
  const pick = (change: BasisChange | undefined) =>
    change ? [{ action: change.action, kind: change.kind, name: change.name }] : [];
  const moved = pairs.filter((pair) => !isSame(pair));
  return {
    resources: pairs.flatMap(compareStates),
    appeared: moved.flatMap((pair) => pick(pair.now)),
    vanished: moved.flatMap((pair) => pick(pair.earlier)),
    roles: pairBy(earlier.roles, now.roles, ({ kind, id }) => `${kind} ${id}`).flatMap(compareRoles),
    administrators: JSON.stringify(earlier.guards) !== JSON.stringify(now.guards),
  };
}

interface Pair<Entry> {
  readonly earlier?: Entry;
  readonly now?: Entry;
}

/** Pairs the entries with the same key; repeated keys are paired in order. */
function pairBy<Entry>(
  earlier: readonly Entry[],
  now: readonly Entry[],
  getKey: (entry: Entry) => string,
): Pair<Entry>[] {
  const pairs = new Map<string, Pair<Entry>>();
  const add = (side: 'earlier' | 'now', entries: readonly Entry[]) => {
    const counts = new Map<string, number>();
    for (const entry of entries) {
      const count = (counts.get(getKey(entry)) ?? 0) + 1;
      counts.set(getKey(entry), count);
      const key = `${count} ${getKey(entry)}`;
      pairs.set(key, { ...pairs.get(key), [side]: entry });
    }
  };
  add('earlier', earlier);
  add('now', now);
  return [...pairs.values()];
}

/** The plans have the same documents, so that a difference of two changes is one of the server. */
function compareStates({ earlier, now }: Pair<BasisChange>): StateDifference[] {
  const change = now ?? earlier;
  if (!change) return [];
  const { kind, name } = change;
  const existed = earlier?.action !== 'create';
  const exists = now ? now.action !== 'create' : earlier?.action !== 'delete';
  if (existed !== exists) return [{ action: exists ? 'create' : 'delete', kind, name, fields: [] }];
  const fields = exists ? compareFields(earlier, now) : [];
  return fields.length === 0 ? [] : [{ action: 'update', kind, name, fields }];
}

function compareFields(earlier: BasisChange | undefined, now: BasisChange | undefined): FieldChange[] {
  const all = pairBy(earlier?.fields ?? [], now?.fields ?? [], ({ field }) => field);
  const planned = all.flatMap(comparePlannedField);
  const covered = new Set(all.map((pair) => (pair.now ?? pair.earlier)?.field));
  const [old, current] = [earlier?.before, now?.before];
  if (!old || !current) return planned;
  const others = [...new Set([...Object.keys(old), ...Object.keys(current)])].filter((field) => !covered.has(field));
  return [...planned, ...others.flatMap((field) => compareValue(field, old[field], current[field]))];
}

/** An absent change of a field means that the server has the value of the documents. */
function comparePlannedField({ earlier, now }: Pair<FieldChange>): FieldChange[] {
  const { field = '' } = now ?? earlier ?? {};
  const sides = [earlier, now];
  if (!sides.some((side) => side?.added !== undefined || side?.removed !== undefined))
    return compareValue(field, earlier ? earlier.before : now?.after, now ? now.before : earlier?.after);
  // The documents add what the server lacks and remove what it has in excess.
  const { added: oldLack = [], removed: oldExcess = [] } = earlier ?? {};
  const { added: lack = [], removed: excess = [] } = now ?? {};
  const without = (entries: readonly string[], others: readonly string[]) =>
    entries.filter((entry) => !others.includes(entry));
  const added = [...without(oldLack, lack), ...without(excess, oldExcess)].sort();
  const removed = [...without(lack, oldLack), ...without(oldExcess, excess)].sort();
  return added.length + removed.length === 0 ? [] : [{ field, added, removed }];
}

function compareValue(field: string, before: unknown, after: unknown): FieldChange[] {
  if (isSameUnordered(before, after)) return [];
  if (isTextList(before) && isTextList(after)) return diffList(field, before, after);
  return diffValue(field, toShownValue(before), toShownValue(after));
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

/** A composite value is shown as JSON. */
function toShownValue(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function compareRoles({ earlier, now }: Pair<SubjectRoles>): PlanDifference['roles'] {
  const { kind = '', id = '' } = now ?? earlier ?? {};
  const fields = [
    ...diffList('gains', earlier?.gains ?? [], now?.gains ?? []),
    ...diffList('loses', earlier?.loses ?? [], now?.loses ?? []),
  ];
  return fields.length === 0 ? [] : [{ kind, id, fields }];
}
