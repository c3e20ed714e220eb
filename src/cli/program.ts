/** Builds the commands. Nothing happens before they are parsed. */
import { Command, Help, type Option } from 'commander';
import type { Manifest } from '../contract/manifest-types.ts';
import { addGlobalOptions, assertNoEmptyArguments } from './command.ts';
import { findUpdatableResource } from './commands/update/resources.ts';
import { isGlobalOption } from './config/global-options.ts';
import type { GlobalOptions } from './config/settings.ts';
import type { CliRuntime } from './context.ts';
import { usageError } from './errors.ts';
import { type Environment, getTextOutput, type Io } from './io/io.ts';
import {
  type CommandEntry,
  type CommandGroup,
  type CustomCommand,
  commandGroups,
  type Noun,
  type OperationCommand,
} from './registry.ts';
import { toSingular } from './request/field-options.ts';
import { findVerbAliases } from './request/operation-names.ts';

export interface ProgramOptions {
  readonly manifest: Manifest;
  /** The command line: only its commands are built in full. By default all are. */
  readonly words?: readonly string[];
  /** Receives the folders of --trust-folder before a command runs. */
  readonly trust?: (folders: readonly string[]) => void;
}

/** Builds the program, or only the part that the command line needs. */
export async function buildProgram(
  io: Io,
  environment: Environment,
  { manifest, words, trust }: ProgramOptions,
): Promise<Command> {
  const program = rootCommand(io, manifest.version);
  const runtime: CliRuntime = {
    io,
    environment,
    manifest,
    isRequested: (names) => words === undefined || names.some((name) => words.includes(name)),
    wordAfter: (names) => words?.[words.findIndex((word) => names.includes(word)) + 1],
    everyCommand: () => buildProgram(io, environment, { manifest }),
  };
  for (const { heading, commands } of listGroups(manifest)) {
    program.commandsGroup(heading);
    for (const entry of commands) await addEntry(program, entry, runtime);
  }
  program.hook('preAction', (_, command) => {
    trust?.(listTrustedFolders(command));
    assertNoEmptyArguments(command);
  });
  return program;
}

/** The folders of a command and of those above it, which have the option, too. */
function listTrustedFolders(command: Command): readonly string[] {
  const { trustFolder = [] } = command.opts<GlobalOptions>();
  return command.parent ? [...listTrustedFolders(command.parent), ...trustFolder] : trustFolder;
}

/** The groups of the registry. The last one also has the commands of operations that the registry does not list. */
function listGroups({ operations }: Manifest): readonly CommandGroup[] {
  const listed = new Set(commandGroups.flatMap(({ commands }) => commands.map(({ name }) => name)));
  const names = operations.flatMap(({ command }) => command?.split(' ')[0] ?? []);
  const others = [...new Set(names)]
    .filter((name) => !listed.has(name))
    .map((name): CommandEntry => {
      const isNoun = !operations.some(({ command }) => command === name);
      return isNoun ? { name, summary: defaultSummary(name) } : { name, subcommands: [] };
    });
  return commandGroups.map((group, at) =>
    at === commandGroups.length - 1 ? { ...group, commands: [...group.commands, ...others] } : group,
  );
}

function defaultSummary(name: string): string {
  return `Commands for ${name.replaceAll('-', ' ')}`;
}

async function addEntry(program: Command, entry: CommandEntry, runtime: CliRuntime): Promise<void> {
  if ('summary' in entry) await addNoun(program, entry, runtime);
  else if ('title' in entry) await addCustomCommand(program, entry, runtime);
  else await addOperationEntry(program, entry, runtime);
}

function rootCommand(io: Io, version: string): Command {
  const program = new Command('iam')
    .description('Administer an identity and access management service, or run one locally.')
    .enablePositionalOptions()
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .version(version, '-V, --version', 'show the version')
    .configureHelp(helpStyle)
    .configureOutput({
      writeOut: (text) => void getTextOutput(io).write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => helpWidth(getTextOutput(io).columns),
      getErrHelpWidth: () => helpWidth(io.stderr.columns),
      // Help has no colors; commander would open the streams of the process to detect support.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      // `run` reports errors.
      outputError: () => undefined,
    });
  addGlobalOptions(program);
  return program.addHelpText(
    'after',
    'Every command has --help with examples.\nSee also: iam help exit-codes | environment | output | filters',
  );
}

const helpStyle = {
  subcommandTerm: (command: Command) => command.name(),
  optionDescription,
  formatHelp: formatHelpSections,
};

/** Puts commands before options, and omits the global options, which have their own topic. */
function formatHelpSections(command: Command, help: Help): string {
  const visibleOptions = (of: Command) => help.visibleOptions(of).filter((option) => !isGlobalOption(option));
  const ownHelp: Help = Object.assign(Object.create(help) as Help, { visibleOptions });
  const [usage = '', ...texts] = Help.prototype.formatHelp.call(ownHelp, command, ownHelp).trimEnd().split('\n\n');
  const sections = [wrapUsage(usage, help), ...texts];
  const rank = (section: string) => (section.startsWith('Options:') ? 1 : 0);
  return `${sections.sort((a, b) => rank(a) - rank(b)).join('\n\n')}\n`;
}

