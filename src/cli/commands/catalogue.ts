/** `iam commands`: lists all commands and operations as data, for programs. */
import type { Command } from 'commander';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { addCommand, type CommandDescription, commandPath, descriptionOf, setAction } from '../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { commandOfOperation } from '../request/operation-names.ts';

const catalogueText: Omit<CommandDescription, 'title'> = {
  description:
    'Shows the operation that a command calls, if it is one, the effect on the server state, whether the command is idempotent, and the required roles. Local commands send no writes but can change files on this machine. Commands that call any operation, such as `iam bulk`, have the effect and roles of that operation.',
  effect: 'local',
  examples: [
    { title: 'Print commands, the ids of their operations, and effects', command: '' },
    { title: 'Find a command by its title', command: `--query "[?contains(title, 'MFA')].[command, title]"` },
    { title: 'Print everything as JSON', command: '--json' },
  ],
};

export function addCatalogue(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'commands', { title, ...catalogueText }).option('--json', 'same as -o json');
  setAction(command, runtime, async (context, _, options) =>
    printCatalogue(context, await runtime.everyCommand(), options),
  );
}

/** The columns of `-o table`; the ids of operations need the width of the others. */
const columns = ['command', 'operation', 'effect'];

async function printCatalogue(
  { manifest, printer, settings }: Context,
  program: Command,
  options: CommandOptions,
): Promise<void> {
  const entries = sortEntries(program, buildEntries(manifest.operations, listCommands(program)));
  if (options.json === true) return printer.lines([JSON.stringify(entries, null, 2)]);
  if (printer.format !== 'table' || !printer.isForPeople || settings.options.columns !== undefined)
    return printer.value(entries);
  await printer.list(rowsOf(entries), { main: columns, text: ['effect'], required: columns });
}

/** The table has the id of an operation once: in its own column. */
async function* rowsOf(entries: readonly CatalogueEntry[]) {
  yield entries.map((entry) => ({
    ...entry,
    command: entry.command === `call ${entry.operation}` ? 'call OPERATION' : entry.command,
  }));
}

/** Sorts entries like help: by the group of the first word, then by name. */
function sortEntries({ commands }: Command, entries: readonly CatalogueEntry[]): CatalogueEntry[] {
  const names = commands.map((command) => command.name());
  const rank = ({ command }: CatalogueEntry) => names.indexOf(command.split(' ')[0] ?? '');
  const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return [...entries].sort((a, b) => rank(a) - rank(b) || compare(a.command, b.command));
}

/** A command, with its operation if it has one. */
interface CatalogueEntry {
  readonly command: string;
  readonly operation?: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly effect: CommandDescription['effect'];
  readonly idempotent: boolean;
  readonly roles: string;
  readonly examples: readonly string[];
}

/** Entries of all commands, and of the operations without their own command. */
function buildEntries(operations: readonly ManifestOperation[], commands: readonly Command[]): CatalogueEntry[] {
  const withCommands = commands.flatMap((command) => {
    const name = commandPath(command).replace(/^iam /, '');
    const own = operations.filter((operation) => commandOfOperation(operation) === name);
    return own.length > 0
      ? own.map((operation) => createOperationEntry(operation, name, command))
      : [createCommandEntry(name, command)];
  });
  const others = operations.filter((operation) => commandOfOperation(operation) === undefined);
  return [...withCommands, ...others.map((operation) => createOperationEntry(operation, `call ${operation.id}`))];
}

function listCommands(command: Command): Command[] {
  return command.commands.flatMap((below) => [...(descriptionOf(below) ? [below] : []), ...listCommands(below)]);
}

function createOperationEntry(
  operation: ManifestOperation,
  name: string,
  command?: Command,
): CatalogueEntry & Readonly<Record<string, unknown>> {
  const { id, title, description, effect, idempotent, roles, method, path, params, query } = operation;
  return {
    command: name,
    operation: id,
    title,
    description,
    effect,
    idempotent,
    roles,
    examples: command ? listExamples(command) : [],
    method,
    path,
    params: params.map(({ name }) => name),
    query: query.map(({ name }) => name),
    body: Object.keys(operation.body?.properties ?? {}),
  };
}

function createCommandEntry(name: string, command: Command): CatalogueEntry & Readonly<Record<string, unknown>> {
  const { title = '', description, effect = 'local', effectVaries, idempotent, roles } = descriptionOf(command) ?? {};
  return {
    command: name,
    title,
    description,
    effect,
    ...(effectVaries ? { effectVaries } : {}),
    idempotent: idempotent ?? (effect === 'read' || effect === 'local'),
    roles: roles ?? 'none',
    examples: listExamples(command),
  };
}

function listExamples(command: Command): string[] {
  const path = commandPath(command);
  return (descriptionOf(command)?.examples ?? []).map((example) => `${path} ${example.command}`.trimEnd());
}
