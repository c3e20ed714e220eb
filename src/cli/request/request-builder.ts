/** Maps arguments and options of a command to the parameters, query and body of a request. */
import type { CallInput, Scalar } from '../../client/types.ts';
import { parseJson } from '../../lib/json-text.ts';
import { withoutFinalBreak } from '../../lib/text-file.ts';
import type { CommandOptions, Context } from '../context.ts';
import { usageError } from '../errors.ts';
import { assertBodyTypes } from '../io/document-types.ts';
import { readList, readObject, readSecret, readText } from '../io/input.ts';
import { type Field, parseFieldValue, readFieldOption, setAtPath } from './field-options.ts';
import type { RequestSpec } from './request-spec.ts';

/** Arguments from commander; variadic ones are one list. */
export type CommandArguments = readonly (string | readonly string[] | undefined)[];

/** An incomplete request; missing values are added to it. */
export interface RequestDraft {
  readonly params: Record<string, string>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

/** Parsed arguments and options, and the prompt for missing values. */
export interface CommandInput {
  readonly args: CommandArguments;
  readonly options: CommandOptions;
  /** Adds the required values that the draft lacks. */
  fillMissing(draft: RequestDraft): Promise<void>;
}

export interface RequestInput extends CallInput {
  readonly params: Readonly<Record<string, string>>;
}

/** Builds the request from arguments and options, and prompts for what is missing. */
export async function buildRequest(
  context: Context,
  spec: RequestSpec,
  { args, options, fillMissing }: CommandInput,
): Promise<RequestInput> {
  const { operation } = spec;
  const query: Record<string, Scalar | undefined> = {};
  for (const field of spec.query) query[field.path[0] ?? ''] = readFieldOption(field, options) as Scalar | undefined;
  const rest = args[operation.params.length];
  const body = operation.body ? await buildBody(context, spec, options, rest) : undefined;
  assertBodyTypes(operation.body, body);
  const params = Object.fromEntries(
    operation.params.flatMap(({ name }, at) => (args[at] === undefined ? [] : [[name, String(args[at])]])),
  );
  await fillMissing({ params, query, body });
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
  for (const entry of toList(options.set)) assignField(body, spec.body, '--set', entry, parseAssigned);
  for (const entry of toList(options.setFile)) {
    const [, name = '', file = ''] = splitAssignment(entry);
    const text = file === '' ? '' : withoutFinalBreak(await readText(file, context.io));
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

/** As in an update, null is no text: the field is left out. */
function parseAssigned(field: Field, text: string): unknown {
  if (text !== 'null') return parseFieldValue(field, text);
  if (!field.required) return undefined;
  throw usageError(
    `${field.path.join('.')} cannot be left out; nothing was sent.`,
    `null stands for no value; \`--${field.flag} null\` sets it to this text.`,
  );
}

function parseJsonValue(_: Field, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw usageError(`--set-json: ${JSON.stringify(text)} is not valid JSON: ${(error as Error).message}.`);
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