/** Commander wraps all lines but that of the usage. */
function wrapUsage(usage: string, help: Help): string {
  const [heading = ''] = /^\S+ /.exec(usage) ?? [];
  const lines = help.boxWrap(usage.slice(heading.length), (help.helpWidth ?? 80) - heading.length);
  return heading + lines.replaceAll('\n', `\n${' '.repeat(heading.length)}`);
}

/** Appends the choices without the quotes that commander puts around each. */
function optionDescription({ description, argChoices }: Option): string {
  const choices = argChoices?.[0] === 'true' ? undefined : argChoices;
  return choices ? `${description}: ${choices.join(', ')}` : description;
}

function helpWidth(columns = 80): number {
  return Math.min(columns, 100);
}

async function addNoun(program: Command, noun: Noun, runtime: CliRuntime): Promise<void> {
  const aliases = nounAliases(noun.name);
  const command = program.command(noun.name).summary(noun.summary).description(`${noun.summary}.`).aliases(aliases);
  command
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureHelp({ ...helpStyle, sortSubcommands: true })
    .addHelpText('after', formatMoreHelp([noun.name]));
  if (!runtime.isRequested([noun.name, ...aliases])) return;
  await addOperations(command, [noun.name], noun, runtime);
  const next = runtime.wordAfter([noun.name, ...aliases]);
  const named = command.commands.find((one) => one.name() === next || one.aliases().includes(next ?? ''));
  // The command of an operation needs no hand-written ones beside it; a noun has some of them below it.
  const others = named && named.commands.length === 0 ? [] : (noun.add ?? []);
  for (const load of others) await (await load())(command, runtime);
  nameReplacements(command, noun);
}

/** Names the command that replaces a former one, instead of reporting an unknown command. */
function nameReplacements(command: Command, { name, replaced = {} }: Noun): void {
  command.exitOverride((error) => {
    const [former = ''] = command.args;
    if (error.code !== 'commander.unknownCommand' || !Object.hasOwn(replaced, former)) throw error;
    throw usageError(`\`iam ${name} ${former}\` was replaced.`, `Use \`iam ${replaced[former]}\`.`);
  });
}

function formatMoreHelp(words: readonly string[]): string {
  return `\nOptions and examples: iam ${words.join(' ')} COMMAND --help`;
}

/** Adds an operation whose command is one word, such as `keys`, with its subcommands. */
async function addOperationEntry(
  program: Command,
  { name, subcommands }: OperationCommand,
  runtime: CliRuntime,
): Promise<void> {
  const operation = runtime.manifest.operations.find(({ command }) => command === name);
  if (!operation) return;
  if (!runtime.isRequested([name])) return addSummary(program, name, operation.title);
  const { addOperationCommand } = await import('./commands/operation.ts');
  const command = addOperationCommand(program, operation, runtime);
  for (const load of subcommands) await (await load())(command, runtime);
}

async function addCustomCommand(
  program: Command,
  { name, title, add }: CustomCommand,
  runtime: CliRuntime,
): Promise<void> {
  if (runtime.isRequested([name])) (await add())(program, runtime, title);
  else addSummary(program, name, title);
}

/** A command that is not requested is only listed in help. */
function addSummary(program: Command, name: string, summary: string): void {
  program.command(name).summary(summary);
}

/** The singular of a plural name, or the plural of a singular one. */
function nounAliases(name: string): string[] {
  const one = toSingular(name);
  return [one === name ? `${name}s` : one];
}

/** Adds the operations below these words, and nested nouns: `groups users add`. */
async function addOperations(
  parent: Command,
  above: readonly string[],
  noun: Noun,
  runtime: CliRuntime,
): Promise<void> {
  const prefix = `${above.join(' ')} `;
  for (const operation of runtime.manifest.operations) {
    if (!operation.command?.startsWith(prefix)) continue;
    const [next = '', ...rest] = operation.command.slice(prefix.length).split(' ');
    const aliases = findVerbAliases(next);
    if (rest.length > 0) await addNestedNoun(parent, [...above, next], noun, runtime);
    else if (findUpdatableResource(operation)) {
      const { addUpdates } = await import('./commands/update/add.ts');
      await addUpdates(parent, operation, runtime);
    } else if (runtime.isRequested([next, ...aliases])) {
      const { addOperationCommand } = await import('./commands/operation.ts');
      const variant = above.length === 1 ? await noun.variants?.[next]?.() : undefined;
      addOperationCommand(parent, operation, runtime, variant);
    } else parent.command(next).summary(operation.title).aliases(aliases);
  }
}

/** Adds a nested noun, unless it exists. */
async function addNestedNoun(
  parent: Command,
  words: readonly string[],
  noun: Noun,
  runtime: CliRuntime,
): Promise<void> {
  const name = words.at(-1) ?? '';
  if (parent.commands.some((command) => command.name() === name)) return;
  const summary = noun.nouns?.[name] ?? defaultSummary(words.join(' '));
  const command = parent
    .command(name)
    .summary(summary)
    .description(`${summary}.`)
    .aliases(nounAliases(name))
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .addHelpText('after', formatMoreHelp(words));
  await addOperations(command, words, noun, runtime);
}
