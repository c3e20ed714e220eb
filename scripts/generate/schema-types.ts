/** Renders schemas as TypeScript. A schema with an id becomes a declaration with that name, all others are inlined. */
import * as z from 'zod';
import type { JsonSchema } from '../../src/contract/manifest-types.ts';

export interface TypeCollection {
  /** Returns the type of a request value (`input`) or response value (`output`). */
  typeOf(schema: z.ZodType, io: 'input' | 'output'): string;
  /** Declares a type for a schema without an id. */
  declare(name: string, schema: z.ZodType, io: 'input' | 'output', description: string): void;
  /** The declarations of all named types by name, sorted. */
  declarations(): ReadonlyMap<string, string>;
}

/**
 * Creates an empty collection. `types` contains the types of schemas that JSON Schema does not express. A readonly collection
 * declares readonly properties and arrays.
 */
export function createTypeCollection({
  types = new Map(),
  readonly = false,
}: {
  readonly types?: ReadonlyMap<z.ZodType, string>;
  readonly readonly?: boolean;
} = {}): TypeCollection {
  const declared = new Map<string, string>();
  const render = createRenderer(readonly);
  const add = (name: string, schema: JsonSchema) => {
    const text = declareType(name, schema, render);
    if ((declared.get(name) ?? text) !== text)
      throw new Error(`Two schemas have the id ${name}, or it differs between requests and responses.`);
    declared.set(name, text);
  };
  const convert = (schema: z.ZodType, io: 'input' | 'output') => {
    const { $defs = {}, ...rest } = toJsonSchema(schema, io);
    for (const [name, definition] of Object.entries($defs)) add(name, definition);
    return rest;
  };
  return {
    typeOf: (schema, io) => {
      const type = render(convert(schema, io));
      return types.get(schema) ?? type;
    },
    declare: (name, schema, io, description) => add(name, { ...convert(schema, io), description }),
    declarations: () => new Map([...declared].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, reused: 'inline', unrepresentable: 'any' }) as JsonSchema;
}

function declareType(name: string, schema: JsonSchema, render: (schema: JsonSchema) => string): string {
  const type = render(schema);
  const text = type.startsWith('{') ? `export interface ${name} ${type}` : `export type ${name} = ${type};`;
  return docComment(schema.description) + text;
}

/** Longer unions have a line for each value. */
const maxOnOneLine = 12;

function createRenderer(readonly: boolean): (schema: JsonSchema) => string {
  const modifier = readonly ? 'readonly ' : '';
  const render = (schema: JsonSchema): string => {
    const { $ref, type, enum: values, anyOf, oneOf = anyOf, items } = schema;
    if ($ref !== undefined) return $ref.replace('#/$defs/', '');
    if ('const' in schema) return literal(schema.const);
    if (values) return values.map(literal).join(values.length > maxOnOneLine ? '\n  | ' : ' | ');
    if (oneOf) return oneOf.map(render).join(' | ');
    if (type === 'object') return renderObject(schema, render, modifier);
    if (type === 'array' && items) return `${modifier}${isUnion(items) ? `(${render(items)})` : render(items)}[]`;
    if (type === 'integer') return 'number';
    if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type;
    // A schema with a description only accepts any value.
    if (Object.keys(schema).every((keyword) => keyword === 'description')) return 'unknown';
    throw new Error(`No TypeScript type is known for the schema ${JSON.stringify(schema)}.`);
  };
  return render;
}

function renderObject(
  { properties, required = [], additionalProperties }: JsonSchema,
  render: (schema: JsonSchema) => string,
  modifier: string,
): string {
  if (typeof additionalProperties === 'object') return `Record<string, ${render(additionalProperties)}>`;
  const members = Object.entries(properties ?? {}).map(([name, schema]) =>
    member({
      name: modifier + propertyName(name),
      type: render(schema),
      description: schema.description,
      required: required.includes(name),
    }),
  );
  return members.length === 0 ? 'Record<string, never>' : objectType(members);
}

interface Member {
  readonly name: string;
  readonly type: string;
  readonly description?: string | undefined;
  readonly required: boolean;
}

/** Renders a property; an optional one can also be undefined. */
export function member({ name, type, description, required }: Member): string {
  return `${docComment(description)}${name}${required ? `: ${type}` : `?: ${type} | undefined`};`;
}

/** Renders an object type with these members, one or more lines each. */
export function objectType(members: readonly string[]): string {
  return `{\n${members.join('\n').replaceAll(/^(?=.)/gm, '  ')}\n}`;
}

/** Quotes a property name if necessary. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** Renders a documentation comment with a line break, or nothing if there is no text. */
export function docComment(text: string | undefined): string {
  if (text === undefined || text === '') return '';
  const lines = text.replaceAll('*/', '* /').split('\n').flatMap(wrap);
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

/** Breaks a line at spaces into lines of at most 110 characters. */
function wrap(line: string): string[] {
  return line.match(/(?=\S).{1,110}(?=\s|$)|\S+/g) ?? [''];
}

/** Renders a value as a literal type. */
export function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : JSON.stringify(value);
}

function isUnion({ enum: values, anyOf, oneOf }: JsonSchema): boolean {
  return (values ?? anyOf ?? oneOf) !== undefined;
}
