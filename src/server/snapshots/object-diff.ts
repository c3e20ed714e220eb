/** Compares two dumps for people: by object with names, field by field. What only the service needs is counted. */
import { type FieldDifference, isInternalField, referredKindOf } from '../../contract/changes/field-lines.ts';
import { nameEntity } from '../directory/entity-names.ts';
import { precedes } from '../lib/code-points.ts';
import { createPause } from '../lib/event-loop-turns.ts';
import { mobileContact } from '../messaging/contacts.ts';
import type { StoredRow } from '../store/table-shape.ts';
import { customerKey, type Row, type TableName } from '../store/tables.ts';
import { type DumpTables, diffRows, findRow, keyOf } from './dump.ts';
import {
  actionOf,
  type ChangeAction,
  comparedTables,
  createSecretChecks,
  diffFields,
  type SecretChecks,
} from './dump-diff.ts';

type NameOf = (entity: ObjectEntity, id: string | undefined) => string | undefined;

interface ObjectTable<Name extends TableName> {
  readonly table: Name;
  /** Undefined if people know it by its id only. */
  nameOf?(row: Row<Name>, nameOf: NameOf): string | undefined;
}

const objectOf = <Name extends TableName>(declaration: ObjectTable<Name>) =>
  declaration as unknown as ObjectTable<never>;

/** In the order of a comparison. */
export const objectEntities = [
  ...(['user', 'group', 'client', 'apiKey', 'business', 'corporateGroup', 'customer'] as const),
  ...(['product', 'provider', 'logon', 'session', 'message'] as const),
] as const;
export type ObjectEntity = (typeof objectEntities)[number];

/** The tables whose rows are objects. */
const objectTables: Readonly<Record<ObjectEntity, ObjectTable<never>>> = {
  user: objectOf({ table: 'users', nameOf: nameEntity.user }),
  group: objectOf({ table: 'groups', nameOf: nameEntity.group }),
  client: objectOf({ table: 'clients', nameOf: nameEntity.client }),
  apiKey: objectOf({ table: 'apiKeys', nameOf: nameEntity.apiKey }),
  business: objectOf({ table: 'businesses', nameOf: nameEntity.business }),
  corporateGroup: objectOf({ table: 'corporateGroups', nameOf: nameEntity.corporateGroup }),
  customer: objectOf({
    table: 'customers',
    nameOf: ({ name, businessId, userId }, find) => name ?? find('business', businessId) ?? find('user', userId),
  }),
  product: objectOf({ table: 'products', nameOf: ({ productAlias }) => productAlias }),
  provider: objectOf({ table: 'providers' }),
  logon: objectOf({ table: 'logons' }),
  session: objectOf({
    table: 'sessions',
    nameOf: ({ userId, logon, clientId }, find) => find('user', userId) ?? logon ?? find('client', clientId),
  }),
  message: objectOf({ table: 'messages', nameOf: ({ purpose, to }) => `${purpose} to ${to}` }),
};

const entityOfTable = new Map<TableName, ObjectEntity>(
  objectEntities.map((entity) => [objectTables[entity].table, entity]),
);

/** An entry in a list of another object. */
interface Part {
  readonly entity: ObjectEntity;
  readonly id: string;
  readonly field: string;
  readonly entry: string;
}

const memberFields = {
  ...{ user: 'users', business: 'businesses', businessUser: 'business users', service: 'services' },
} as const;

/** The tables whose rows are entries in lists of other objects. */
const partTables: { readonly [Name in TableName]?: (row: Row<Name>) => Part } = {
  memberships: ({ groupId, kind, memberId }) => ({
    ...{ entity: 'group', id: groupId, field: memberFields[kind], entry: memberId },
  }),
  factors: ({ userId, email, mobile, verified }) => ({
    ...{ entity: 'user', id: userId, field: 'contacts' },
    entry: `${email ?? (mobile && mobileContact(mobile).to) ?? ''}${verified ? '' : ' (not verified)'}`,
  }),
  devices: ({ userId, deviceName, deviceId }) => ({
    ...{ entity: 'user', id: userId, field: 'devices', entry: deviceName ?? deviceId },
  }),
};

type ChangeCounts = Readonly<Record<ChangeAction, number>>;

export interface ObjectDifference {
  readonly entity: ObjectEntity;
  readonly id: string;
  readonly name?: string;
  readonly action: ChangeAction;
  readonly fields: readonly FieldDifference[];
}

