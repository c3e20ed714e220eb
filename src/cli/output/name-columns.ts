/**
 * Names beside ids in tables and fields for people. A property holds ids if its schema refers to an entity by id; its name is
 * in the column of the entity, beside the id, or in parentheses behind an id in a list.
 */
import { type EntityName, entities, entityOf } from '../../contract/entities.ts';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { ListShape } from './list-writer.ts';

/** Returns the names of these ids that are known. */
export type FindNames = (ids: readonly string[]) => Promise<EntityNames>;

/** Returns the name of an entity, if it is known. */
export type NameOf = (entity: EntityName, id: string) => string | undefined;

/** The names of entities, by `entity id`. */
export type EntityNames = ReadonlyMap<string, string>;

export function nameKey(entity: EntityName, id: string): string {
  return `${entity} ${id}`;
}

/** The id and the name of an entity: `64b0c0ffee00000000000001 (alice)`. The name of a service is its id. */
export function formatNamedId(id: string, name: string | undefined): string {
  return name === undefined || name === id ? id : `${id} (${name})`;
}

/** The entities with names, by the property of their id. */
export const namedByProperty: ReadonlyMap<string, EntityName> = new Map(
  (Object.keys(entities) as EntityName[]).flatMap((name) => {
    const { nameColumn, properties } = entityOf(name);
    return nameColumn === undefined || properties.id === undefined ? [] : [[properties.id, name] as const];
  }),
);

/** The rows of an entity, with names behind the ids of other entities that lists show. */
export async function withReferredNames(
  rows: readonly Readonly<Record<string, unknown>>[],
  own: EntityName,
  find: FindNames | undefined,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const referring = entityOf(own).shown.flatMap((property) => {
    const entity = namedByProperty.get(property);
    return entity === undefined || entity === own ? [] : [{ property, entity }];
  });
  return describeWithNames(find ?? (async () => new Map()), (nameOf) =>
    rows.map((row) => {
      const named = referring.flatMap(({ property, entity }) => {
        const id = row[property];
        return typeof id === 'string' ? [[property, formatNamedId(id, nameOf(entity, id))] as const] : [];
      });
      return { ...row, ...Object.fromEntries(named) };
    }),
  );
}

/** Describes something with the names of the ids that the description contains, which are read in one request. */
export async function describeWithNames<Description>(
  find: FindNames,
  describe: (nameOf: NameOf) => Description,
): Promise<Description> {
  const ids = new Set<string>();
  const plain = describe((_, id) => {
    ids.add(id);
    return undefined;
  });
  if (ids.size === 0) return plain;
  const names = await find([...ids]);
  return names.size === 0 ? plain : describe((entity, id) => names.get(nameKey(entity, id)));
}

/** The entity whose ids a value holds, if it has a name. */
export function entityIn(schema: JsonSchema | undefined): EntityName | undefined {
  // A field that null clears.
  const declared = schema?.anyOf?.find((one) => one['x-reference']) ?? schema;
  const { entity, by = [] } = declared?.['x-reference'] ?? {};
  return entity !== undefined && by[0] === 'id' && entityOf(entity).nameColumn !== undefined ? entity : undefined;
}

function rowSchema(schema: JsonSchema | undefined): JsonSchema | undefined {
  return schema?.properties ? schema : schema?.items;
}

/** The columns of names that rows get, by the property of the id. */
function nameColumnsOf(schema: JsonSchema | undefined): ReadonlyMap<string, string> {
  const properties = Object.entries(rowSchema(schema)?.properties ?? {});
  return new Map(
    properties.flatMap(([property, declared]) => {
      const entity = entityIn(declared);
      const column = entity && entityOf(entity).nameColumn;
      return column === undefined ? [] : [[property, column] as const];
    }),
  );
}

/** Adds the columns of names after those of ids. */
export function withNameColumns({ schema, main, ...shape }: ListShape): ListShape {
  const row = rowSchema(schema);
  const columns = nameColumnsOf(row);
  if (!row?.properties || columns.size === 0) return { ...shape, schema, main };
  const beside = (property: string) => [property, columns.get(property) ?? []].flat();
  const names = [...new Set(Object.keys(row.properties).flatMap(beside))];
  const properties = Object.fromEntries(names.map((name) => [name, row.properties?.[name] ?? {}]));
  return { ...shape, schema: { ...row, properties }, main: main && [...new Set(main.flatMap(beside))] };
}

/** Adds the names to rows, or to one row. `columns`: those that are printed, by default all. */
export async function withNames<Value>(
  value: Value,
  schema: JsonSchema | undefined,
  find: FindNames,
  columns?: readonly string[],
): Promise<Value> {
  const row = rowSchema(schema);
  if (!row) return value;
  const rows = [value].flat();
  const ids = new Set<string>();
  const printed = columns && new Set(columns.map((column) => column.split('.')[0]));
  const isPrinted = (property: string, column = property) => printed?.has(column) ?? true;
  for (const one of rows)
    visitRow(one, row, isPrinted, (_, id) => {
      ids.add(id);
      return undefined;
    });
  if (ids.size === 0) return value;
  const names = await find([...ids]);
  if (names.size === 0) return value;
  const named = rows.map((one) => visitRow(one, row, isPrinted, (entity, id) => names.get(nameKey(entity, id))));
  return (Array.isArray(value) ? named : named[0]) as Value;
}

/** Returns the row with the name of each id. A row that contains the name keeps it. */
function visitRow(
  row: unknown,
  schema: JsonSchema,
  isPrinted: (property: string, column?: string) => boolean,
  nameOf: NameOf,
): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  const columns = nameColumnsOf(schema);
  const entries = Object.entries(row).flatMap(([property, value]) => {
    const declared = schema.properties?.[property];
    const [entity, column] = [entityIn(declared), columns.get(property)];
    if (declared === undefined) return [[property, value]];
    if (entity === undefined || column === undefined)
      return [[property, isPrinted(property) ? visitNested(value, declared, nameOf) : value]];
    if (typeof value !== 'string' || Object.hasOwn(row, column) || !isPrinted(property, column))
      return [[property, value]];
    const name = nameOf(entity, value);
    return name === undefined || name === value
      ? [[property, value]]
      : [
          [property, value],
          [column, name],
        ];
  });
  return Object.fromEntries(entries);
}

/** Returns a list or an object with the name behind each id. */
function visitNested(value: unknown, schema: JsonSchema, nameOf: NameOf): unknown {
  if (Array.isArray(value)) return value.map((entry) => visitNested(entry, schema.items ?? {}, nameOf));
  const entity = entityIn(schema);
  if (typeof value === 'string') return entity === undefined ? value : formatNamedId(value, nameOf(entity, value));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, below]) => [name, visitNested(below, schema.properties?.[name] ?? {}, nameOf)]),
  );
}
