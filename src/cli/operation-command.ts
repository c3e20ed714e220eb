/** The command of an operation, made from its declaration: path parameters are arguments, fields are options. */
import type { Command } from 'commander';
import type { CallInput, Scalar } from '../client/types.ts';
import type { JsonSchema, ManifestField, ManifestOperation } from '../contract/manifest-types.ts';
import { addFieldOption, type Field, fieldOf, fieldsOf, place, typedValue } from './fields.ts';
import { existing } from './if-not-exists.ts';
import { addLeaf, type Options, runs, wordsOf } from './leaf.ts';
import { printList } from './list.ts';
import type { Context, Surroundings } from './runtime/context.ts';
import { usageError } from './runtime/failures.ts';
import { readObject, readSecret } from './runtime/input.ts';
import { keepingSecret, noteSecret } from './secrets.ts';
import { confirmed, planOf, printAnswer, printPlan, send } from './send.ts';

const verbAliases: Readonly<Record<string, readonly string[]>> = {
  delete: ['remove', 'rm'],
  remove: ['delete', 'rm'],
  list: ['ls'],
  get: ['show'],
};

interface Shape {
  readonly operation: ManifestOperation;
  readonly query: readonly Field[];
  readonly body: readonly Field[];
  /** The one field of a body that is also taken as the last argument: `groups add-role ops DEPLOY`. */
  readonly last: Field | undefined;
}

/** Adds the command of an operation below its noun. */
export function addOperationCommand(
  parent: Command,
  operation: ManifestOperation,
  surroundings: Surroundings,
): Command {
  const verb = operation.command?.split(' ').at(-1) ?? operation.id;
  const command = addLeaf(parent, verb, operation).aliases(verbAliases[verb] ?? []);
  const shape = shapeOf(operation);
  for (const param of operation.params) command.argument(`<${argumentName(param)}>`, param.schema.description);
  if (shape.last) command.argument(`[${shape.last.flag}]`, shape.last.schema.description);
  addOptions(command, shape);
  return runs(command, surroundings, (context, args, options) =>
    perform(context, command, shape, args as readonly (string | undefined)[], options),
  );
}

function shapeOf(operation: ManifestOperation): Shape {
  const body = fieldsOf(operation.body);
  const shown = operation.query.filter(
    ({ name }) => !(operation.response.page && (name === 'limit' || name === 'after')),
  );
  const query = shown.map(({ name, schema, required }) => fieldOf([name], schema, required));
  const [only] = body;
  const last = body.length === 1 && only?.required && only.schema.type === 'string' && !only.secret ? only : undefined;
  return { operation, query, body, last };
}

/** `group` where a name is taken besides the id, else the parameter's own name. */
function argumentName({ name, schema }: ManifestField): string {
  const kebab = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  return /^id or name/i.test(schema.description ?? '') ? kebab.replace(/-(id|name)$/, '') : kebab;
}

function addOptions(command: Command, { operation, query, body }: Shape): void {
  for (const field of [...query, ...body]) addFieldOption(command, field);
  if (operation.body)
    command.option('-f, --file <file>', 'fields from a JSON or YAML file, - is standard input; options go before it');
  if (operation.response.secret && operation.effect !== 'read')
    command.option(
      '--secret-to <file>',
      'write the secret to a new file that only you can read, instead of showing it',
    );
  if (operation.response.page) {
    addFieldOption(
      command,
      fieldOf(['limit'], { type: 'integer', description: 'most entries to print; 100 where not given' }, false),
    );
    command.option('--all', 'print every entry');
  }
  if (isCreate(operation)) command.option('--if-not-exists', 'be content where it is there already');
}

function isCreate(operation: ManifestOperation): boolean {
  return operation.id.endsWith('.create');
}

type Arguments = readonly (string | undefined)[];

async function perform(
  context: Context,
  command: Command,
  shape: Shape,
  args: Arguments,
  options: Options,
): Promise<void> {
  const { operation } = shape;
  const input = await inputOf(context, shape, args, options);
  if (operation.response.page) return printList(context, operation, input, extentOf(options));
  if (options.dryRun === true) return printPlan(context, planOf(context, operation, input));
  const given = args.filter((arg) => arg !== undefined).join(' ');
  if (operation.effect === 'destructive') await confirmed(context, `${operation.title}: ${given}?`, options);
  const done = `${[wordsOf(command).replace(/^\S+ /, ''), given].filter(Boolean).join(' ')}: done`;
  const call = async () => (await send(context, operation, input)).body;
  const tolerant = options.ifNotExists === true ? () => existing(context, operation, input, call) : call;
  if (!operation.response.secret) return printAnswer(context, await tolerant(), done);
  const body = await keepingSecret(context, options.secretTo as string | undefined, tolerant);
  await printAnswer(context, body, done);
  noteSecret(context, body);
}

function extentOf(options: Options): { all: boolean; limit?: number } {
  const limit = options.limit as number | undefined;
  if (limit !== undefined && limit < 1) throw usageError('--limit must be at least 1.');
  return { all: options.all === true, ...(limit === undefined ? {} : { limit }) };
}

async function inputOf(context: Context, shape: Shape, args: Arguments, options: Options): Promise<CallInput> {
  const { operation } = shape;
  const params = Object.fromEntries(operation.params.map(({ name }, at) => [name, args[at] ?? '']));
  const query: Record<string, Scalar | undefined> = {};
  for (const field of shape.query) query[field.path[0] ?? ''] = typedValue(field, options) as Scalar | undefined;
  const last = args[operation.params.length];
  const body = operation.body ? await bodyOf(context, shape, operation.body, options, last) : undefined;
  return { params, query, ...(body === undefined ? {} : { body }) };
}

async function bodyOf(
  context: Context,
  shape: Shape,
  schema: JsonSchema,
  options: Options,
  last: string | undefined,
): Promise<unknown> {
  const file = options.file as string | undefined;
  const body = file === undefined ? {} : await readObject(file, context.io);
  for (const field of shape.body) {
    const typed = typedValue(field, options) ?? (field === shape.last ? last : undefined);
    if (typed === undefined) continue;
    place(body, field.path, field.secret ? await readSecret(String(typed), context.io) : typed);
  }
  requireFields(schema, shape.body, body);
  return body;
}

/** Only what is missing is found here; all else is the server's to judge. */
function requireFields(schema: JsonSchema, fields: readonly Field[], body: Record<string, unknown>): void {
  const missing = (schema.required ?? []).filter((name) => body[name] === undefined);
  const flags = missing.map((name) => `--${fields.find(({ path }) => path[0] === name)?.flag ?? name}`);
  if (flags.length > 0)
    throw usageError(
      `${flags.join(', ')} ${flags.length > 1 ? 'are' : 'is'} missing.`,
      'Give it as an option, or in a file with -f.',
    );
}
