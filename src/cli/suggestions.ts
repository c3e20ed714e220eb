/** Suggests what an unknown command or option means, from all commands and their options. */
import type { Argument, Command, Option } from 'commander';
import { commandPath } from './command.ts';
import { formats } from './output/format.ts';
import { commandGroups } from './registry.ts';

/** Verbs of other programs, and ours with this meaning, the nearest one first. Only those that a noun has are suggested. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  add: ['create', 'save'],
  all: ['list', 'explain'],
  create: ['add', 'generate', 'save'],
  current: ['show', 'get', 'list'],
  describe: ['get', 'show', 'explain', 'status'],
  disable: ['lock', 'stop'],
  edit: ['update', 'set'],
  enable: ['unlock', 'start'],
  find: ['search', 'list'],
  get: ['show', 'list', 'inspect'],
  info: ['get', 'show', 'status'],
  list: ['list', 'explain', 'show'],
  load: ['import', 'restore'],
  ls: ['list', 'explain'],
  modify: ['update', 'set'],
  new: ['create', 'add'],
  patch: ['update', 'set'],
  rename: ['update'],
  revoke: ['delete', 'end', 'remove'],
  save: ['save', 'export', 'backup'],
  set: ['update'],
  show: ['get', 'list', 'explain', 'status'],
  switch: ['use'],
  view: ['get', 'show'],
};

/** Commands of other programs that are of no noun here, and ours with this meaning. */
export const commands: Readonly<Record<string, string>> = {
  'add-user-to-group': 'groups users add',
  'auth can-i': 'can',
  'auth login': 'login',
  'auth logout': 'logout',
  'auth status': 'whoami',
  'auth token': 'token generate',
  'auth whoami': 'whoami',
  'config current-context': 'profile show',
  'config delete-context': 'profile remove',
  'config get-contexts': 'profile list',
  'config unset': 'config set KEY ""',
  'config use-context': 'profile use',
  configure: 'profile add',
  'create-access-key': 'api-key create',
  down: 'server stop',
  'groups add-member': 'groups users add',
  'groups remove-member': 'groups users remove',
  health: 'doctor',
  id: 'whoami',
  log: 'server logs',
  me: 'whoami',
  passwd: 'users set-password',
  ping: 'doctor',
  'remove-user-from-group': 'groups users remove',
  run: 'serve',
  'sts get-caller-identity': 'whoami',
  up: 'server start',
  'users passwd': 'users set-password',
  version: '--version',
};

/** Options of other programs, and ours with this meaning: options of the command, commands beside it, or global options. */
const flags: Readonly<Record<string, readonly string[]>> = {
  'auto-approve': ['yes'],
  filter: ['search', 'name'],
  force: ['yes'],
  format: ['output'],
  'max-items': ['limit'],
  'page-size': ['limit'],
  search: ['search', 'name'],
};

/** Builds what a suggestion looks at, as for help: all of the noun that the words name, or the subcommands of every noun. */
export async function buildForSuggestion(
  words: readonly string[],
  build: (words: readonly string[]) => Promise<Command>,
): Promise<Command> {
  const named = (await build(words)).commands.find(({ commands }) => commands.length > 0);
  const nouns = commandGroups
    .flatMap((group) => group.commands)
    .filter((entry) => !('title' in entry) || entry.hasSubcommands);
  const names = named ? [named.name(), '--help', ...listNames(named)] : nouns.flatMap(({ name }) => [name, '--help']);
  return build([...names, ...words]);
}

function listNames({ commands }: Command): string[] {
  return commands.flatMap((below) => [below.name(), ...listNames(below)]);
}

/** What the words mean probably, after a command or an option of them was rejected; undefined without an idea. */
export function suggestInstead(program: Command, words: readonly string[]): string | undefined {
  const { command, at } = findCommand(program, words);
  const word = words[at];
  if (command.commands.length > 0 && word !== undefined) return suggestCommand(command, word, words.slice(at + 1));
  const unknown = words.find((one) => one.startsWith('--') && !isKnown(command, flagOf(one)));
  return unknown === undefined ? undefined : suggestOption(command, flagOf(unknown));
}

/** The deepest command that the words name, and the position of the first word after it. */
function findCommand(program: Command, words: readonly string[]): { command: Command; at: number } {
  let command = program;
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (isOption(word)) {
      if (!word.includes('=') && findOption(command, word)?.required === true) at += 1;
      continue;
    }
    const below = subcommandOf(command, word);
    if (!below) break;
    command = below;
  }
  return { command, at };
}

function isOption(word: string): boolean {
  return word.startsWith('-') && word.length > 1;
}

