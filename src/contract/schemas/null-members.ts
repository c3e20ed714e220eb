/**
 * In request bodies a member that is null counts as absent, unless its schema accepts null, which then clears the field:
 * libraries such as Jackson and Gson write null for an absent field. Elements of lists and whole bodies are no members.
 */
import * as z from 'zod';

/** Returns the value without such members; the same value if it has none. */
export function withoutNullMembers(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined || typeof value !== 'object' || value === null) return value;
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray) return withoutNullsOfItems(inner.element as z.ZodType, value);
  if (!(inner instanceof z.ZodObject) || Array.isArray(value)) return value;
  const fields = readFields(inner);
  const before = Object.entries(value);
  const after = before
    .filter(([name, item]) => item !== null || fields.get(name)?.acceptsNull === true)
    .map(([name, item]): [string, unknown] => [name, withoutNullMembers(fields.get(name)?.schema, item)]);
  const isSame = after.length === before.length && after.every(([, item], at) => item === before[at]?.[1]);
  return isSame ? value : Object.fromEntries(after);
}

interface Field {
  readonly schema: z.ZodType;
  readonly acceptsNull: boolean;
}

/** A list has an object for each of its items. */
const knownFields = new WeakMap<z.ZodObject, ReadonlyMap<string, Field>>();

function readFields(schema: z.ZodObject): ReadonlyMap<string, Field> {
  const known = knownFields.get(schema);
  if (known) return known;
  const fields = new Map(
    Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>).map(([name, field]) => [
      name,
      { schema: field, acceptsNull: field.safeParse(null).success },
    ]),
  );
  knownFields.set(schema, fields);
  return fields;
}

/** A list, or one of its items where a schema accepts that. */
function withoutNullsOfItems(element: z.ZodType, value: object): unknown {
  if (!Array.isArray(value)) return withoutNullMembers(element, value);
  const items = value.map((item) => withoutNullMembers(element, item));
  return items.every((item, at) => item === value[at]) ? value : items;
}

/** The schema within optional and nullable ones, and behind a conversion. */
function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType, in: from, out: to } = schema.def as { innerType?: z.ZodType; in?: z.ZodType; out?: z.ZodType };
  if (innerType) return unwrap(innerType);
  if (from && to) return unwrap(from instanceof z.ZodTransform ? to : from);
  return schema;
}