export interface ObjectDiff {
  readonly counts: readonly ({ readonly entity: ObjectEntity } & ChangeCounts)[];
  /** Rows without an object of their own, and objects of which only such fields changed. */
  readonly internals: readonly ({ readonly table: TableName } & ChangeCounts)[];
  readonly objects: readonly ObjectDifference[];
  /** Of the ids in the fields. */
  readonly names: readonly { readonly kind: ObjectEntity; readonly id: string; readonly name: string }[];
  /** Absent on the last page. */
  readonly next?: string;
}

export interface ObjectDiffQuery {
  readonly entity?: ObjectEntity | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Entries of a list that are shown; the others are counted. */
const maxEntries = 50;
const rowsPerTurn = 500;

interface ObjectChange {
  readonly entity: ObjectEntity;
  readonly id: string;
  before: StoredRow | undefined;
  after: StoredRow | undefined;
  /** By field: the entries that are removed and added. */
  readonly parts: Map<string, { readonly before: string[]; readonly after: string[] }>;
}

/** The objects that differ, sorted by kind and key, a page of them with their fields. */
export async function diffObjects(from: DumpTables, to: DumpTables, query: ObjectDiffQuery): Promise<ObjectDiff> {
  const { changes, internals } = await collectChanges(from, to);
  const counts = new Map<ObjectEntity, Record<ChangeAction, number>>();
  for (const change of changes) addTo(counts, change.entity, actionOf(change));
  const start = query.after === undefined ? -1 : changes.findIndex(isAfter(query.after));
  const rest = query.after !== undefined && start < 0 ? [] : changes.slice(Math.max(start, 0));
  const selected = rest.filter(({ entity }) => query.entity === undefined || entity === query.entity);
  const page = selected.slice(0, query.limit);
  const last = page.at(-1);
  const nameOf = createNames(to, from);
  const checkOf = createSecretChecks();
  const objects = page.map((change) => describeChange(change, nameOf, checkOf));
  return {
    counts: objectEntities.flatMap((entity) => {
      const counted = counts.get(entity);
      return counted ? [{ entity, ...counted }] : [];
    }),
    internals: [...internals].map(([table, counted]) => ({ table, ...counted })),
    objects,
    names: listNames(objects, nameOf),
    ...(selected.length > page.length && last ? { next: cursorOf(last) } : {}),
  };
}

async function collectChanges(from: DumpTables, to: DumpTables) {
  const changes = new Map<string, ObjectChange>();
  const internals = new Map<TableName, Record<ChangeAction, number>>();
  const pause = createPause(rowsPerTurn);
  const find = (entity: ObjectEntity, id: string): ObjectChange => {
    const found = changes.get(`${entity} ${id}`);
    if (found) return found;
    const { table } = objectTables[entity];
    const [before, after] = [findRow(from, table, id), findRow(to, table, id)];
    const change = { entity, id, before, after, parts: new Map() };
    changes.set(`${entity} ${id}`, change);
    return change;
  };
  for (const table of comparedTables) {
    const { added, removed, changed } = await diffRows(table, from.get(table) ?? [], to.get(table) ?? []);
    const entity = entityOfTable.get(table);
    const toPart = partTables[table] as ((row: StoredRow) => Part) | undefined;
    const add = (action: ChangeAction, before: StoredRow | undefined, after: StoredRow | undefined) => {
      if (entity !== undefined && (action !== 'changed' || hasVisibleChange(entity, before, after)))
        return void find(entity, keyOf(table, (after ?? before) as StoredRow));
      const [left, right] = [before && toPart?.(before), after && toPart?.(after)];
      if (left?.entry === right?.entry) return addTo(internals, table, action);
      for (const [side, part] of [
        ['before', left],
        ['after', right],
      ] as const)
        if (part) listOf(find(part.entity, part.id), part.field)[side].push(part.entry);
    };
    for (const row of removed) {
      await pause();
      add('deleted', row, undefined);
    }
    for (const row of added) {
      await pause();
      add('created', undefined, row);
    }
    for (const [before, after] of changed) {
      await pause();
      add('changed', before, after);
    }
  }
  // Parts whose object is in neither state are left from one that was deleted.
  const known = [...changes.values()].filter(({ before, after }) => before !== undefined || after !== undefined);
  return { changes: known.sort(compareChanges), internals };
}

function hasVisibleChange(entity: ObjectEntity, before: StoredRow = {}, after: StoredRow = {}): boolean {
  return diffFields(before, after, () => true).some(({ field }) => !isInternalField(entity, field));
}

function listOf({ parts }: ObjectChange, field: string) {
  const list = parts.get(field) ?? { before: [], after: [] };
  parts.set(field, list);
  return list;
}

function addTo<Key>(counts: Map<Key, Record<ChangeAction, number>>, key: Key, action: ChangeAction): void {
  const counted = counts.get(key) ?? { created: 0, changed: 0, deleted: 0 };
  counted[action] += 1;
  counts.set(key, counted);
}

const orderOf = new Map(objectEntities.map((entity, at) => [entity, at]));

function compareChanges(one: Position, other: Position): number {
  const byEntity = (orderOf.get(one.entity) ?? 0) - (orderOf.get(other.entity) ?? 0);
  if (byEntity !== 0) return byEntity;
  return one.id === other.id ? 0 : precedes(one.id, other.id) ? -1 : 1;
}

type Position = Pick<ObjectChange, 'entity' | 'id'>;

function cursorOf({ entity, id }: Position): string {
  return `${entity}:${id}`;
}

/** A cursor of another form is before everything. */
function isAfter(cursor: string): (change: ObjectChange) => boolean {
  const at = cursor.indexOf(':');
  const entity = objectEntities.find((name) => name === cursor.slice(0, at));
  if (entity === undefined) return () => true;
  const position = { entity, id: cursor.slice(at + 1) };
  return (change) => compareChanges(position, change) < 0;
}

function describeChange(change: ObjectChange, nameOf: NameOf, checkOf: SecretChecks): ObjectDifference {
  const { entity, id, before, after, parts } = change;
  const { table } = objectTables[entity];
  const lists = [...parts].map(([field, list]) => limitLists(field, list.before, list.after));
  const fields = diffFields(before ?? {}, after ?? {}, checkOf(table)).map(({ field, ...values }) =>
    Array.isArray(values.before) || Array.isArray(values.after)
      ? limitLists(field, ...differingEntries(values.before, values.after))
      : { field, ...values },
  );
  const name = nameOf(entity, id);
  const action = actionOf(change);
  return { entity, id, ...(name === undefined ? {} : { name }), action, fields: [...fields, ...lists] };
}

function differingEntries(before: unknown, after: unknown): [unknown[], unknown[]] {
  const [left, right] = [before, after].map((list) => (Array.isArray(list) ? list : []) as unknown[]);
  const [inLeft, inRight] = [new Set(left), new Set(right)];
  return [(left ?? []).filter((entry) => !inRight.has(entry)), (right ?? []).filter((entry) => !inLeft.has(entry))];
}

function limitLists(field: string, before: readonly unknown[], after: readonly unknown[]): FieldDifference {
  const omitted = Math.max(0, before.length - maxEntries) + Math.max(0, after.length - maxEntries);
  return {
    field,
    before: before.slice(0, maxEntries),
    after: after.slice(0, maxEntries),
    ...(omitted === 0 ? {} : { omitted }),
  };
}

/** Finds the names of objects in the first dump that has them. */
function createNames(...dumps: readonly DumpTables[]): NameOf {
  const names = new Map<string, string | undefined>();
  const nameOf: NameOf = (entity, id) => {
    if (id === undefined) return undefined;
    const key = `${entity} ${id}`;
    if (!names.has(key)) names.set(key, readName(entity, id));
    return names.get(key);
  };
  const readName = (entity: ObjectEntity, id: string): string | undefined => {
    const { table, nameOf: nameRow } = objectTables[entity];
    const key = entity === 'customer' && /^[1-9]\d{0,11}$/.test(id) ? customerKey(Number(id)) : id;
    for (const dump of dumps) {
      const row = findRow(dump, table, key);
      if (row) return nameRow?.(row as never, nameOf);
    }
    return undefined;
  };
  return nameOf;
}

function listNames(objects: readonly ObjectDifference[], nameOf: NameOf): ObjectDiff['names'] {
  const names = new Map<string, ObjectDiff['names'][number]>();
  const shown = objects.flatMap(({ entity, fields }) => fields.filter(({ field }) => !isInternalField(entity, field)));
  for (const { field, before, after } of shown) {
    const kind = referredKindOf(field);
    if (kind === undefined || kind === 'service') continue;
    for (const id of [before, after].flat()) {
      const name = typeof id === 'string' ? nameOf(kind, id) : undefined;
      if (name !== undefined) names.set(`${kind} ${String(id)}`, { kind, id: String(id), name });
    }
  }
  return [...names.values()];
}
