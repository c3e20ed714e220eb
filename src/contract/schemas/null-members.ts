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
  readonly #fields = new Map<z.ZodType, ReadonlyMap<string, Field>>();

  remove(schema: z.ZodType | undefined, value: unknown): unknown {
    if (schema === undefined || typeof value !== 'object' || value === null) return value;
    const inner = unwrapSchema(schema);
    if (inner instanceof z.ZodArray) return this.#removeFromItems(inner.element as z.ZodType, value);
    const find = Array.isArray(value) ? undefined : this.#fieldFinder(inner);
    if (!find) return value;
    const before = Object.entries(value);
    const after = before
      .filter(([name, item]) => item !== null || find(name)?.acceptsNull === true)
      .map(([name, item]): [string, unknown] => [name, this.remove(find(name)?.schema, item)]);
    const isSame = after.length === before.length && after.every(([, item], at) => item === before[at]?.[1]);
    return isSame ? value : Object.fromEntries(after);
  }

  /** A list, or one of its items where a schema accepts that. */
  #removeFromItems(element: z.ZodType, value: object): unknown {
    if (!Array.isArray(value)) return this.remove(element, value);
    const items = value.map((item) => this.remove(element, item));
    return items.every((item, at) => item === value[at]) ? value : items;
  }

  /** @returns undefined for a schema of other values than objects */
  #fieldFinder(schema: z.ZodType): ((name: string) => Field | undefined) | undefined {
    if (schema instanceof z.ZodRecord) {
      const field = toField(schema.valueType as z.ZodType);
      return () => field;
    }
    if (!(schema instanceof z.ZodObject || schema instanceof z.ZodUnion)) return undefined;
    const fields = this.#fields.get(schema) ?? listFields(schema);
    this.#fields.set(schema, fields);
    return (name) => fields.get(name);
  }
}

function toField(schema: z.ZodType): Field {
  return { schema, acceptsNull: schema.safeParse(null).success };
}

/** The fields of an object, or of all options of a union: those of the same name have the same schema. */
function listFields(schema: z.ZodType): ReadonlyMap<string, Field> {
  if (schema instanceof z.ZodUnion)
    return new Map(schema.options.flatMap((option) => [...listFields(unwrapSchema(option as z.ZodType))]));
  const shape = schema instanceof z.ZodObject ? (schema.shape as Readonly<Record<string, z.ZodType>>) : {};
  return new Map(Object.entries(shape).map(([name, field]) => [name, toField(field)]));
}

/** The schema within optional and nullable ones, and behind a conversion. */
export function unwrapSchema(schema: z.ZodType): z.ZodType {
  const { innerType, in: from, out: to } = schema.def as { innerType?: z.ZodType; in?: z.ZodType; out?: z.ZodType };
  if (innerType) return unwrapSchema(innerType);
  if (from && to) return unwrapSchema(from instanceof z.ZodTransform ? to : from);
  return schema;
}
