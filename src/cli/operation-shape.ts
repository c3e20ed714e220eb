/** What of an operation is typed as arguments and what as options, and the body that both make. */
import type { CallInput, Scalar } from '../client/types.ts';
import type { JsonSchema, ManifestField, ManifestOperation } from '../contract/manifest-types.ts';
import type { Answer, Wanted } from './asking/wanted.ts';
import { type Field, fieldOf, fieldsOf, kebab, place, typedValue, valueOfText } from './fields.ts';
import { gapsOf } from './gaps.ts';
import type { Options } from './leaf.ts';
import type { Context } from './runtime/context.ts';
import { usageError } from './runtime/failures.ts';
import { readList, readObject, readSecret, readText } from './runtime/input.ts';

export interface Shape {
  readonly operation: ManifestOperation;
  readonly query: readonly Field[];
  readonly body: readonly Field[];
  /** The field of a body that is also taken as the last argument: `groups add-role ops DEPLOY`. */
  readonly last: Field | undefined;
  /** The one field of the objects in a body that is a list; its values are further arguments: `groups users add ops u1 u2`. */
  readonly members: Field | undefined;
  /** The only field of a body, a list of objects: the options make one of them, a file holds any number. */
  readonly entries: Field | undefined;
}

/** Arguments as commander gives them: further ones come as one list. */
export type Arguments = readonly (string | readonly string[] | undefined)[];

export function shapeOf(operation: ManifestOperation): Shape {
  const declared = fieldsOf(operation.body);
  const entries = entriesOf(declared);
  const body = entries ? fieldsOf(entries.schema.items, [], false) : declared;
  const shown = operation.query.filter(
    ({ name }) => !(operation.response.page && (name === 'limit' || name === 'after')),
  );
  const query = shown.map(({ name, schema, required }) => fieldOf([name], schema, required));
  return { operation, query, body, last: lastOf(operation, declared), members: membersOf(operation.body), entries };
}

/** The only field of a body; or the user whom a call is about, where the path names nobody. */
function lastOf({ params }: ManifestOperation, body: readonly Field[]): Field | undefined {
  const isUser = ({ schema }: Field) => schema['x-reference']?.entity === 'user';
  const about = params.length === 0 ? body.find(isUser) : undefined;
  const found = body.length === 1 ? body[0] : about;
  return found?.required && found.schema.type === 'string' && !found.secret ? found : undefined;
}

function entriesOf(fields: readonly Field[]): Field | undefined {
  const [only] = fields;
  const isList = Object.keys(only?.schema.items?.properties ?? {}).length > 1;
  return fields.length === 1 && isList ? only : undefined;
}

function membersOf(body: JsonSchema | undefined): Field | undefined {
  if (body?.type !== 'array') return undefined;
  const fields = fieldsOf(body.items);
  return fields.length === 1 ? fields[0] : undefined;
}

/** What a parameter is called as an argument: what its schema declares, or its own name. */
export function argumentName({ name, schema }: ManifestField): string {
  return schema['x-argument'] ?? kebab(name);
}

/** What was typed, and whom to ask for what was not. */
export interface Typed {
  readonly args: Arguments;
  readonly options: Options;
  /** Gives the answers in the same order. */
  ask(wanted: readonly Wanted[]): Promise<readonly Answer[]>;
}

export interface Input extends CallInput {
  readonly params: Readonly<Record<string, string>>;
}

/** What is sent, from what was typed and, where that lacks something, from answers. */
export async function inputOf(context: Context, shape: Shape, { args, options, ask }: Typed): Promise<Input> {
  const { operation } = shape;
  const query: Record<string, Scalar | undefined> = {};
  for (const field of shape.query) query[field.path[0] ?? ''] = typedValue(field, options) as Scalar | undefined;
  const rest = args[operation.params.length];
  const body = operation.body ? await bodyOf(context, shape, options, rest) : undefined;
  const params = Object.fromEntries(
    operation.params.flatMap(({ name }, at) => (args[at] === undefined ? [] : [[name, String(args[at])]])),
  );
  const gaps = gapsOf(shape, { params, query, body });
  const answers = gaps.length === 0 ? [] : await ask(gaps.map(({ wanted }) => wanted));
  for (const [at, { fill }] of gaps.entries()) fill(answers[at] ?? '');
  return { params, query, ...(body === undefined ? {} : { body }) };
}

async function bodyOf(context: Context, shape: Shape, options: Options, rest: Arguments[number]): Promise<unknown> {
  if (shape.members) return memberList(context, shape.members, options, rest);
  if (shape.entries) return entryList(context, shape.entries, shape.body, options);
  const file = options.file as string | undefined;
  const body = file === undefined ? {} : await readObject(file, context.io);
  for (const given of listOf(options.set)) assign(body, shape.body, '--set', given, valueOfText);
  for (const given of listOf(options.setFile)) {
    const [, name = '', file = ''] = parted(given);
    const text = file === '' ? '' : (await readText(file, context.io)).replace(/\r?\n$/, '');
    assign(body, shape.body, '--set-file', `${name}=${text}`, valueOfText);
  }
  for (const given of listOf(options.setJson)) assign(body, shape.body, '--set-json', given, jsonValue);
  for (const field of shape.body) {
    const option = typedValue(field, options);
    const typed = option === undefined && field === shape.last ? rest : option;
    if (typed === undefined) continue;
    place(body, field.path, field.secret ? await readSecret(String(typed), context.io) : typed);
  }
  return body;
}

function listOf(given: unknown): readonly string[] {
  return (given ?? []) as readonly string[];
}

function parted(assignment: string): readonly string[] {
  return /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
}

function jsonValue(_: Field, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw usageError(`--set-json: ${JSON.stringify(text)} is no JSON.`);
  }
}

/** `--set userMobile.areaCode=11`: a field by its name in the body; JSON may also be a whole object of fields. */
function assign(
  body: Record<string, unknown>,
  fields: readonly Field[],
  option: string,
  assignment: string,
  valueIn: (field: Field, text: string) => unknown,
): void {
  const [, name = '', text = ''] = parted(assignment);
  const settable = fields.filter(({ secret }) => !secret);
  const isNamed = ({ path }: Field) =>
    path.join('.') === name || (option === '--set-json' && `${path.join('.')}.`.startsWith(`${name}.`));
  const field = settable.find(isNamed);
  if (!field || name === '')
    throw usageError(
      `${option} ${JSON.stringify(name)}: it must be FIELD=VALUE.`,
      `Fields: ${settable.map(({ path }) => path.join('.')).join(', ')}.`,
    );
  place(body, name.split('.'), valueIn(field, text));
}

async function entryList(
  context: Context,
  { path: [name = ''] }: Field,
  fields: readonly Field[],
  options: Options,
): Promise<unknown> {
  const file = options.file as string | undefined;
  const body = file === undefined ? {} : await readObject(file, context.io);
  const entry: Record<string, unknown> = {};
  for (const field of fields) {
    const typed = typedValue(field, options);
    if (typed !== undefined) place(entry, field.path, typed);
  }
  return Object.keys(entry).length > 0 ? { ...body, [name]: [body[name] ?? [], entry].flat() } : body;
}

async function memberList(
  context: Context,
  member: Field,
  options: Options,
  rest: Arguments[number],
): Promise<unknown[]> {
  const file = options.file as string | undefined;
  const listed = file === undefined ? [] : await readList(file, context.io);
  const [name = ''] = member.path;
  return [...listed, ...[rest ?? []].flat().map((value) => ({ [name]: value }))];
}
