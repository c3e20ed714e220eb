/** Builds commands: name, help with examples, global options and action. */
import type { EventEmitter } from 'node:events';
import { type Command, Option } from 'commander';
import type { CliExample } from '../contract/operation.ts';
import { createGlobalOptions, globalOptionsLine } from './config/global-options.ts';
import { assertWritable } from './config/safety.ts';
import type { GlobalOptions } from './config/settings.ts';
import { type CliRuntime, type CommandOptions, type Context, withContext } from './context.ts';
import { usageError } from './errors.ts';
import { formatCommandLine } from './output/command-line.ts';
import { findMissingArguments, promptForValues } from './prompts/missing-values.ts';
import { declareValueSources, sourcesOf } from './prompts/value-sources.ts';
import { ClearableOption, toSingular } from './request/field-options.ts';

export interface CommandDescription {
  readonly title: string;
  readonly description?: string;
  /** At least one: the arguments and options after the command's name. */
  readonly examples: readonly CliExample[];
  readonly roles?: string;
  /** Whether repeating it leaves the same state. Reads are always idempotent. */
  readonly idempotent?: boolean;
  /** `local` sends no write, `write` has --dry-run, `destructive` also needs confirmation. */
  readonly effect: 'local' | 'read' | 'write' | 'destructive';
  /** The effect depends on the arguments, such as an operation id, and may be a read. */
  readonly effectVaries?: boolean;
  /** Prints what happens, as it happens: its output is never shown by a pager. */
  readonly live?: true;
  /** Names of arguments that may be empty. Elsewhere an empty argument is an error. */
  readonly emptyArguments?: readonly string[];
}

/** Roles of a command whose arguments select the operations. */
export const varyingRoles = 'the roles of the operations that it requests';

export type CommandAction = (
  context: Context,
  args: readonly (string | string[] | undefined)[],
  options: CommandOptions,
) => Promise<void>;

/** Adds the global options, and their line at the end of help. */
export function addGlobalOptions(command: Command): Command {
  for (const { options } of createGlobalOptions()) for (const option of options) command.addOption(option);
  command.addHelpText('after', `\n${globalOptionsLine}`);
  return declareValueSources(command, { '--profile': 'profile' });
}

/** Adds a command below `parent`. The caller adds its options and action. */
export function addCommand(parent: Command, usage: string, text: CommandDescription): Command {
  const command = parent.command(usage).summary(text.title).description(formatDescription(text));
  command.helpOption('-h, --help', 'show this help');
  if (text.effect === 'write' || text.effect === 'destructive')
    command.option('--dry-run', 'print the request without sending it');
  if (text.effect === 'destructive') addConfirmOptions(command);
  Object.assign(command, { [descriptionKey]: text });
  const name = commandPath(command);
  command.addHelpText('after', ({ error }) => {
    const { getErrHelpWidth, getOutHelpWidth } = command.configureOutput();
    const width = (error ? getErrHelpWidth : getOutHelpWidth)?.() ?? 80;
    const examples = text.examples.flatMap(({ title, command: typed }) => [
      `  # ${title}`,
      ...formatCommandLine(`${name} ${typed}`.trimEnd(), width),
    ]);
    return `\nExamples:\n${examples.join('\n')}`;
  });
  return command;
}

/** The property of a command that holds its description. */
const descriptionKey = Symbol('description');

/** The description of a command; undefined for a noun. */
export function descriptionOf(command: Command): CommandDescription | undefined {
  return (command as { readonly [descriptionKey]?: CommandDescription })[descriptionKey];
}

/** Adds the options that confirm without a prompt. @param text what --yes does */
export function addConfirmOptions(command: Command, text = 'skip the confirmation prompt'): Command {
  return command
    .option('-y, --yes', text)
    .option('--confirm <name>', 'confirm with the required name: of a protected profile, a set or a server');
}

/** Whether a run always writes. Commands with a varying effect are checked before each request. */
function isAlwaysWrite(command: Command, options: CommandOptions): boolean {
  const { effect = 'read', effectVaries = false } = descriptionOf(command) ?? {};
  return (effect === 'write' || effect === 'destructive') && !effectVaries && options.dryRun !== true;
}

/** Only output of commands that change nothing: another one asks, and prints secrets. */
export function isPaged(command: Command): boolean {
  const { effect, effectVaries, live } = descriptionOf(command) ?? {};
  return (effect === 'read' || effect === 'local') && !effectVaries && !live;
}

function formatDescription({ title, description, roles }: CommandDescription): string {
  const allowed = roles === undefined || roles === 'none' ? [] : [`Needs: ${roles}`];
  return [`${title}.`, ...(description ? [description] : []), ...allowed].join('\n\n');
}

