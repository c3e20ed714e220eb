/** JSON Schemas for the API document: shared schemas become components, everything else stands where it is used. */
import * as z from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** Collects the components that the schemas of a document refer to. */
export class SchemaCollection {
  readonly #components = new Map<string, Json>();

  /** The JSON Schema of a request (`input`) or an answer (`output`); what it shares is kept in `components`. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _dialect, $defs = {}, ...rest } = z.toJSONSchema(schema, { io, reused: 'inline' }) as Json;
    for (const [name, definition] of Object.entries($defs as Record<string, Json>)) this.#keep(name, definition);
    return withComponentRefs(rest) as Json;
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

  #keep(name: string, definition: Json): void {
    const { id: _id, ...schema } = definition;
    const component = withComponentRefs(schema) as Json;
    const known = this.#components.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`two different schemas have the id ${name}, or it differs between requests and answers`);
    this.#components.set(name, component);
  }
}

function withComponentRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withComponentRefs);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    const isReference = key === '$ref' && typeof item === 'string';
    return [key, isReference ? item.replace('#/$defs/', '#/components/schemas/') : withComponentRefs(item)];
  });
  return Object.fromEntries(entries);
}
