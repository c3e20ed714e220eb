/** JSON Schemas in the API document: schemas with an id become components, all others are inlined. */
import * as z from 'zod';
import { acceptNull } from '../../contract/openapi-operations.ts';
import { buildExample } from './examples.ts';
import type { Json } from './json.ts';

export interface SchemaDescription {
  readonly schema: Json;
  /** @throws Error if a text has no example. */
  createExample(): unknown;
}

type Direction = 'input' | 'output';

interface Definition {
  readonly definition: Json;
  readonly io: Direction;
  readonly example: unknown;
}

/** Collects the components that the schemas of a document refer to. */
export class SchemaCollection {
  readonly #components = new Map<string, Json>();
  readonly #converted = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() };
  readonly #withCommands: boolean;

  /** @param options withCommands: whether keywords that only the command uses remain. */
  constructor({ withCommands = false }: { readonly withCommands?: boolean } = {}) {
    this.#withCommands = withCommands;
  }

  /** Returns the JSON Schema of a request (`input`) or response (`output`); adds shared schemas to `components`. */
  schemaOf(schema: z.ZodType, io: Direction): Json {
    return this.describe(schema, io).schema;
  }

  /**
   * Returns the JSON Schema as `schemaOf` does, and a function that returns an example: the declared one, or one from the
   * examples of the parts.
   */
  describe(schema: z.ZodType, io: Direction, declaredExample?: unknown): SchemaDescription {
    const { $schema: _dialect, $defs = {}, ...rest } = this.#convert(schema, io);
    const definitions = $defs as Record<string, Json>;
    const createExample = (part: Json) =>
      part.$ref === rest.$ref && declaredExample !== undefined ? declaredExample : buildExample(part, definitions);
    for (const [name, definition] of Object.entries(definitions))
      this.#add(name, { definition, io, example: createExample({ $ref: `#/$defs/${name}` }) });
    return {
      schema: documentSchema(rest, { io, withLevel: this.#withCommands }) as Json,
      createExample: () => createExample(rest),
    };
  }

  get components(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Most responses have the schema of the errors: a conversion takes longer than the rest of a response. */
  #convert(schema: z.ZodType, io: Direction): Json {
    const known = this.#converted[io].get(schema);
    if (known) return known;
    const override = this.#withCommands ? {} : { override: withoutCommandLine };
    const converted = z.toJSONSchema(schema, { io, reused: 'inline', ...override }) as Json;
    this.#converted[io].set(schema, converted);
    return converted;
  }

  #add(name: string, { definition, io, example }: Definition): void {
    const { id: _id, ...schema } = definition;
    const component: Json = documentSchema(schema, { io, withLevel: this.#withCommands }) as Json;
    const known = this.#components.get(name);
    if (known && JSON.stringify({ ...known, examples: undefined }) !== JSON.stringify(component))
      throw new Error(
        `two different schemas have the id ${name}, or the schema differs between requests and responses`,
      );
    if (!known) this.#components.set(name, { ...component, examples: [example] });
  }
}

/** Removes keywords that only the command line uses. */
function withoutCommandLine({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema['x-argument'];
  delete jsonSchema['x-label'];
  delete jsonSchema['x-only-for'];
}

interface DocumentOptions {
  readonly io: Direction;
  /** Whether to add the level of sensitive values. */
  readonly withLevel: boolean;
}

/**
 * Rewrites references to components, and the keyword `sensitive` to the OpenAPI extension `x-sensitive`. Removes the examples
 * of the parts: components, requests, responses and parameters have complete ones. Optional properties of requests accept
 * null.
 */
function documentSchema(value: unknown, options: DocumentOptions): unknown {
  if (Array.isArray(value)) return value.map((item) => documentSchema(item, options));
  if (typeof value !== 'object' || value === null) return value;
  // A property with the name of a keyword has a schema as its value, not a string or an array.
  const kept = Object.entries(value).filter(([key, item]) => !(key === 'examples' && Array.isArray(item)));
  const entries = kept.flatMap(([key, item]) => {
    if (key === '$ref' && typeof item === 'string') return [[key, item.replace('#/$defs/', '#/components/schemas/')]];
    if (key === 'sensitive' && typeof item === 'string')
      return [['x-sensitive', true], ...(options.withLevel ? [['x-sensitivity', item]] : [])];
    const documented = documentSchema(item, options);
    if (options.io !== 'input' || !('type' in value) || value.type !== 'object') return [[key, documented]];
    if (key === 'properties') return [[key, acceptNulls(documented as Properties, value as Json)]];
    const isMap = key === 'additionalProperties' && typeof item === 'object';
    return [[key, isMap ? acceptNull(documented as Json) : documented]];
  });
  return Object.fromEntries(entries);
}

type Properties = Readonly<Record<string, Json>>;

function acceptNulls(properties: Properties, { required }: Json): Properties {
  const names = (required ?? []) as readonly string[];
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, names.includes(name) ? schema : acceptNull(schema)]),
  );
}
