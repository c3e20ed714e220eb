/** Builds the commands. Nothing happens before they are parsed. */
import { Command, Help, type Option } from 'commander';
import type { Manifest } from '../contract/manifest-types.ts';
import { addGlobalOptions, assertNoEmptyArguments } from './command.ts';
import { addHelp } from './commands/help.ts';
import { addOperationCommand } from './commands/operation.ts';
import { isGlobalOption } from './config/global-options.ts';
import type { CliRuntime } from './context.ts';
import { type Environment, getTextOutput, type Io } from './io/io.ts';
import {
  type AddCommands,
  type CustomCommand,
  commandGroups,
  customCommands,
  customCommandsByNoun,
  customNouns,
  type IsRequested,
  type Noun,
  nounSummaries,
  operationSubcommands,
  serveCommand,
} from './registry.ts';
import { toSingular } from './request/field-options.ts';
import { findVerbAliases } from './request/operation-names.ts';

export interface ProgramOptions {
  readonly manifest: Manifest;
  /** The command line: only its commands are built in full. By default all are. */
  readonly words?: readonly string[];
}

/** Builds the program, or only the part that the command line needs. */
export function buildProgram(io: Io, environment: Environment, { manifest, words }: ProgramOptions): Command {
  const program = rootCommand(io, manifest.version);
  const runtime = { io, environment, manifest, everyCommand: () => buildProgram(io, environment, { manifest }) };
  const isRequested = (names: readonly string[]) => words === undefined || names.some((name) => words.includes(name));
  addCustomCommand(program, serveCommand, runtime, isRequested);
  for (const noun of [...listNouns(manifest), ...customNouns]) addNoun(program, noun, runtime, isRequested);
  for (const own of listSingleWordCommands(manifest)) addCustomCommand(program, own, runtime, isRequested);
  for (const own of customCommands) addCustomCommand(program, own, runtime, isRequested);
  addHelp(program, io);
  program.hook('preAction', (_, command) => assertNoEmptyArguments(command));
  sortByGroup(program);
  return program;
}

/** Sorts commands by help group. */
function sortByGroup({ commands }: Command): void {
  const names = commandGroups.flatMap((group) => group.names);
  const rank = (command: Command) => (names.includes(command.name()) ? names.indexOf(command.name()) : names.length);
  (commands as Command[]).sort((a, b) => rank(a) - rank(b));
  for (const command of commands) {
    const group = commandGroups.find((one) => one.names.includes(command.name())) ?? commandGroups.at(-1);
    command.helpGroup(group?.heading ?? '');
  }
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
    '\nEvery command has --help with examples.\nSee also: iam help exit-codes | environment | output | filters',
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
  const sections = Help.prototype.formatHelp.call(ownHelp, command, ownHelp).trimEnd().split('\n\n');
  const rank = (section: string) => (section.startsWith('Options:') ? 1 : 0);
  return `${sections.sort((a, b) => rank(a) - rank(b)).join('\n\n')}\n`;
}

/** Appends the choices without the quotes that commander puts around each. */
function optionDescription({ description, argChoices }: Option): string {
  const choices = argChoices?.[0] === 'true' ? undefined : argChoices;
  return choices ? `${description}: ${choices.join(', ')}` : description;
}

function helpWidth(columns = 80): number {
  return Math.min(columns, 100);
}

/** The nouns of the operations, in declaration order. */
function listNouns({ operations }: Manifest): Noun[] {
  const ofOperations = operations.flatMap(({ command }) =>
    command?.includes(' ') ? [command.split(' ')[0] ?? ''] : [],
  );
  const names = new Set([...ofOperations, ...Object.keys(customCommandsByNoun)]);
  return [...names].map((name) => ({
    name,
    summary: nounSummaries[name] ?? `Commands for ${name.replaceAll('-', ' ')}`,
    addCommands: [
      (command, runtime, isRequested) => addOperations(command, [name], runtime, isRequested),
      ...(customCommandsByNoun[name] ?? []),
    ],
  }));
}

function addNoun(program: Command, noun: Noun, runtime: CliRuntime, isRequested: IsRequested): void {
  const aliases = nounAliases(noun.name);
  const command = program.command(noun.name).summary(noun.summary).description(`${noun.summary}.`).aliases(aliases);
  command
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .configureHelp({ ...helpStyle, sortSubcommands: true })
    .addHelpText('after', formatMoreHelp([noun.name]));
  if (isRequested([noun.name, ...aliases])) for (const fill of noun.addCommands) fill(command, runtime, isRequested);
}

function formatMoreHelp(words: readonly string[]): string {
  return `\nOptions and examples: iam ${words.join(' ')} COMMAND --help`;
}

/** Operations whose command is one word, such as `keys`. */
function listSingleWordCommands({ operations }: Manifest): CustomCommand[] {
  return operations.flatMap((operation) => {
    const { command: name } = operation;
    if (name === undefined || name.includes(' ')) return [];
    const add: AddCommands = (program, runtime, isRequested) => {
      const command = addOperationCommand(program, operation, runtime);
      for (const fill of operationSubcommands[name] ?? []) fill(command, runtime, isRequested);
    };
    return [{ name, text: operation, add }];
  });
}

/** A command that is not requested is only listed in help. */
function addCustomCommand(
  program: Command,
  { name, text, add }: CustomCommand,
  runtime: CliRuntime,
  isRequested: IsRequested,
): void {
  if (isRequested([name])) add(program, runtime, isRequested);
  else program.command(name).summary(text.title);
}

/** The singular of a plural name, or the plural of a singular one. */
function nounAliases(name: string): string[] {
  const one = toSingular(name);
  return [one === name ? `${name}s` : one];
}

/** Adds the operations below these words, and nested nouns: `groups users add`. */
function addOperations(parent: Command, above: readonly string[], runtime: CliRuntime, isRequested: IsRequested): void {
  const prefix = `${above.join(' ')} `;
  for (const operation of runtime.manifest.operations) {
    if (!operation.command?.startsWith(prefix)) continue;
    const [next = '', ...rest] = operation.command.slice(prefix.length).split(' ');
    const aliases = findVerbAliases(next);
    if (rest.length > 0) addNestedNoun(parent, [...above, next], runtime, isRequested);
    else if (isRequested([next, ...aliases])) addOperationCommand(parent, operation, runtime);
    else parent.command(next).summary(operation.title).aliases(aliases);
  }
}

/** Adds a nested noun, unless it exists. */
function addNestedNoun(parent: Command, words: readonly string[], runtime: CliRuntime, isRequested: IsRequested): void {
  const name = words.at(-1) ?? '';
  if (parent.commands.some((command) => command.name() === name)) return;
  const command = parent
    .command(name)
    .summary(nounSummaries[words.join(' ')] ?? `Commands for ${words.join(' ')}`)
    .description(`${nounSummaries[words.join(' ')] ?? `Commands for ${words.join(' ')}`}.`)
    .aliases(nounAliases(name))
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .addHelpText('after', formatMoreHelp(words));
  addOperations(command, words, runtime, isRequested);
}
