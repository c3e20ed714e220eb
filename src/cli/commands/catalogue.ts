/** `iam commands`: every operation as data, for programs that choose what to call. */
import type { Command } from 'commander';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { addLeaf, type LeafText, type Options, runs } from '../leaf.ts';
import type { Context, Surroundings } from '../runtime/context.ts';

export const catalogueText: LeafText = {
  title: 'Lists every operation and its command',
  description: 'With what it does to the state, whether it can be repeated safely, and the roles it needs.',
  effect: 'local',
  examples: [
    { title: 'A table', command: '' },
    { title: 'Everything, as JSON', command: '--json' },
  ],
};

/** Adds the command. */
export function addCatalogue(program: Command, surroundings: Surroundings): void {
  const command = addLeaf(program, 'commands', catalogueText).option('--json', 'the same as -o json');
  runs(command, surroundings, catalogue);
}

/** Commands that are written by hand for an operation. */
const handWritten: Readonly<Record<string, string>> = {
  'groups.update': 'groups update',
  'client-identities.login': 'login',
  'user-identities.login': 'login',
};

async function catalogue(context: Context, _: readonly unknown[], options: Options): Promise<void> {
  const entries = context.manifest.operations.map(entryOf);
  if (options.json === true) return context.printer.lines([JSON.stringify(entries, null, 2)]);
  if (!context.printer.isForPeople) return context.printer.value(entries);
  await context.printer.value(
    entries.map(({ operation, command, effect, title }) => ({ operation, command, effect, title })),
  );
}

function entryOf(operation: ManifestOperation) {
  const { id, title, description, effect, idempotent, roles, method, path, params, query } = operation;
  return {
    operation: id,
    command: operation.command ?? handWritten[id] ?? `call ${id}`,
    title,
    description,
    effect,
    idempotent,
    roles,
    method,
    path,
    params: params.map(({ name }) => name),
    query: query.map(({ name }) => name),
    body: Object.keys(operation.body?.properties ?? {}),
  };
}
