/** `iam export`: what a server has, as a document that apply takes. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../command.ts';
import { createPlanDeps } from '../plan/deps.ts';
import type { CliRuntime } from '../runtime/context.ts';

export const exportText: CommandDescription = {
  title: 'Writes what the server has as a document',
  description:
    'In YAML, or JSON with -o json; in an order that stays the same, so that two of them can be compared. Secrets are not in it, nor what is empty. A plan of it is empty.',
  roles: varyingRoles,
  effect: 'read',
  examples: [
    { title: 'Everything', command: '> iam.yaml' },
    { title: 'Groups and clients, as JSON', command: '--kind groups,clients -o json' },
  ],
};

const kinds = ['groups', 'clients', 'apiKeys', 'corporateGroups', 'customers'];

/** Adds the command. */
export function addExport(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'export', exportText).addOption(
    new Option('--kind <kind>', 'only these (repeat, or separate by commas)').choices(kinds).argParser(parseKinds),
  );
  setAction(command, runtime, async (context, _, options) => {
    const { runExport } = await import('../plan/index.ts');
    await runExport(await createPlanDeps(context, options.color as string | undefined), options);
  });
}

function parseKinds(typed: string, previous: readonly string[] = []): string[] {
  const named = typed.split(',').map((kind) => kind.trim());
  const strange = named.find((kind) => !kinds.includes(kind));
  if (strange !== undefined) throw new InvalidArgumentError(`It must be one of ${kinds.join(', ')}.`);
  return [...previous, ...named];
}
