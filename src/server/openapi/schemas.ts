/** JSON Schemas for the API document: shared schemas become components, everything else stands where it is used. */
import * as z from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** Collects the components that the schemas of a document refer to. */
export class SchemaCollection {
  readonly #components = new Map<string, Json>();

  /** The JSON Schema of a request (`input`) or an answer (`output`); what it shares is kept in `components`. */
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

  /** @throws Error where nothing of this name was kept. */
  component(name: string): Json {
    const found = this.#components.get(name);
    if (!found) throw new Error(`there is no schema ${name}`);
    return found;
  }

  #add(name: string, definition: Json): void {
    const { id: _id, ...schema } = definition;
    const component = documentSchema(schema) as Json;
    const known = this.#components.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`two different schemas have the id ${name}, or it differs between requests and answers`);
    this.#components.set(name, component);
  }
}

/** What only the command line reads of a schema is no part of the API. */
function withoutCommandLine({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema['x-argument'];
  delete jsonSchema['x-label'];
  delete jsonSchema['x-only-for'];
}

/** References lead to components, and the keyword `sensitive` becomes an extension, as OpenAPI has it. */
function documentSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(documentSchema);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    // A property of one of these names has a schema, and no text.
    if (key === '$ref' && typeof item === 'string') return [key, item.replace('#/$defs/', '#/components/schemas/')];
    if (key === 'sensitive' && typeof item === 'string') return ['x-sensitive', true];
    return [key, documentSchema(item)];
  });
  return Object.fromEntries(entries);
}
