/** `iam commands`: lists all commands and operations as data, for programs. */
import type { Command } from 'commander';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { addCommand, type CommandDescription, commandPath, descriptionOf, setAction } from '../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';

export const catalogueText: CommandDescription = {
  title: 'List all commands and operations',
  description:
    'Shows the effect on the server state, whether the command is idempotent, and the required roles. Local commands send no writes but can change files on this machine. Commands that call any operation, such as `iam bulk`, have the effect and roles of that operation.',
  effect: 'local',
  examples: [
    { title: 'Print a table', command: '' },
    { title: 'Print everything as JSON', command: '--json' },
  ],
};

/** Adds the command. */
export function addCatalogue(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'commands', catalogueText).option('--json', 'same as -o json');
  setAction(command, runtime, (context, _, options) => printCatalogue(context, runtime.everyCommand(), options));
}

/** Hand-written commands for operations. */
const commandByOperation: Readonly<Record<string, string>> = {
  'groups.update': 'groups update',
  'client-identities.login': 'login',
  'user-identities.login': 'login',
};

async function printCatalogue(
  { manifest, printer }: Context,
  program: Command,
  options: CommandOptions,
): Promise<void> {
  const entries = buildEntries(manifest.operations, listCommands(program));
  if (options.json === true) return printer.lines([JSON.stringify(entries, null, 2)]);
  if (!printer.isForPeople || printer.format === 'wide') return printer.value(entries);
  await printer.value(entries.map(({ command, effect, title }) => ({ command, effect, title })));
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

/** Entries in help order; operations without their own command come last. */
function buildEntries(operations: readonly ManifestOperation[], commands: readonly Command[]): CatalogueEntry[] {
  const withCommands = commands.flatMap((command) => {
    const name = commandPath(command).replace(/^iam /, '');
    const own = operations.filter((operation) => findCommand(operation) === name);
    return own.length > 0
      ? own.map((operation) => createOperationEntry(operation, name, command))
      : [createCommandEntry(name, command)];
  });
  const others = operations.filter((operation) => findCommand(operation) === undefined);
  return [...withCommands, ...others.map((operation) => createOperationEntry(operation, `call ${operation.id}`))];
}

function findCommand({ id, command }: ManifestOperation): string | undefined {
  return command ?? commandByOperation[id];
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
