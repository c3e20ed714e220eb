/**
 * In request bodies a member that is null counts as absent, unless its schema accepts null, which then clears the field:
 * libraries such as Jackson and Gson write null for an absent field. Elements of lists and whole bodies are no members.
 */
import * as z from 'zod';

/** Returns the value without such members; the same value if it has none. */
export function withoutNullMembers(schema: z.ZodType, value: unknown): unknown {
  return new NullRemover().remove(schema, value);
}

interface Field {
  readonly schema: z.ZodType;
  readonly acceptsNull: boolean;
}

class NullRemover {
  /** A list has an object for each of its items. */
  readonly #fields = new Map<z.ZodObject, ReadonlyMap<string, Field>>();

  remove(schema: z.ZodType | undefined, value: unknown): unknown {
    if (schema === undefined || typeof value !== 'object' || value === null) return value;
    const inner = unwrapSchema(schema);
    if (inner instanceof z.ZodArray) return this.#removeFromItems(inner.element as z.ZodType, value);
    if (!(inner instanceof z.ZodObject) || Array.isArray(value)) return value;
    const fields = this.#fieldsOf(inner);
    const before = Object.entries(value);
    const after = before
      .filter(([name, item]) => item !== null || fields.get(name)?.acceptsNull === true)
      .map(([name, item]): [string, unknown] => [name, this.remove(fields.get(name)?.schema, item)]);
    const isSame = after.length === before.length && after.every(([, item], at) => item === before[at]?.[1]);
    return isSame ? value : Object.fromEntries(after);
  }

  /** A list, or one of its items where a schema accepts that. */
  #removeFromItems(element: z.ZodType, value: object): unknown {
    if (!Array.isArray(value)) return this.remove(element, value);
    const items = value.map((item) => this.remove(element, item));
    return items.every((item, at) => item === value[at]) ? value : items;
  }

  #fieldsOf(schema: z.ZodObject): ReadonlyMap<string, Field> {
    const known = this.#fields.get(schema);
    if (known) return known;
    const shape = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>);
    const fields = new Map(
      shape.map(([name, field]) => [name, { schema: field, acceptsNull: field.safeParse(null).success }]),
    );
    this.#fields.set(schema, fields);
    return fields;
  }
}

/** The schema within optional and nullable ones, and behind a conversion. */
export function unwrapSchema(schema: z.ZodType): z.ZodType {
  const { innerType, in: from, out: to } = schema.def as { innerType?: z.ZodType; in?: z.ZodType; out?: z.ZodType };
  if (innerType) return unwrapSchema(innerType);
  if (from && to) return unwrapSchema(from instanceof z.ZodTransform ? to : from);
  return schema;
}
