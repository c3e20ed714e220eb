/** Maps arguments and options of a command to the parameters, query and body of a request. */
import type { CallInput, Scalar } from '../client/types.ts';
import type { JsonSchema, ManifestField, ManifestOperation } from '../contract/manifest-types.ts';
import type { CommandOptions } from './command.ts';
import {
  createField,
  type Field,
  listFields,
  parseFieldValue,
  readFieldOption,
  setAtPath,
  toKebabCase,
} from './field-options.ts';
import { findMissingFields } from './missing-fields.ts';
import type { MissingValue, PromptAnswer } from './prompts/missing-values.ts';
import type { Context } from './runtime/context.ts';
import { usageError } from './runtime/errors.ts';
import { readList, readObject, readSecret, readText } from './runtime/input.ts';

export interface RequestSpec {
  readonly operation: ManifestOperation;
  readonly query: readonly Field[];
  readonly body: readonly Field[];
  /** The body field that is also accepted as the last argument: `groups add-role ops DEPLOY`. */
  readonly last: Field | undefined;
  /** For a list body: the single field of its items. Values are further arguments: `groups users add ops u1 u2`. */
  readonly members: Field | undefined;
  /** For a body whose only field is a list of objects: options describe one item, a file any number. */
  readonly entries: Field | undefined;
}

/** Arguments from commander; variadic ones are one list. */
export type CommandArguments = readonly (string | readonly string[] | undefined)[];

export function buildRequestSpec(operation: ManifestOperation): RequestSpec {
  const declared = listFields(operation.body);
  const entries = findEntriesField(declared);
  const body = entries ? listFields(entries.schema.items, [], false) : declared;
  const visible = operation.query.filter(
    ({ name }) => !(operation.response.page && (name === 'limit' || name === 'after')),
  );
  const query = visible.map(({ name, schema, required }) => createField([name], schema, required));
  return {
    operation,
    query,
    body,
    last: findLastArgument(operation, declared),
    members: findMembersField(operation.body),
    entries,
  };
}

/** The only field of a body, or the user of a request without path parameters. */
function findLastArgument({ params }: ManifestOperation, body: readonly Field[]): Field | undefined {
  const isUser = ({ schema }: Field) => schema['x-reference']?.entity === 'user';
  const about = params.length === 0 ? body.find(isUser) : undefined;
  const found = body.length === 1 ? body[0] : about;
  return found?.required && found.schema.type === 'string' && !found.secret ? found : undefined;
}

function findEntriesField(fields: readonly Field[]): Field | undefined {
  const [only] = fields;
  const isList = Object.keys(only?.schema.items?.properties ?? {}).length > 1;
  return fields.length === 1 && isList ? only : undefined;
}

function findMembersField(body: JsonSchema | undefined): Field | undefined {
  if (body?.type !== 'array') return undefined;
  const fields = listFields(body.items);
  return fields.length === 1 ? fields[0] : undefined;
}

/** The argument name of a parameter: declared by its schema, or its own name. */
export function formatArgumentName({ name, schema }: ManifestField): string {
  return schema['x-argument'] ?? toKebabCase(name);
}

/** Parsed arguments and options, and the prompt for missing values. */
export interface CommandInput {
  readonly args: CommandArguments;
  readonly options: CommandOptions;
  /** Returns the answers in the same order. */
  prompt(value: readonly MissingValue[]): Promise<readonly PromptAnswer[]>;
}

export interface RequestInput extends CallInput {
  readonly params: Readonly<Record<string, string>>;
}

