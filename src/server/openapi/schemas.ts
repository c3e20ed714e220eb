/** JSON Schemas in the API document: schemas with an id become components, all others are inlined. */
import * as z from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** Collects the components that the schemas of a document refer to. */
export class SchemaCollection {
  readonly #components = new Map<string, Json>();

  /** Returns the JSON Schema of a request (`input`) or response (`output`); adds shared schemas to `components`. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _dialect,
      $defs = {},
      ...rest
    } = z.toJSONSchema(schema, { io, reused: 'inline', override: withoutCommandLine }) as Json;
    for (const [name, definition] of Object.entries($defs as Record<string, Json>)) this.#add(name, definition);
    return documentSchema(rest) as Json;
  }

  get components(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @throws Error if there is no component with this name. */
  component(name: string): Json {
    const found = this.#components.get(name);
    if (!found) throw new Error(`unknown schema: ${name}`);
    return found;
  }

  #add(name: string, definition: Json): void {
    const { id: _id, ...schema } = definition;
    const component = documentSchema(schema) as Json;
    const known = this.#components.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(
        `two different schemas have the id ${name}, or the schema differs between requests and responses`,
      );
    this.#components.set(name, component);
  }
}

/** Removes keywords that only the command line uses. */
function withoutCommandLine({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema['x-argument'];
  delete jsonSchema['x-label'];
  delete jsonSchema['x-only-for'];
}

/** Rewrites references to components, and the keyword `sensitive` to the OpenAPI extension `x-sensitive`. */
function documentSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(documentSchema);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    // A property with one of these names has a schema as its value, not a string.
    if (key === '$ref' && typeof item === 'string') return [key, item.replace('#/$defs/', '#/components/schemas/')];
    if (key === 'sensitive' && typeof item === 'string') return ['x-sensitive', true];
    return [key, documentSchema(item)];
  });
  return Object.fromEntries(entries);
}
