/** What a call still lacks once all that was typed is in it: each with how it is asked for and where its answer goes. */
import type { JsonSchema } from '../contract/manifest-types.ts';
import { type Field, parseFieldValue, setAtPath, toKebabCase } from './field-options.ts';
import { labelOf } from './prompts/field-prompts.ts';
import type { MissingValue, PromptAnswer } from './prompts/missing-values.ts';
import { formatArgumentName, type RequestSpec } from './request-builder.ts';

/** A call as far as it goes; answers are put into it. */
export interface RequestDraft {
  readonly params: Record<string, string>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

export interface MissingField {
  readonly value: MissingValue;
  fill(answer: PromptAnswer): void;
}

/** In the order in which they would be typed. Only what is missing is found here; all else is the server's to judge. */
export function findMissingFields(spec: RequestSpec, { params, query, body }: RequestDraft): MissingField[] {
  const inPath = spec.operation.params
    .filter(({ name }) => params[name] === undefined)
    .map((param): MissingField => {
      const name = formatArgumentName(param);
      const value = { name, label: param.schema['x-label'], usage: `<${name}>`, schema: param.schema };
      return { value, fill: (answer) => setAtPath(params, [param.name], String(answer)) };
    });
  const inQuery = spec.query.filter(({ path: [name = ''], required }) => required && query[name] === undefined);
  return [
    ...inPath,
    ...inQuery.map((field) => createMissingField(field, query, `--${field.flag}`)),
    ...(spec.operation.body ? findMissingBodyFields(spec, body) : []),
  ];
}

function findMissingBodyFields({ members, entries, body: fields, last }: RequestSpec, body: unknown): MissingField[] {
  if (members) return (body as unknown[]).length > 0 ? [] : [createMissingMembers(members, body as unknown[])];
  const target = body as Record<string, unknown>;
  if (entries) return findMissingEntryFields(entries, fields, target);
  return fields
    .filter(({ path, required }) => required && valueAt(target, path) === undefined)
    .map((field) => createMissingField(field, target, field === last ? `<${field.flag}>` : `--${field.flag}`));
}

function createMissingField(field: Field, target: Record<string, unknown>, usage: string): MissingField {
  const { flag, schema, secret, path } = field;
  const multiple = schema.type === 'array';
  // The flag of a secret names a file; a prompt asks for the secret itself.
  const label = schema['x-label'] ?? (secret ? labelOf(toKebabCase(path.join('.'))) : undefined);
  const known = multiple ? { ...schema.items, ...schema } : schema;
  const value = { name: flag, label, usage, schema: known, secret, multiple };
  return {
    value,
    fill: (answer) => setAtPath(target, path, secret ? answer : parseFieldValue(field, [answer].flat().join(','))),
  };
}

function createMissingMembers({ flag, schema, path: [name = ''] }: Field, body: unknown[]): MissingField {
  const value = { name: flag, usage: `<${flag}>...`, schema, multiple: true };
  return { value, fill: (answer) => void body.push(...[answer].flat().map((value) => ({ [name]: value }))) };
}

/** One entry, of which some fields may be left out. */
function findMissingEntryFields(
  { path: [name = ''], schema }: Field,
  fields: readonly Field[],
  body: Record<string, unknown>,
): MissingField[] {
  if (body[name] !== undefined) return [];
  const entry: Record<string, unknown> = {};
  return fields.map((field): MissingField => {
    const required = schema.items?.required?.includes(field.path.join('.')) ?? false;
    const { value, fill } = createMissingField(field, entry, `--${field.flag}`);
    return {
      value: { ...value, optional: !required, onlyFor: findDiscriminator(field, schema.items) },
      fill: (answer) => {
        body[name] = [entry];
        if (answer.length > 0) fill(answer);
      },
    };
  });
}

/** The value of another field without which this one is of no use: `email` belongs to the contact type EMAIL. */
function findDiscriminator({ path: [name = ''] }: Field, entry: JsonSchema | undefined): MissingValue['onlyFor'] {
  const condition = entry?.properties?.[name]?.['x-only-for'];
  return condition && { name: toKebabCase(condition.field), value: condition.value };
}

/** What is there; something else where there should be an object is the server's to judge. */
function valueAt(target: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof target !== 'object' || target === null) return target;
  return valueAt((target as Record<string, unknown>)[name], rest);
}