function flagOf(word: string): string {
  return word.split('=')[0] ?? word;
}

function subcommandOf(command: Command, word: string): Command | undefined {
  return command.commands.find((below) => below.name() === word || below.aliases().includes(word));
}

/** Suggests `groups list` for `list groups`, and the verb of this noun for that of another program. */
function suggestCommand(command: Command, word: string, rest: readonly string[]): string | undefined {
  const names = rest.filter((one) => !isOption(one));
  const above = command.parent ? [command.name()] : [];
  const phrase = [
    [...above, word, ...names.slice(0, 1)],
    [...above, word],
  ]
    .map((words) => words.join(' '))
    .find((words) => Object.hasOwn(commands, words));
  if (phrase !== undefined) return `Did you mean \`iam ${commands[phrase]}\`?`;
  // The names of AWS: `add-user` of groups.
  const [verb = '', noun = ''] = /^([a-z]+)-([a-z]+)/.exec(word)?.slice(1) ?? [];
  const compound = [noun, `${noun}s`].map((one) => subcommandOf(command, one)).find((one) => one?.commands.length);
  const composed = compound && findVerb(compound, verb);
  if (composed) return didYouMean(composed);
  for (const next of names) {
    const noun = subcommandOf(command, next);
    const found = noun && findVerb(noun, word);
    if (found) return didYouMean(found);
  }
  const own = command.parent
    ? [findVerb(command, word) ?? []].flat()
    : command.commands.flatMap((below) => (below.commands.length > 0 ? (findVerb(below, word) ?? []) : []));
  // Most nouns have `get`.
  if (own.length === 0 || own.length > 2) return undefined;
  return `Did you mean ${own.map((one) => `\`${commandPath(one)}\``).join(' or ')}?`;
}

function findVerb(noun: Command, word: string): Command | undefined {
  const meant = Object.hasOwn(verbs, word) ? (verbs[word] ?? []) : [];
  return [word, ...meant].map((verb) => subcommandOf(noun, verb)).find((found) => found !== undefined);
}

function didYouMean(command: Command): string {
  return `Did you mean \`${commandPath(command)}\`?`;
}

function findOption(command: Command, flag: string): Option | undefined {
  const found = command.options.find((option) => option.long === flag || option.short === flag);
  return found ?? (command.parent ? findOption(command.parent, flag) : undefined);
}

function isKnown(command: Command, flag: string): boolean {
  return flag === '--' || flag === '--help' || findOption(command, flag) !== undefined;
}

/** Suggests an option or argument of the command that shares words with the flag, or commands beside it that have it. */
function suggestOption(command: Command, flag: string): string | undefined {
  const typed = partsOf(flag.slice(2));
  const options = command.options.filter(
    ({ long, hidden }) => !hidden && long != null && isPartOf(partsOf(long.slice(2)), typed),
  );
  if (options.length > 0) return `Did you mean ${options.map(({ long }) => long).join(' or ')}?`;
  const argument = command.registeredArguments.find((one) => isPartOf(partsOf(one.name()), typed));
  if (argument) return `Pass it as the argument ${formatArgument(argument)}.`;
  const name = flag.slice(2);
  if (findOption(command, '--output') && formats.some((format) => format === name)) return `Did you mean -o ${name}?`;
  for (const meant of Object.hasOwn(flags, name) ? (flags[name] ?? []) : [name]) {
    const sibling = command.parent?.parent && subcommandOf(command.parent, meant);
    if (sibling) return didYouMean(sibling);
    if (findOption(command, `--${meant}`)) return `Did you mean --${meant}?`;
  }
  const beside = (command.parent?.commands ?? []).filter((one) =>
    one.options.some(({ long, hidden }) => long === flag && !hidden),
  );
  if (beside.length === 0) return queried.includes(name) && findOption(command, '--limit') ? queryHint : undefined;
  return `${beside.map((one) => `\`${commandPath(one)}\``).join(' and ')} ${beside.length === 1 ? 'has' : 'have'} ${flag}.`;
}

/** Options of other programs that lists have `--query` for. */
const queried: readonly string[] = ['filter', 'search', 'sort', 'sort-by'];
const queryHint = 'Filter and sort the result with --query; see `iam help filters`.';

function formatArgument(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

function partsOf(name: string): readonly string[] {
  return name.split(/[-.]/);
}

/** Whether one of the names starts or ends with the other: `name` and `group-name`. */
function isPartOf(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const starts = short.every((part, at) => long[at] === part);
  return starts || short.every((part, at) => long[long.length - short.length + at] === part);
}
