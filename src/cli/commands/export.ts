/** `iam export`: what a server has, as a document that apply takes. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addLeaf, type LeafText, rolesVary, runs } from '../leaf.ts';
import { toolsOf } from '../plan/tools.ts';
import type { Surroundings } from '../runtime/context.ts';

export const exportText: LeafText = {
  title: 'Writes what the server has as a document',
  description:
    'In YAML, or JSON with -o json; in an order that stays the same, so that two of them can be compared. Secrets are not in it, nor what is empty. A plan of it is empty.',
  roles: rolesVary,
  effect: 'read',
  examples: [
    { title: 'Everything', command: '> iam.yaml' },
    { title: 'Groups and clients, as JSON', command: '--kind groups,clients -o json' },
  ],
};

const kinds = ['groups', 'clients', 'apiKeys', 'corporateGroups', 'customers'];

/** Adds the command. */
export function addExport(program: Command, surroundings: Surroundings): void {
  const command = addLeaf(program, 'export', exportText).addOption(
    new Option('--kind <kind>', 'only these (repeat, or separate by commas)').choices(kinds).argParser(collectKinds),
  );
  runs(command, surroundings, async (context, _, options) => {
    const { runExport } = await import('../plan/index.ts');
    await runExport(await toolsOf(context, options.color as string | undefined), options);
  });
}

function collectKinds(typed: string, previous: readonly string[] = []): string[] {
  const named = typed.split(',').map((kind) => kind.trim());
  const strange = named.find((kind) => !kinds.includes(kind));
  if (strange !== undefined) throw new InvalidArgumentError(`It must be one of ${kinds.join(', ')}.`);
  return [...previous, ...named];
}
