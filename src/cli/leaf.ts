/** How every command is made: its words, its help with examples, the options that all commands have, and its run. */
import { type Command, Option } from 'commander';
import type { Example } from '../contract/operation.ts';
import { askFor, missingArguments } from './asking/wanted.ts';
import { type Context, type Surroundings, withContext } from './runtime/context.ts';
import { formats } from './runtime/output.ts';
import { requireWritable } from './runtime/safety.ts';
import type { GlobalOptions } from './runtime/settings.ts';

export interface LeafText {
  readonly title: string;
  readonly description?: string;
  /** At least one: how it is typed after the words of the command. */
  readonly examples: readonly Example[];
  readonly roles?: string;
  /** Whether doing it again leaves the same state; a read does, whatever is said here. */
  readonly idempotent?: boolean;
  /** `local` changes nothing on the server, `write` can be tried with --dry-run, `destructive` is confirmed besides. */
  readonly effect: 'local' | 'read' | 'write' | 'destructive';
  /** What it does depends on what is typed, such as the id of an operation; it may well be a read. */
  readonly effectVaries?: boolean;
}

/** Where what is typed decides which operations are called. */
export const rolesVary = 'the roles of the operations that it calls';

export type Options = Readonly<Record<string, unknown>>;
export type Work = (
  context: Context,
  args: readonly (string | string[] | undefined)[],
  options: Options,
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
export function addLeaf(parent: Command, usage: string, text: LeafText): Command {
  const command = parent.command(usage).summary(text.title).description(describe(text));
  command.helpOption('-h, --help', 'show this help');
  if (text.effect === 'write' || text.effect === 'destructive')
    command.option('--dry-run', 'print what would be sent, and send no write');
  if (text.effect === 'destructive') addConfirmOptions(command);
  texts.set(command, text);
  const name = wordsOf(command);
  const examples = text.examples.flatMap(({ title, command: typed }) => [
    `  # ${title}`,
    `  ${`${name} ${typed}`.trimEnd()}`,
  ]);
  command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
  return command;
}

/** What each command was made from. */
const texts = new WeakMap<Command, LeafText>();

/** What a command was made from; nothing for a noun. */
export function textOf(command: Command): LeafText | undefined {
  return texts.get(command);
}

/** Adds what answers a question beforehand. */
export function addConfirmOptions(command: Command): Command {
  return command
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--confirm <name>', 'confirm by the name that is asked for: of a protected profile, a set or a server');
}

/** Whether a run is sure to write; what only might is looked at when it comes to that. */
function isSureToWrite(command: Command, options: Options): boolean {
  const { effect = 'read', effectVaries = false } = texts.get(command) ?? {};
  return (effect === 'write' || effect === 'destructive') && !effectVaries && options.dryRun !== true;
}

function describe({ title, description, roles }: LeafText): string {
  const allowed = roles === undefined || roles === 'none' ? [] : [`Needs: ${roles}`];
  return [`${title}.`, ...(description ? [description] : []), ...allowed].join('\n\n');
}

/** `iam groups list`, as it is typed. */
export function wordsOf(command: Command): string {
  return command.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();
}

/** Words of a whole command line that the help gives as its first example. */
export function exampleOf(command: Command): string {
  return `${wordsOf(command)} ${texts.get(command)?.examples[0]?.command ?? ''}`.trimEnd();
}

/** Options that take a secret from standard input. */
const readingStdin = ['passwordStdin', 'secretStdin', 'codeStdin'];

/** Whether values that are missing may be asked for: not where standard input is data, and a dry run never asks. */
export function mayAsk(args: readonly (string | readonly string[] | undefined)[], options: Options): boolean {
  const readsStdin =
    [...args, ...Object.values(options)].flat().includes('-') ||
    readingStdin.some((name) => options[name] !== undefined);
  return !readsStdin && options.dryRun !== true;
}

export interface Running {
  /** The work itself asks for arguments that are missing, together with what else it needs. */
  readonly asksItself?: boolean;
}

/** Adds the global options and the action; call it last, so that a command's own options come first in its help. */
export function runs(command: Command, surroundings: Surroundings, work: Work, running: Running = {}): Command {
  addGlobalOptions(command);
  // Commander would end the run here with wrong usage; what is missing can be asked for.
  Object.assign(command, { missingArgument: () => undefined });
  return command.action(async (...given: unknown[]) => {
    const args = given.slice(0, -2) as (string | string[] | undefined)[];
    const options = typed(command);
    const global: GlobalOptions = { ...typed(rootOf(command)), ...options };
    await withContext(surroundings, global, async (context) => {
      if (isSureToWrite(command, options)) requireWritable(context.sources);
      const asked = running.asksItself ? args : await withAnswers(context, command, args, options);
      await work(context, asked, options);
    });
  });
}

async function withAnswers(
  context: Context,
  command: Command,
  args: readonly (string | string[] | undefined)[],
  options: Options,
): Promise<readonly (string | string[] | undefined)[]> {
  const gaps = missingArguments(command, args);
  if (gaps.length === 0) return args;
  const names = command.registeredArguments.map((argument) => argument.name());
  const known = Object.fromEntries(
    names.flatMap((name, at) => (typeof args[at] === 'string' ? [[name, args[at]] as const] : [])),
  );
  const occasion = { context, example: exampleOf(command), mayAsk: mayAsk(args, options), known };
  const answers = await askFor(
    occasion,
    gaps.map(({ wanted }) => wanted),
  );
  const filled = [...args];
  for (const [at, gap] of gaps.entries()) filled[gap.at] = answers[at] as string | string[];
  return filled;
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

/** The options that were typed, not those that have a default. */
function typed(command: Command): Options {
  const entries = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli');
  return Object.fromEntries(entries);
}