/** The property of the value of an option, by its long flag without dashes at the start: `dry-run` is `dryRun`. */
export function toAttribute(flag: string): string {
  return flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The full name of a command: `iam groups list`. */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

/** The first example of a command's help as a full command line. */
export function firstExample(command: Command): string {
  return `${commandPath(command)} ${descriptionOf(command)?.examples[0]?.command ?? ''}`.trimEnd();
}

/** Options that read a secret from standard input. */
const stdinOptions = ['passwordStdin', 'secretStdin', 'codeStdin'];

/** Whether missing values may be prompted for: not if standard input is data, and never on a dry run. */
export function allowsPrompts(
  args: readonly (string | readonly string[] | undefined)[],
  options: CommandOptions,
): boolean {
  const readsStdin =
    [...args, ...Object.values(options)].flat().includes('-') ||
    stdinOptions.some((name) => options[name] !== undefined);
  return !readsStdin && options.dryRun !== true;
}

export interface ActionOptions {
  /** The action prompts for missing arguments itself, together with other missing values. */
  readonly promptsItself?: boolean;
  /** The server must be named: the base URL is prompted for instead of using the default. */
  readonly requiresBaseUrl?: boolean;
}

/** Adds the global options and the action. Call it last: the command's own options come first in its help. */
export function setAction(
  command: Command,
  runtime: CliRuntime,
  work: CommandAction,
  actionOptions: ActionOptions = {},
): Command {
  if (!runtime.isRequested([command.name(), ...command.aliases()])) return command;
  acceptBothNames(command);
  addGlobalOptions(command);
  // Commander would exit with a usage error; missing arguments are prompted for instead.
  Object.assign(command, { missingArgument: () => undefined });
  return command.action(async (...parameters: unknown[]) => {
    const args = parameters.slice(0, -2) as (string | string[] | undefined)[];
    const options = readCliOptions(command);
    const global: GlobalOptions = { ...readCliOptions(findRoot(command)), ...options };
    const workInContext = async (context: Context) => {
      if (isAlwaysWrite(command, options)) {
        assertWritable(context.settings);
        context.announceServer();
      }
      const completeArgs = actionOptions.promptsItself
        ? args
        : await promptForArguments(context, command, args, options);
      await work(context, completeArgs, options);
    };
    const stdinIsData = !allowsPrompts(args, options);
    await withContext(runtime, global, workInContext, {
      requiresBaseUrl: actionOptions.requiresBaseUrl === true,
      stdinIsData,
      paged: isPaged(command),
    });
  });
}

/** The property of an option that is another name of an option. */
const aliasedKey = Symbol('aliased option');

/** The option that an option is another name of, or itself. */
export function resolveOptionAlias(option: Option): Option {
  return (option as { readonly [aliasedKey]?: Option })[aliasedKey] ?? option;
}

/** In the commands of a noun `--name` and the name of its field, such as `--group-name`, are the same option. */
function acceptBothNames(command: Command): void {
  const noun = toSingular(command.parent?.name() ?? '');
  const both = ['--name', `--${noun}-name`];
  const [found, ...others] = command.options.filter(({ long }) => both.includes(long ?? ''));
  if (!found || others.length > 0) return;
  const other = both.find((long) => long !== found.long) ?? '';
  const alias = new Option(`${other} ${found.optional ? '[value]' : '<value>'}`).hideHelp();
  command.addOption(Object.assign(alias, { [aliasedKey]: found })).on(`option:${alias.name()}`, (value: string) => {
    command.setOptionValueWithSource(alias.attributeName(), undefined, 'alias');
    (command as unknown as EventEmitter).emit(`option:${found.name()}`, value);
  });
  if (!found.hidden) found.description = `${found.description} (also ${other})`.trimStart();
}

/** Prompts for required arguments that are missing. @throws CliError (exit 10) in non-interactive mode */
export async function promptForArguments(
  context: Context,
  command: Command,
  args: readonly (string | string[] | undefined)[],
  options: CommandOptions,
): Promise<readonly (string | string[] | undefined)[]> {
  const missing = findMissingArguments(command, args);
  if (missing.length === 0) return args;
  const names = command.registeredArguments.map((argument) => argument.name());
  const known = Object.fromEntries(
    names.flatMap((name, at) => (typeof args[at] === 'string' ? [[name, args[at]] as const] : [])),
  );
  const promptContext = { context, example: firstExample(command), allowsPrompts: allowsPrompts(args, options), known };
  const answers = await promptForValues(
    promptContext,
    missing.map(({ value }) => value),
  );
  const filled = [...args];
  for (const [index, { at }] of missing.entries()) filled[at] = answers[index] as string | string[];
  return filled;
}

const emptyHint = 'A shell variable may be unset: "$NAME" is an empty argument if NAME has no value.';

/**
 * Rejects empty arguments, and empty names of entities in options, which an unset shell variable in quotes leaves, before the
 * command reads or sends anything.
 * @throws CliError (exit 2) with the argument as in help
 */
export function assertNoEmptyArguments(command: Command): void {
  const { profile, baseUrl } = command.optsWithGlobals<GlobalOptions>();
  const named = command.options.find(
    (option) =>
      command.getOptionValue(option.attributeName()) === '' &&
      !(option instanceof ClearableOption) &&
      sourcesOf(command, option.long ?? '').length > 0,
  );
  const empty = profile === '' ? '--profile' : baseUrl === '' ? '--base-url' : named?.long;
  if (empty !== undefined) throw usageError(`${empty} is empty; nothing was sent.`, emptyHint);
  for (const [at, argument] of command.registeredArguments.entries()) {
    const name = argument.name();
    if (![command.processedArgs[at]].flat().includes('')) continue;
    if (descriptionOf(command)?.emptyArguments?.includes(name)) continue;
    throw usageError(`${argument.required ? `<${name}>` : `[${name}]`} is empty; nothing was sent.`, emptyHint);
  }
}

function findRoot(command: Command): Command {
  return command.parent ? findRoot(command.parent) : command;
}

/** The options set on the command line, without defaults. */
function readCliOptions(command: Command): CommandOptions {
  const entries = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli');
  return Object.fromEntries(entries);
}
