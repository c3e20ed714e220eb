/** Builds the commands. Nothing happens before they are parsed. */
import { Command, Help, type Option } from 'commander';
import type { Manifest } from '../contract/manifest-types.ts';
import {
  belowOperations,
  commandGroups,
  type Fill,
  handWritten,
  type IsAskedFor,
  type Noun,
  type OwnCommand,
  ownCommands,
  ownNouns,
  serve,
  summaries,
} from './command-list.ts';
import { addHelp } from './commands/help.ts';
import { singular } from './fields.ts';
import { addGlobalOptions } from './leaf.ts';
import { addOperationCommand, aliasesOfVerb } from './operation-command.ts';
import type { Surroundings } from './runtime/context.ts';
import { type Environment, type Io, pageOf } from './runtime/io.ts';

export interface ProgramOptions {
  readonly manifest: Manifest;
  /** Words that were typed: only their commands are built in full. All where left out. */
  readonly typed?: readonly string[];
}

/** The whole command, or as much of it as what was typed needs. */
export function buildProgram(io: Io, environment: Environment, { manifest, typed }: ProgramOptions): Command {
  const program = rootCommand(io, manifest.version);
  const surroundings = { io, environment, manifest, everyCommand: () => buildProgram(io, environment, { manifest }) };
  const isAskedFor = (names: readonly string[]) => typed === undefined || names.some((name) => typed.includes(name));
  addOwn(program, serve, surroundings, isAskedFor);
  for (const noun of [...nounsOf(manifest), ...ownNouns]) addNoun(program, noun, surroundings, isAskedFor);
  for (const own of operationsWithoutNoun(manifest)) addOwn(program, own, surroundings, isAskedFor);
  for (const own of ownCommands) addOwn(program, own, surroundings, isAskedFor);
  addHelp(program, io);
  putTogether(program);
  return program;
}

/** In the order of their groups, which help goes by. */
function putTogether({ commands }: Command): void {
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
    .description('Administers an identity and access management service, and runs a local one.')
    .enablePositionalOptions()
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show help')
    .version(version, '-V, --version', 'show the version')
    .configureHelp({ ...helpStyle, formatHelp: commandsFirst })
    .configureOutput({
      writeOut: (text) => void pageOf(io).write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => helpWidth(pageOf(io).columns),
      getErrHelpWidth: () => helpWidth(io.stderr.columns),
      // Help has none; commander would open the streams of the process to find out.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      // Told once, in one place, by whoever runs the program.
      outputError: () => undefined,
    });
  program.addHelpText(
    'after',
    '\nEvery command has --help with examples.\nSee also: iam help exit-codes | environment | output | filters',
  );
  return addGlobalOptions(program);
}

const helpStyle = { subcommandTerm: (command: Command) => command.name(), optionDescription };

/** Who looks at all of it looks for a command; the options that all have come last. */
function commandsFirst(command: Command, help: Help): string {
  const sections = Help.prototype.formatHelp.call(help, command, help).trimEnd().split('\n\n');
  const rank = (section: string) =>
    section.startsWith('Global options:') ? 2 : section.startsWith('Options:') ? 1 : 0;
  return `${sections.sort((a, b) => rank(a) - rank(b)).join('\n\n')}\n`;
}

/** With its choices, without the quotes that commander puts around each. */
function optionDescription({ description, argChoices }: Option): string {
  const choices = argChoices?.[0] === 'true' ? undefined : argChoices;
  return choices ? `${description}: ${choices.join(', ')}` : description;
}

function helpWidth(columns = 80): number {
  return Math.min(columns, 100);
}

/** The nouns of the operations, in the order in which they come. */
function nounsOf({ operations }: Manifest): Noun[] {
  const ofOperations = operations.flatMap(({ command }) =>
    command?.includes(' ') ? [command.split(' ')[0] ?? ''] : [],
  );
  const names = new Set([...ofOperations, ...Object.keys(handWritten)]);
  return [...names].map((name) => ({
    name,
    summary: summaries[name] ?? `Commands on ${name.replaceAll('-', ' ')}`,
    fill: [
      (command, surroundings, isAskedFor) => addOperations(command, [name], surroundings, isAskedFor),
      ...(handWritten[name] ?? []),
    ],
  }));
}

function addNoun(program: Command, noun: Noun, surroundings: Surroundings, isAskedFor: IsAskedFor): void {
  const aliases = aliasesOf(noun.name);
  const command = program.command(noun.name).summary(noun.summary).description(`${noun.summary}.`).aliases(aliases);
  command
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureHelp({ ...helpStyle, sortSubcommands: true })
    .addHelpText('after', moreHelp([noun.name]));
  if (isAskedFor([noun.name, ...aliases])) for (const fill of noun.fill) fill(command, surroundings, isAskedFor);
}

function moreHelp(words: readonly string[]): string {
  return `\nOptions and examples: iam ${words.join(' ')} COMMAND --help`;
}

/** Operations whose command is one word, such as `keys`. */
function operationsWithoutNoun({ operations }: Manifest): OwnCommand[] {
  return operations.flatMap((operation) => {
    const { command: name } = operation;
    if (name === undefined || name.includes(' ')) return [];
    const add: Fill = (program, surroundings, isAskedFor) => {
      const command = addOperationCommand(program, operation, surroundings);
      for (const fill of belowOperations[name] ?? []) fill(command, surroundings, isAskedFor);
    };
    return [{ name, text: operation, add }];
  });
}

/** A command that is not asked for is only a line in the list. */
function addOwn(
  program: Command,
  { name, text, add }: OwnCommand,
  surroundings: Surroundings,
  isAskedFor: IsAskedFor,
): void {
  if (isAskedFor([name])) add(program, surroundings, isAskedFor);
  else program.command(name).summary(text.title);
}

/** One and many mean the same. */
function aliasesOf(name: string): string[] {
  const one = singular(name);
  return [one === name ? `${name}s` : one];
}

/** Adds the operations below these words, and nouns below nouns: `groups users add`. */
function addOperations(
  parent: Command,
  above: readonly string[],
  surroundings: Surroundings,
  isAskedFor: IsAskedFor,
): void {
  const prefix = `${above.join(' ')} `;
  for (const operation of surroundings.manifest.operations) {
    if (!operation.command?.startsWith(prefix)) continue;
    const [next = '', ...rest] = operation.command.slice(prefix.length).split(' ');
    const aliases = aliasesOfVerb(next);
    if (rest.length > 0) addInner(parent, [...above, next], surroundings, isAskedFor);
    else if (isAskedFor([next, ...aliases])) addOperationCommand(parent, operation, surroundings);
    else parent.command(next).summary(operation.title).aliases(aliases);
  }
}

/** Adds the noun below nouns that these words name, unless it is there. */
function addInner(parent: Command, words: readonly string[], surroundings: Surroundings, isAskedFor: IsAskedFor): void {
  const name = words.at(-1) ?? '';
  if (parent.commands.some((command) => command.name() === name)) return;
  const command = parent
    .command(name)
    .summary(summaries[words.join(' ')] ?? `Commands on ${words.join(' ')}`)
    .description(`${summaries[words.join(' ')] ?? `Commands on ${words.join(' ')}`}.`)
    .aliases(aliasesOf(name))
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .addHelpText('after', moreHelp(words));
  addOperations(command, words, surroundings, isAskedFor);
}
