/** `iam commands`: every command and every operation as data, for programs that choose what to call. */
import type { Command } from 'commander';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { addLeaf, type LeafText, type Options, runs, textOf, wordsOf } from '../leaf.ts';
import type { Context, Surroundings } from '../runtime/context.ts';

export const catalogueText: LeafText = {
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
export function addCatalogue(program: Command, surroundings: Surroundings): void {
  const command = addLeaf(program, 'commands', catalogueText).option('--json', 'the same as -o json');
  runs(command, surroundings, (context, _, options) => catalogue(context, surroundings.everyCommand(), options));
}

/** Commands that are written by hand for an operation. */
const handWritten: Readonly<Record<string, string>> = {
  'groups.update': 'groups update',
  'client-identities.login': 'login',
  'user-identities.login': 'login',
};

async function catalogue({ manifest, printer }: Context, program: Command, options: Options): Promise<void> {
  const entries = entriesOf(manifest.operations, leavesBelow(program));
  if (options.json === true) return printer.lines([JSON.stringify(entries, null, 2)]);
  if (!printer.isForPeople || printer.format === 'wide') return printer.value(entries);
  await printer.value(entries.map(({ command, effect, title }) => ({ command, effect, title })));
}

/** A command, and the operation that it is, where it is one. */
interface Entry {
  readonly command: string;
  readonly operation?: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly effect: LeafText['effect'];
  readonly idempotent: boolean;
  readonly roles: string;
  readonly examples: readonly string[];
}

/** In the order of the help; what has no command of its own comes last. */
function entriesOf(operations: readonly ManifestOperation[], leaves: readonly Command[]): Entry[] {
  const withCommands = leaves.flatMap((leaf) => {
    const words = wordsOf(leaf).replace(/^iam /, '');
    const own = operations.filter((operation) => commandOf(operation) === words);
    return own.length > 0 ? own.map((operation) => ofOperation(operation, words, leaf)) : [ofCommand(words, leaf)];
  });
  const others = operations.filter((operation) => commandOf(operation) === undefined);
  return [...withCommands, ...others.map((operation) => ofOperation(operation, `call ${operation.id}`))];
}

function commandOf({ id, command }: ManifestOperation): string | undefined {
  return command ?? handWritten[id];
}

function leavesBelow(command: Command): Command[] {
  return command.commands.flatMap((below) => [...(textOf(below) ? [below] : []), ...leavesBelow(below)]);
}

function ofOperation(
  operation: ManifestOperation,
  command: string,
  leaf?: Command,
): Entry & Readonly<Record<string, unknown>> {
  const { id, title, description, effect, idempotent, roles, method, path, params, query } = operation;
  return {
    command,
    operation: id,
    title,
    description,
    effect,
    idempotent,
    roles,
    examples: leaf ? examplesOf(leaf) : [],
    method,
    path,
    params: params.map(({ name }) => name),
    query: query.map(({ name }) => name),
    body: Object.keys(operation.body?.properties ?? {}),
  };
}

function ofCommand(command: string, leaf: Command): Entry & Readonly<Record<string, unknown>> {
  const { title = '', description, effect = 'local', effectVaries, idempotent, roles } = textOf(leaf) ?? {};
  return {
    command,
    title,
    description,
    effect,
    ...(effectVaries ? { effectVaries } : {}),
    idempotent: idempotent ?? (effect === 'read' || effect === 'local'),
    roles: roles ?? 'none',
    examples: examplesOf(leaf),
  };
}

function examplesOf(leaf: Command): string[] {
  return (textOf(leaf)?.examples ?? []).map(({ command }) => `${wordsOf(leaf)} ${command}`.trimEnd());
}
