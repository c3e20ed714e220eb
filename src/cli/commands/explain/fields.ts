/** The parameters, headers, body fields and response fields of operations, as data. */
import type { JsonSchema, ManifestField, ManifestOperation } from '../../../contract/manifest-types.ts';

type FieldLocation = 'path' | 'query' | 'header' | 'body' | 'response';

export interface FieldExplanation {
  /** Nested fields have dots, items of lists brackets: `dependencies[].groupName`. */
  readonly name: string;
  readonly in: FieldLocation;
  readonly type: string;
  readonly required: boolean;
  readonly description?: string;
  readonly values?: readonly string[];
  /** Limits of length, value and form, as sentences. */
  readonly limits: readonly string[];
}

export function listRequestFields({ params, query, headers = [], body }: ManifestOperation): FieldExplanation[] {
  return [
    ...params.map((field) => parameterToExplanation(field, 'path')),
    ...query.map((field) => parameterToExplanation(field, 'query')),
    ...headers.map((field) => parameterToExplanation(field, 'header')),
    ...listFieldsBelow(body, '', 'body'),
  ];
}

/** Lists the fields of a response, or of an entry of a list. */
export function listResponseFields({ response }: ManifestOperation): FieldExplanation[] {
  return listFieldsBelow(response.schema, '', 'response');
}

function parameterToExplanation({ name, required, schema }: ManifestField, location: FieldLocation): FieldExplanation {
  return toExplanation(name, schema, required, location);
}

/** The fields of an object, or of the items of a list. A value of another type is one field without a name. */
function listFieldsBelow(schema: JsonSchema | undefined, above: string, location: FieldLocation): FieldExplanation[] {
  if (schema === undefined) return [];
  const plain = unwrapNullable(schema);
  if (plain.items) return listFieldsBelow(plain.items, `${above}[]`, location);
  return Object.entries(plain.properties ?? {}).flatMap(([name, property]) => {
    const path = above === '' ? name : `${above}.${name}`;
    const field = toExplanation(path, property, plain.required?.includes(name) ?? false, location);
    return [field, ...listFieldsBelow(property, path, location)];
  });
}

function toExplanation(
  name: string,
  declared: JsonSchema,
  required: boolean,
  location: FieldLocation,
): FieldExplanation {
  const schema = unwrapNullable(declared);
  const { description = declared.items?.description } = declared;
  const values = (schema.enum ?? schema.items?.enum)?.map(String);
  return {
    name,
    in: location,
    type: formatType(declared),
    required,
    ...(description === undefined ? {} : { description }),
    ...(values ? { values } : {}),
    limits: [...listLimits(schema), ...(schema.items ? listLimits(schema.items, 'Each ') : [])],
  };
}

/** The schema of a value that can also be null. */
function unwrapNullable(schema: JsonSchema): JsonSchema {
  const [only, ...others] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return only && others.length === 0 ? { ...only, description: schema.description ?? only.description ?? '' } : schema;
}

/** The type in words: `list of string`, `integer or null`. */
function formatType(schema: JsonSchema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(formatType))].join(' or ');
  if (schema.type === 'array') return `list of ${formatType(schema.items ?? {})}`;
  if (schema.type === undefined) return schema.const === undefined ? 'any value' : JSON.stringify(schema.const);
  return [schema.type].flat().join(' or ');
}

function listLimits(schema: JsonSchema, prefix = ''): string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern, format, sensitive } = schema;
  const limits = [
    formatRange(minLength, maxLength, 'characters'),
    formatRange(minimum, maximum, ''),
    formatRange(minItems as number | undefined, maxItems as number | undefined, 'entries'),
    format === undefined ? undefined : `format ${String(format)}`,
    // The pattern of a format is long, and says nothing more.
    pattern === undefined || format !== undefined ? undefined : `pattern ${pattern}`,
    sensitive === undefined ? undefined : 'never logged',
  ];
  return limits.flatMap((limit) => (limit === undefined ? [] : [capitalize(`${prefix}${limit}`)]));
}

function formatRange(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  const end = unit === '' ? '' : ` ${unit}`;
  const isBounded = max !== undefined && max < Number.MAX_SAFE_INTEGER;
  if (min !== undefined && isBounded) return min === max ? `exactly ${min}${end}` : `${min} to ${max}${end}`;
  if (isBounded) return `at most ${max}${end}`;
  return min === undefined || min <= 0 ? undefined : `at least ${min}${end}`;
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** One sentence about type and need, one about the meaning, and one for each limit. */
export function formatFieldText({
  in: location,
  type,
  required,
  description,
  values,
  limits,
}: FieldExplanation): string {
  const need = required && location !== 'response' ? ', required' : '';
  const sentences = [
    `${type}${need}`,
    ...(description ? [description] : []),
    ...(values ? [`One of ${values.join(', ')}`] : []),
    ...limits,
  ];
  return sentences.map((sentence) => sentence.replace(/\.$/, '')).join('. ');
}
