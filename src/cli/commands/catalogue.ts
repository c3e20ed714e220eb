/** `iam commands`: every command and every operation as data, for programs that choose what to call. */
import type { Command } from 'commander';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import {
  addCommand,
  type CommandDescription,
  type CommandOptions,
  commandPath,
  descriptionOf,
  setAction,
} from '../command.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';

export const catalogueText: CommandDescription = {
  title: 'Lists every command and every operation',
  description:
    'With what it does to the state of the server, whether it can be repeated safely, and the roles it needs. What is local sends no write, and may change files of this machine. Effect and roles of what calls any operation, such as `iam bulk`, are those of the operation.',
  effect: 'local',
  examples: [
    { title: 'A table', command: '' },
    { title: 'Everything, as JSON', command: '--json' },
  ],
};

/** Adds the command. */
export function addCatalogue(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'commands', catalogueText).option('--json', 'the same as -o json');
  setAction(command, runtime, (context, _, options) => printCatalogue(context, runtime.everyCommand(), options));
}

/** Commands that are written by hand for an operation. */
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

/** A command, and the operation that it is, where it is one. */
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

/** In the order of the help; what has no command of its own comes last. */
function buildEntries(operations: readonly ManifestOperation[], leaves: readonly Command[]): CatalogueEntry[] {
  const withCommands = leaves.flatMap((leaf) => {
    const words = commandPath(leaf).replace(/^iam /, '');
    const own = operations.filter((operation) => findCommand(operation) === words);
    return own.length > 0
      ? own.map((operation) => createOperationEntry(operation, words, leaf))
      : [createCommandEntry(words, leaf)];
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
  command: string,
  leaf?: Command,
): CatalogueEntry & Readonly<Record<string, unknown>> {
  const { id, title, description, effect, idempotent, roles, method, path, params, query } = operation;
  return {
    command,
    operation: id,
    title,
    description,
    effect,
    idempotent,
    roles,
    examples: leaf ? listExamples(leaf) : [],
    method,
    path,
    params: params.map(({ name }) => name),
    query: query.map(({ name }) => name),
    body: Object.keys(operation.body?.properties ?? {}),
  };
}

function createCommandEntry(command: string, leaf: Command): CatalogueEntry & Readonly<Record<string, unknown>> {
  const { title = '', description, effect = 'local', effectVaries, idempotent, roles } = descriptionOf(leaf) ?? {};
  return {
    command,
    title,
    description,
    effect,
    ...(effectVaries ? { effectVaries } : {}),
    idempotent: idempotent ?? (effect === 'read' || effect === 'local'),
    roles: roles ?? 'none',
    examples: listExamples(leaf),
  };
}

function listExamples(leaf: Command): string[] {
  return (descriptionOf(leaf)?.examples ?? []).map(({ command }) => `${commandPath(leaf)} ${command}`.trimEnd());
}
