/** How every command is made: its words, its help with examples, the options that all commands have, and its run. */
import { type Command, Option } from 'commander';
import type { CliExample } from '../contract/operation.ts';
import { findMissingArguments, promptForValues } from './prompts/missing-values.ts';
import { type CliRuntime, type Context, withContext } from './runtime/context.ts';
import { formats } from './runtime/output.ts';
import { assertWritable } from './runtime/safety.ts';
import type { GlobalOptions } from './runtime/settings.ts';

export interface CommandDescription {
  readonly title: string;
  readonly description?: string;
  /** At least one: how it is typed after the words of the command. */
  readonly examples: readonly CliExample[];
  readonly roles?: string;
  /** Whether doing it again leaves the same state; a read does, whatever is said here. */
  readonly idempotent?: boolean;
  /** `local` changes nothing on the server, `write` can be tried with --dry-run, `destructive` is confirmed besides. */
  readonly effect: 'local' | 'read' | 'write' | 'destructive';
  /** What it does depends on what is typed, such as the id of an operation; it may well be a read. */
  readonly effectVaries?: boolean;
}

/** Where what is typed decides which operations are called. */
export const varyingRoles = 'the roles of the operations that it calls';

export type CommandOptions = Readonly<Record<string, unknown>>;
export type CommandAction = (
  context: Context,
  args: readonly (string | string[] | undefined)[],
  options: CommandOptions,
) => Promise<void>;

const globalGroup = 'Global options:';

function globalOptions(): Option[] {
  return [
    new Option('-o, --output <format>', 'how to print').choices([...formats]),
    new Option('--query <expression>', 'print only what this JMESPath expression finds in the result'),
    new Option('--columns <names>', 'columns of a table or of csv, in this order: a,b.c'),
    new Option('--csv-raw', 'write and read cells of csv that start a formula as they are'),
    new Option('--profile <name>', 'profile to use'),
    new Option('--base-url <url>', 'where the service is'),
    new Option('--insecure-http', 'send credentials to other hosts over http as well'),
    new Option('--timeout <seconds>', 'how long to wait for an answer'),
    new Option('--max-wait <seconds>', 'how long to wait for a busy server, and try again'),
    new Option('--color <when>', 'whether to paint').choices(['auto', 'always', 'never']),
    new Option('--proxy <url>', 'proxy to call through'),
    new Option('--ca-file <file>', 'certificate authorities to trust besides the usual'),
    new Option('--client-cert <file>', 'certificate to show to the server'),
    new Option('--client-key <file>', 'its private key'),
    new Option('--no-input', 'never ask; fail with exit code 10 instead'),
    new Option('-q, --quiet', 'no notices on standard error'),
    new Option('--verbose', 'name the calls on standard error'),
    new Option('--debug', 'trace the calls on standard error, without secrets'),
    new Option('--curl', 'print the calls for curl on standard error, with references for secrets'),
  ].map((option) => option.helpGroup(globalGroup));
}

/** Adds the options that every command has. */
export function addGlobalOptions(command: Command): Command {
  for (const option of globalOptions()) command.addOption(option);
  return command;
}

/** Adds a command below `parent`; its options and its action are added by the caller. */
export function addCommand(parent: Command, usage: string, text: CommandDescription): Command {
  const command = parent.command(usage).summary(text.title).description(formatDescription(text));
  command.helpOption('-h, --help', 'show this help');
  if (text.effect === 'write' || text.effect === 'destructive')
    command.option('--dry-run', 'print what would be sent, and send no write');
  if (text.effect === 'destructive') addConfirmOptions(command);
  descriptions.set(command, text);
  const name = commandPath(command);
  const examples = text.examples.flatMap(({ title, command: typed }) => [
    `  # ${title}`,
    `  ${`${name} ${typed}`.trimEnd()}`,
  ]);
  command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
  return command;
}

/** What each command was made from. */
const descriptions = new WeakMap<Command, CommandDescription>();

/** What a command was made from; nothing for a noun. */
export function descriptionOf(command: Command): CommandDescription | undefined {
  return descriptions.get(command);
}

/** Adds what answers a question beforehand. */
export function addConfirmOptions(command: Command): Command {
  return command
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--confirm <name>', 'confirm by the name that is asked for: of a protected profile, a set or a server');
}

/** Whether a run is sure to write; what only might is looked at when it comes to that. */
function isAlwaysWrite(command: Command, options: CommandOptions): boolean {
  const { effect = 'read', effectVaries = false } = descriptions.get(command) ?? {};
  return (effect === 'write' || effect === 'destructive') && !effectVaries && options.dryRun !== true;
}

function formatDescription({ title, description, roles }: CommandDescription): string {
  const allowed = roles === undefined || roles === 'none' ? [] : [`Needs: ${roles}`];
  return [`${title}.`, ...(description ? [description] : []), ...allowed].join('\n\n');
}

/** `iam groups list`, as it is typed. */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

/** Words of a whole command line that the help gives as its first example. */
export function firstExample(command: Command): string {
  return `${commandPath(command)} ${descriptions.get(command)?.examples[0]?.command ?? ''}`.trimEnd();
}

/** Options that take a secret from standard input. */
const readingStdin = ['passwordStdin', 'secretStdin', 'codeStdin'];

/** Whether values that are missing may be asked for: not where standard input is data, and a dry run never asks. */
export function allowsPrompts(
  args: readonly (string | readonly string[] | undefined)[],
  options: CommandOptions,
): boolean {
  const readsStdin =
    [...args, ...Object.values(options)].flat().includes('-') ||
    readingStdin.some((name) => options[name] !== undefined);
  return !readsStdin && options.dryRun !== true;
}

export interface ActionOptions {
  /** The work itself asks for arguments that are missing, together with what else it needs. */
  readonly promptsItself?: boolean;
}

/** Adds the global options and the action; call it last, so that a command's own options come first in its help. */
export function setAction(
  command: Command,
  runtime: CliRuntime,
  work: CommandAction,
  actionOptions: ActionOptions = {},
): Command {
  addGlobalOptions(command);
  // Commander would end the run here with wrong usage; what is missing can be asked for.
  Object.assign(command, { missingArgument: () => undefined });
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2) as (string | string[] | undefined)[];
    const options = readCliOptions(command);
    const global: GlobalOptions = { ...readCliOptions(findRoot(command)), ...options };
    await withContext(runtime, global, async (context) => {
      if (isAlwaysWrite(command, options)) assertWritable(context.sources);
      const completeArgs = actionOptions.promptsItself
        ? args
        : await promptForArguments(context, command, args, options);
      await work(context, completeArgs, options);
    });
  });
}

async function promptForArguments(
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
    missing.map(({ wanted }) => wanted),
  );
  const filled = [...args];
  for (const [at, gap] of missing.entries()) filled[gap.at] = answers[at] as string | string[];
  return filled;
}

function findRoot(command: Command): Command {
  return command.parent ? findRoot(command.parent) : command;
}

/** The options that were typed, not those that have a default. */
function readCliOptions(command: Command): CommandOptions {
  const entries = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli');
  return Object.fromEntries(entries);
}