/** Builds the request from arguments and options, and prompts for what is missing. */
export async function buildRequest(
  context: Context,
  spec: RequestSpec,
  { args, options, prompt }: CommandInput,
): Promise<RequestInput> {
  const { operation } = spec;
  const query: Record<string, Scalar | undefined> = {};
  for (const field of spec.query) query[field.path[0] ?? ''] = readFieldOption(field, options) as Scalar | undefined;
  const rest = args[operation.params.length];
  const body = operation.body ? await buildBody(context, spec, options, rest) : undefined;
  const params = Object.fromEntries(
    operation.params.flatMap(({ name }, at) => (args[at] === undefined ? [] : [[name, String(args[at])]])),
  );
  const missing = findMissingFields(spec, { params, query, body });
  const answers = missing.length === 0 ? [] : await prompt(missing.map(({ value }) => value));
  for (const [at, { fill }] of missing.entries()) fill(answers[at] ?? '');
  return { params, query, ...(body === undefined ? {} : { body }) };
}

async function buildBody(
  context: Context,
  spec: RequestSpec,
  options: CommandOptions,
  rest: CommandArguments[number],
): Promise<unknown> {
  if (spec.members) return buildMemberList(context, spec.members, options, rest);
  if (spec.entries) return buildEntryList(context, spec.entries, spec.body, options);
  const file = options.file as string | undefined;
  const body = file === undefined ? {} : await readObject(file, context.io);
  for (const entry of toList(options.set)) assignField(body, spec.body, '--set', entry, parseFieldValue);
  for (const entry of toList(options.setFile)) {
    const [, name = '', file = ''] = splitAssignment(entry);
    const text = file === '' ? '' : (await readText(file, context.io)).replace(/\r?\n$/, '');
    assignField(body, spec.body, '--set-file', `${name}=${text}`, parseFieldValue);
  }
  for (const entry of toList(options.setJson)) assignField(body, spec.body, '--set-json', entry, parseJsonValue);
  for (const field of spec.body) {
    const option = readFieldOption(field, options);
    const typed = option === undefined && field === spec.last ? rest : option;
    if (typed === undefined) continue;
    setAtPath(body, field.path, field.secret ? await readSecret(String(typed), context.io) : typed);
  }
  return body;
}

function toList(option: unknown): readonly string[] {
  return (option ?? []) as readonly string[];
}

function splitAssignment(assignment: string): readonly string[] {
  return /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
}

function parseJsonValue(_: Field, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw usageError(`--set-json: ${JSON.stringify(text)} is not valid JSON.`);
  }
}

/** `--set userMobile.areaCode=11`: sets a field by its body path; with JSON also an object of fields. */
function assignField(
  body: Record<string, unknown>,
  fields: readonly Field[],
  option: string,
  assignment: string,
  valueIn: (field: Field, text: string) => unknown,
): void {
  const [, name = '', text = ''] = splitAssignment(assignment);
  const settable = fields.filter(({ secret }) => !secret);
  const isNamed = ({ path }: Field) =>
    path.join('.') === name || (option === '--set-json' && `${path.join('.')}.`.startsWith(`${name}.`));
  const field = settable.find(isNamed);
  if (!field || name === '')
    throw usageError(
      `${option} ${JSON.stringify(name)} must be FIELD=VALUE with a field of the body.`,
      `Fields: ${settable.map(({ path }) => path.join('.')).join(', ')}.`,
    );
  setAtPath(body, name.split('.'), valueIn(field, text));
}

async function buildEntryList(
  context: Context,
  { path: [name = ''] }: Field,
  fields: readonly Field[],
  options: CommandOptions,
): Promise<unknown> {
  const file = options.file as string | undefined;
  const body = file === undefined ? {} : await readObject(file, context.io);
  const entry: Record<string, unknown> = {};
  for (const field of fields) {
    const typed = readFieldOption(field, options);
    if (typed !== undefined) setAtPath(entry, field.path, typed);
  }
  return Object.keys(entry).length > 0 ? { ...body, [name]: [body[name] ?? [], entry].flat() } : body;
}

async function buildMemberList(
  context: Context,
  member: Field,
  options: CommandOptions,
  rest: CommandArguments[number],
): Promise<unknown[]> {
  const file = options.file as string | undefined;
  const listed = file === undefined ? [] : await readList(file, context.io);
  const [name = ''] = member.path;
  return [...listed, ...[rest ?? []].flat().map((value) => ({ [name]: value }))];
}
