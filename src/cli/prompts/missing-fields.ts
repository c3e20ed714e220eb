/** Finds the required fields that a request lacks, and prompts for them. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { type Field, parseFieldValue, setAtPath, toKebabCase } from '../request/field-options.ts';
import type { RequestDraft } from '../request/request-builder.ts';
import { formatArgumentName, type RequestSpec } from '../request/request-spec.ts';
import { labelOf } from './field-prompts.ts';
import { type MissingValue, type PromptAnswer, type PromptContext, promptForValues } from './missing-values.ts';

/** A field of a request that is prompted for. */
export interface PromptedField {
  /** Its path in the request, as errors of the server name it: `userMobile.areaCode`. */
  readonly field: string;
  readonly value: MissingValue;
  fill(answer: PromptAnswer): void;
}

/** Prompts for the missing fields of a request and adds the answers to it. @returns the fields */
export async function promptForMissingFields(
  promptContext: PromptContext,
  spec: RequestSpec,
  draft: RequestDraft,
): Promise<readonly PromptedField[]> {
  const missing = findMissingFields(spec, draft);
  if (missing.length > 0) await promptForFields(promptContext, missing);
  return missing;
}

/** Prompts for fields, also for ones that have a value, which is replaced. */
export async function promptForFields(promptContext: PromptContext, fields: readonly PromptedField[]): Promise<void> {
  const answers = await promptForValues(
    promptContext,
    fields.map(({ value }) => value),
  );
  for (const [at, { fill }] of fields.entries()) fill(answers[at] ?? '');
}

/** Lists the missing fields in command-line order. The server validates everything else. */
function findMissingFields(spec: RequestSpec, { params, query, body }: RequestDraft): PromptedField[] {
  const inPath = spec.operation.params
    .filter(({ name }) => params[name] === undefined)
    .map((param): PromptedField => {
      const name = formatArgumentName(param);
      const value = { name, label: param.schema['x-label'], usage: `<${name}>`, schema: param.schema };
      return { field: param.name, value, fill: (answer) => setAtPath(params, [param.name], String(answer)) };
    });
  const inQuery = spec.query.filter(({ path: [name = ''], required }) => required && query[name] === undefined);
  return [
    ...inPath,
    ...inQuery.map((field) => createMissingField(field, query, `--${field.flag}`)),
    ...(spec.operation.body ? findMissingBodyFields(spec, body) : []),
  ];
}

function findMissingBodyFields({ members, entries, body: fields, last }: RequestSpec, body: unknown): PromptedField[] {
  if (members) return (body as unknown[]).length > 0 ? [] : [createMissingMembers(members, body as unknown[])];
  const target = body as Record<string, unknown>;
  if (entries) return findMissingEntryFields(entries, fields, target);
  return fields
    .filter(({ path, required }) => required && valueAt(target, path) === undefined)
    .map((field) => createMissingField(field, target, field === last ? `<${field.flag}>` : `--${field.flag}`));
}

function createMissingField(field: Field, target: Record<string, unknown>, usage: string): PromptedField {
  const { flag, schema, secret, path } = field;
  const multiple = schema.type === 'array';
  // The flag of a secret names a file; the prompt reads the secret itself.
  const label = schema['x-label'] ?? (secret ? labelOf(toKebabCase(path.join('.'))) : undefined);
  const known = multiple ? { ...schema.items, ...schema } : schema;
  const value = { name: flag, label, usage, schema: known, secret, multiple };
  return {
    field: path.join('.'),
    value,
    fill: (answer) => setAtPath(target, path, secret ? answer : parseFieldValue(field, [answer].flat().join(','))),
  };
}

function createMissingMembers({ flag, schema, path: [name = ''] }: Field, body: unknown[]): PromptedField {
  const value = { name: flag, usage: `<${flag}>...`, schema, multiple: true };
  const fill = (answer: PromptAnswer) => {
    body.splice(0, body.length, ...[answer].flat().map((one) => ({ [name]: one })));
  };
  return { field: name, value, fill };
}

/** The fields of one new entry; optional ones can be omitted. Its id is generated, unless the command line has one. */
function findMissingEntryFields(
  { path: [name = ''], schema }: Field,
  fields: readonly Field[],
  body: Record<string, unknown>,
): PromptedField[] {
  if (body[name] !== undefined) return [];
  const entry: Record<string, unknown> = {};
  const asked = fields.filter(({ schema: { 'x-defines': defined } }) => defined?.by !== 'id');
  return asked.map((field): PromptedField => {
    const required = schema.items?.required?.includes(field.path.join('.')) ?? false;
    const { value, fill } = createMissingField(field, entry, `--${field.flag}`);
    return {
      field: `${name}.${field.path.join('.')}`,
      value: { ...value, optional: !required, onlyFor: findDiscriminator(field, schema.items) },
      fill: (answer) => {
        body[name] = [entry];
        if (answer.length > 0) fill(answer);
      },
    };
  });
}

/** The condition under which a field applies: `email` belongs to the contact type EMAIL. */
function findDiscriminator({ path: [name = ''] }: Field, entry: JsonSchema | undefined): MissingValue['onlyFor'] {
  const condition = entry?.properties?.[name]?.['x-only-for'];
  return condition && { name: toKebabCase(condition.field), value: condition.value };
}

/** The value at a path. The server rejects a value that should be an object and is not. */
function valueAt(target: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof target !== 'object' || target === null) return target;
  return valueAt((target as Record<string, unknown>)[name], rest);
}
