/** Builds the commands. Nothing happens before they are parsed. */
import { Command, type Option } from 'commander';
import type { Manifest } from '../contract/manifest-types.ts';
import { addApi, apiText } from './commands/api.ts';
import { addApply, applyText } from './commands/apply.ts';
import { addServer } from './commands/background/index.ts';
import { addBulk } from './commands/bulk.ts';
import { addCall, callText } from './commands/call.ts';
import { addCan, canText } from './commands/can.ts';
import { addCatalogue, catalogueText } from './commands/catalogue.ts';
import { addClock, clockText } from './commands/clock.ts';
import { addConfig } from './commands/config.ts';
import { addControlList, addGroupsMembers, addUsersFactors } from './commands/control-lists.ts';
import { addDiff, diffText } from './commands/diff.ts';
import { addDoctor, doctorText } from './commands/doctor.ts';
import { addEnv, envText } from './commands/env.ts';
import { addExport, exportText } from './commands/export.ts';
import { addGroupsTree } from './commands/groups/tree.ts';
import { addGroupsUpdate } from './commands/groups/update.ts';
import { addHelp } from './commands/help.ts';
import { addInbox } from './commands/inbox.ts';
import { addKeysRotate } from './commands/keys.ts';
import { addLogin, loginText } from './commands/login.ts';
import { addLogout, logoutText } from './commands/logout.ts';
import { addPlan, planText } from './commands/plan.ts';
import { addProfile } from './commands/profile.ts';
import { addServe, serveText } from './commands/serve.ts';
import { addSessions } from './commands/sessions.ts';
import { addToken } from './commands/token.ts';
import { addWhoami, whoamiText } from './commands/whoami.ts';
import { singular } from './fields.ts';
import { addGlobalOptions, type LeafText } from './leaf.ts';
import { addOperationCommand, aliasesOfVerb } from './operation-command.ts';
import type { Surroundings } from './runtime/context.ts';
import type { Environment, Io } from './runtime/io.ts';

export interface ProgramOptions {
  readonly manifest: Manifest;
  /** Words that were typed: only their commands are built in full. All where left out. */
  readonly typed?: readonly string[];
}

type IsAskedFor = (names: readonly string[]) => boolean;
type Fill = (command: Command, surroundings: Surroundings, isAskedFor: IsAskedFor) => void;

interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly fill: readonly Fill[];
}

/** What nouns are about, for the list of commands. */
const summaries: Readonly<Record<string, string>> = {
  groups: 'Groups: their roles and the groups they depend on',
  'api-key': 'API keys of clients',
  users: 'Users: their contacts, login names and locks',
  factors: "The caller's own contacts for second proofs",
  businesses: 'Businesses and the roles that they have',
  services: 'Service accounts of clients',
  customers: 'Customers: businesses and users by contract',
  'my-clients': 'Clients that belong to the caller',
  'corporate-groups': 'Businesses that belong together',
  clients: 'Client identities',
};

const handWritten: Readonly<Record<string, readonly Fill[]>> = {
  groups: [addGroupsUpdate, addGroupsTree, addGroupsMembers],
  users: [addControlList, addUsersFactors],
  clients: [addControlList],
  businesses: [addControlList],
  customers: [addControlList],
};

/** Below a command of one word that is an operation itself. */
const belowOperations: Readonly<Record<string, readonly Fill[]>> = { keys: [addKeysRotate] };

const ownNouns: readonly Noun[] = [
  { name: 'server', summary: 'The server in the background', fill: [addServer] },
  { name: 'inbox', summary: 'Messages that the server sent: codes and notices', fill: [addInbox] },
  { name: 'sessions', summary: 'Sessions of users and clients', fill: [addSessions] },
  { name: 'bulk', summary: 'Many calls, from a file of rows', fill: [addBulk] },
  { name: 'token', summary: 'Tokens', fill: [addToken] },
  { name: 'profile', summary: 'Servers by name, and the credentials for each', fill: [addProfile] },
  { name: 'config', summary: 'Settings of this command and where they come from', fill: [addConfig] },
];

interface OwnCommand {
  readonly name: string;
  readonly text: LeafText;
  readonly add: Fill;
}

const serve: OwnCommand = { name: 'serve', text: serveText, add: addServe };

const ownCommands: readonly OwnCommand[] = [
  { name: 'login', text: loginText, add: addLogin },
  { name: 'logout', text: logoutText, add: addLogout },
  { name: 'can', text: canText, add: addCan },
  { name: 'env', text: envText, add: addEnv },
  { name: 'clock', text: clockText, add: addClock },
  { name: 'whoami', text: whoamiText, add: addWhoami },
  { name: 'plan', text: planText, add: addPlan },
  { name: 'apply', text: applyText, add: addApply },
  { name: 'diff', text: diffText, add: addDiff },
  { name: 'export', text: exportText, add: addExport },
  { name: 'doctor', text: doctorText, add: addDoctor },
  { name: 'call', text: callText, add: addCall },
  { name: 'api', text: apiText, add: addApi },
  { name: 'commands', text: catalogueText, add: addCatalogue },
];

/** The whole command, or as much of it as what was typed needs. */
export function buildProgram(io: Io, environment: Environment, { manifest, typed }: ProgramOptions): Command {
  const program = rootCommand(io, manifest.version);
  const surroundings = { io, environment, manifest };
  const isAskedFor = (names: readonly string[]) => typed === undefined || names.some((name) => typed.includes(name));
  addOwn(program, serve, surroundings, isAskedFor);
  for (const noun of [...nounsOf(manifest), ...ownNouns]) addNoun(program, noun, surroundings, isAskedFor);
  for (const own of operationsWithoutNoun(manifest)) addOwn(program, own, surroundings, isAskedFor);
  for (const own of ownCommands) addOwn(program, own, surroundings, isAskedFor);
  addHelp(program, io);
  return program;
}

function rootCommand(io: Io, version: string): Command {
  const program = new Command('iam')
    .description('Administers an identity and access management service, and runs a local one.')
    .enablePositionalOptions()
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show help')
    .version(version, '-V, --version', 'show the version')
    .configureHelp(helpStyle)
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => helpWidth(io.stdout.columns),
      getErrHelpWidth: () => helpWidth(io.stderr.columns),
      // Told once, in one place, by whoever runs the program.
      outputError: () => undefined,
    });
  program.addHelpText(
    'after',
    '\nEvery command has --help with examples. See also: iam help exit-codes | environment | output',
  );
  return addGlobalOptions(program);
}

const helpStyle = { subcommandTerm: (command: Command) => command.name(), optionDescription };

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
    .configureHelp({ ...helpStyle, sortSubcommands: true });
  if (isAskedFor([noun.name, ...aliases])) for (const fill of noun.fill) fill(command, surroundings, isAskedFor);
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
    .summary(`Commands on ${words.join(' ')}`)
    .aliases(aliasesOf(name))
    .helpCommand(false);
  addOperations(command, words, surroundings, isAskedFor);
}
