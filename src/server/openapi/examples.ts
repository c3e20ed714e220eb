/** Builds the examples of the API documents from the examples in the schemas. */
import type { Json } from './json.ts';

/** Schemas by the name in `#/$defs/`. */
type Definitions = Readonly<Record<string, Json>>;

const textByFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-03-01T12:00:00Z',
  'idn-email': 'alice@example.com',
  uri: 'https://example.com/',
};

/**
 * Builds a value that a JSON Schema allows, with all its fields: from the first of its `examples`, or from those of its parts.
 * @throws Error if a text has no example: add it to the schema with `.meta({ examples: [...] })`.
 */
export function buildExample(schema: Json, definitions: Definitions): unknown {
  const { examples, const: only, enum: allowed, $ref: reference } = schema;
  if (Array.isArray(examples)) return examples[0];
  if (only !== undefined) return only;
  if (Array.isArray(allowed)) return allowed[0];
  if (typeof reference === 'string') return buildExample(resolve(reference, definitions), definitions);
  const choices = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined;
  const choice = choices?.find(({ type }) => type !== 'null');
  return choice ? buildExample(choice, definitions) : buildByType(schema, definitions);
}

function resolve(reference: string, definitions: Definitions): Json {
  const found = definitions[reference.replace('#/$defs/', '')];
  if (!found) throw new Error(`unknown schema: ${reference}`);
  return found;
}

function buildByType(schema: Json, definitions: Definitions): unknown {
  switch (schema.type) {
    case 'object':
      return buildObject(schema, definitions);
    case 'array':
      return [buildExample((schema.items ?? {}) as Json, definitions)];
    case 'string':
      return buildText(schema);
    case 'integer':
    case 'number':
      return buildNumber(schema);
    case 'boolean':
      return schema.default ?? false;
    default:
      return {};
  }
}

function buildObject({ properties = {} }: Json, definitions: Definitions): unknown {
  const fields = Object.entries(properties as Definitions);
  return Object.fromEntries(fields.map(([field, schema]) => [field, buildExample(schema, definitions)]));
}

function buildText(schema: Json): unknown {
  const text = schema.default ?? textByFormat[String(schema.format)];
  if (text === undefined) throw new Error(`no example for ${JSON.stringify(schema)}`);
  return text;
}

function buildNumber({ minimum = 0, maximum = Number.POSITIVE_INFINITY, default: defaultValue }: Json): unknown {
  return defaultValue ?? Math.min(Math.max(1, Number(minimum)), Number(maximum));
}
