/** Builds examples for the API documents: from the schema itself, else by field name, else from what the schema allows. */
import type { ExampleValues } from './example-values.ts';
import type { Json, SchemaCollection } from './schemas.ts';

/** Sources of examples besides a schema. */
export interface ExampleSources {
  readonly values: ExampleValues;
  /** Resolves `$ref`. */
  readonly schemas: Pick<SchemaCollection, 'component'>;
}

/** Fallback values for fields without an example by name, simplest first. */
const fallbackTexts = ['text', '1', '10s', 'TEXT', 'ops', '2026-03-01T12:00:00Z'];

const textByFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-03-01T12:00:00Z',
  email: 'alice@example.com',
  uri: 'https://example.com/',
  uuid: '4f1c2b7a-93de-4c55-8a0e-2f6f5f0e9b11',
};

/**
 * Builds a value that a JSON Schema allows, with all its fields.
 * @param name the name of the field.
 * @throws Error if no known value fits: add an example to the schema or to `example-values.ts`.
 */
export function buildExample(schema: Json, name: string, sources: ExampleSources): unknown {
  const own = findOwnExample(schema, name, sources.values);
  if (own !== undefined) return own;
  if (typeof schema.$ref === 'string')
    return buildExample(sources.schemas.component(readLastPart(schema.$ref)), name, sources);
  const choices = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined;
  const choice = choices?.find(({ type }) => type !== 'null');
  if (choice) return buildExample(choice, name, sources);
  return buildByType(schema, name, sources);
}

function findOwnExample({ examples, const: only, enum: allowed }: Json, name: string, values: ExampleValues): unknown {
  if (Array.isArray(examples)) return examples[0];
  if (only !== undefined) return only;
  if (!Array.isArray(allowed)) return undefined;
  return values[name]?.find((value) => allowed.includes(value)) ?? allowed[0];
}

function readLastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function buildByType(schema: Json, name: string, sources: ExampleSources): unknown {
  switch (schema.type) {
    case 'object':
      return buildObject(schema, name, sources);
    case 'array':
      if (sources.values[name]?.length === 0) return [];
      return [buildExample((schema.items ?? {}) as Json, name, sources)];
    case 'string':
      return buildText(schema, name, sources.values);
    case 'integer':
    case 'number':
      return buildNumber(schema, name, sources.values);
    case 'boolean':
      return schema.default ?? sources.values[name]?.[0] === true;
    default:
      return sources.values[name]?.[0] ?? {};
  }
}

/** An object without declared fields uses the example with its name. */
function buildObject({ properties = {} }: Json, name: string, sources: ExampleSources): unknown {
  const fields = Object.entries(properties as Readonly<Record<string, Json>>);
  if (fields.length === 0) return sources.values[name]?.find((value) => typeof value === 'object') ?? {};
  return Object.fromEntries(
    fields.map(([field, schema]) => [field, buildExample(schema, field, scopeSources(sources, name, field))]),
  );
}

/** Applies values for nested names: `dependencies.groupName` applies to groupName inside dependencies only. */
function scopeSources({ values, schemas }: ExampleSources, name: string, field: string): ExampleSources {
  const own = values[`${name}.${field}`];
  return { values: own ? { ...values, [field]: own } : values, schemas };
}

function buildText(schema: Json, name: string, values: ExampleValues): string {
  const { format, default: defaultValue } = schema;
  const named = values[name] ?? [];
  const time = /(At|^now|^set|^since|^until)$/.test(name) ? ['2026-03-01T12:00:00.000Z'] : [];
  const formatted = typeof format === 'string' && textByFormat[format] !== undefined ? [textByFormat[format]] : [];
  const found = [defaultValue, ...named, ...time, ...formatted, ...fallbackTexts].find((value) =>
    isAllowed(value, schema),
  );
  if (typeof found !== 'string') throw new Error(`no example for ${name}: ${JSON.stringify(schema)}`);
  return found;
}

function isAllowed(value: unknown, { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY, format }: Json) {
  if (typeof value !== 'string') return false;
  if (value.length < Number(minLength) || value.length > Number(maxLength)) return false;
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) return false;
  return format !== 'date-time' || /^\d{4}-\d\d-\d\dT/.test(value);
}

function buildNumber(
  { minimum = 0, maximum = Number.POSITIVE_INFINITY, default: defaultValue }: Json,
  name: string,
  values: ExampleValues,
): number {
  const within = (value: unknown) => typeof value === 'number' && value >= Number(minimum) && value <= Number(maximum);
  const found = [defaultValue, ...(values[name] ?? []), 1, minimum].find(within);
  return Number(found);
}
