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
  const shape = new Map<string, z.ZodType>(Object.entries(inner.shape));
  const before = Object.entries(value);
  const after = before
    .filter(([name, item]) => item !== null || shape.get(name)?.safeParse(null).success === true)
    .map(([name, item]): [string, unknown] => [name, withoutNullMembers(shape.get(name), item)]);
  const isSame = after.length === before.length && after.every(([, item], at) => item === before[at]?.[1]);
  return isSame ? value : Object.fromEntries(after);
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
