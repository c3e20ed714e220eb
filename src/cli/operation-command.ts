/** The command of an operation, made from its declaration: path parameters are arguments, fields are options. */
import type { Command } from 'commander';
import { entityOf } from '../contract/entities.ts';
import type { JsonSchema, ManifestOperation } from '../contract/manifest-types.ts';
import { askFor, type Wanted } from './asking/wanted.ts';
import { addFieldOption } from './fields.ts';
import { existing } from './if-not-exists.ts';
import { addLeaf, exampleOf, mayAsk, type Options, runs, type Work, wordsOf } from './leaf.ts';
import { addExtentOptions, extentOf, printList } from './list.ts';
import { type Arguments, argumentName, type Input, inputOf, type Shape, shapeOf } from './operation-shape.ts';
import type { Context, Surroundings } from './runtime/context.ts';
import { keepingSecret, noteSecret } from './secrets.ts';
import { confirmed, planOf, printAnswer, printPlan, send } from './send.ts';
import { takenAlong } from './taken-along.ts';
import { referenceIn, takes } from './value-sources.ts';

const verbAliases: Readonly<Record<string, readonly string[]>> = {
  delete: ['remove', 'rm'],
  remove: ['delete', 'rm'],
  list: ['ls'],
  get: ['show'],
};

/** Other words for the same verb. */
export function aliasesOfVerb(verb: string): readonly string[] {
  return verbAliases[verb] ?? [];
}

/** Adds the command of an operation below its noun. */
export function addOperationCommand(
  parent: Command,
  operation: ManifestOperation,
  surroundings: Surroundings,
): Command {
  const verb = operation.command?.split(' ').at(-1) ?? operation.id;
  const command = addLeaf(parent, verb, operation).aliases(aliasesOfVerb(verb));
  const shape = shapeOf(operation);
  for (const param of operation.params) command.argument(`<${argumentName(param)}>`, param.schema.description);
  if (shape.last) command.argument(`[${shape.last.flag}]`, shape.last.schema.description);
  if (shape.members) command.argument(`[${shape.members.flag}...]`, 'One or more');
  addOptions(command, shape);
  takes(command, sourcesIn(shape));
  const work: Work = (context, args, options) => perform(context, command, shape, args, options);
  return runs(command, surroundings, work, { asksItself: true });
}

/** What the arguments and options of an operation refer to. */
function sourcesIn({ operation, query, body, last, members }: Shape): Parameters<typeof takes>[1] {
  const named: readonly (readonly [string, JsonSchema])[] = [
    ...operation.params.map((param) => [argumentName(param), param.schema] as const),
    ...[last, members].flatMap((field) => (field ? [[field.flag, field.schema] as const] : [])),
    ...[...query, ...body].map(({ flag, schema }) => [`--${flag}`, schema] as const),
  ];
  return Object.fromEntries(
    named.flatMap(([name, schema]) => {
      const found = referenceIn(schema);
      return found ? [[name, { 'x-reference': found }] as const] : [];
    }),
  );
}

function addOptions(command: Command, { operation, query, body, members, entries }: Shape): void {
  for (const field of [...query, ...body]) addFieldOption(command, field);
  if (operation.body)
    command.option(
      '-f, --file <file>',
      `${members ? 'a list' : 'fields'} from a JSON or YAML file, - is standard input${members ? '' : entries ? '; options make one entry more' : '; options go before it'}`,
    );
  if (operation.response.secret && operation.effect !== 'read')
    command.option(
      '--secret-to <file>',
      'write the secret to a new file that only you can read, instead of showing it',
    );
  if (operation.response.page) addExtentOptions(command);
  if (operation.creates !== undefined) {
    const repeated = (value: string, before: readonly string[] = []) => [...before, value];
    command
      .option('--set <field=value>', 'a field by its name in the body, a.b=v (repeat)', repeated)
      .option('--set-json <field=json>', 'the same with a JSON value, also for lists and objects (repeat)', repeated)
      .option('--set-file <field=file>', 'the same with what a file holds, - is standard input (repeat)', repeated);
    if (entityOf(operation.creates).ifNotExists !== false)
      command.option('--if-not-exists', 'be content where it is there already');
  }
}

async function perform(
  context: Context,
  command: Command,
  shape: Shape,
  args: Arguments,
  options: Options,
): Promise<void> {
  const { operation } = shape;
  const occasion = { context, example: exampleOf(command), mayAsk: mayAsk(args, options) };
  const known = Object.fromEntries(
    operation.params.flatMap((param, at) => (args[at] === undefined ? [] : [[argumentName(param), String(args[at])]])),
  );
  const ask = (wanted: readonly Wanted[]) => askFor({ ...occasion, known }, wanted);
  const input = await inputOf(context, shape, { args, options, ask });
  if (!operation.response.page) context.printer.check(operation.response.schema);
  if (operation.response.page) return printList(context, operation, input, extentOf(options));
  if (options.dryRun === true) return printPlan(context, planOf(context, operation, input));
  const named = [wordsOf(command).replace(/^\S+ /, ''), ...namesIn(shape, input)].join(' ');
  if (operation.effect === 'destructive')
    await confirmed(context, `Go on with \`${named}\`?`, options, options.file === '-', {
      details: () => takenAlong(context, operation.id, input.params ?? {}),
    });
  const done = `${named}: done`;
  const call = async () => (await send(context, operation, input)).body;
  const tolerant = options.ifNotExists === true ? () => existing(context, operation, input, call) : call;
  if (!operation.response.secret) return printAnswer(context, await tolerant(), done);
  const body = await keepingSecret(
    context,
    operation.response,
    options.secretTo as string | undefined,
    tolerant,
    options.ifNotExists === true,
  );
  await printAnswer(context, body, done);
  noteSecret(context, operation.response, body);
}

/** What a call is about, as it would be typed: parameters, and what is taken as further arguments. */
function namesIn({ operation, last, members }: Shape, { params, body }: Input): string[] {
  const inPath = operation.params.map(({ name }) => params[name] ?? '');
  if (members) return [...inPath, ...(body as Record<string, unknown>[]).map((one) => String(Object.values(one)[0]))];
  const named = last && (body as Record<string, unknown>)[last.path[0] ?? ''];
  return named === undefined ? inPath : [...inPath, String(named)];
}
