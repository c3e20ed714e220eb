/** `iam export`: exports a server's resources as a desired-state file. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';

export const exportText: CommandDescription = {
  title: 'Export resources as a desired-state file',
  description:
    'Prints YAML, or JSON with -o json, in a stable order, so that you can compare two exports. Secrets and empty fields are omitted. Planning an unchanged export produces an empty plan.',
  roles: varyingRoles,
  effect: 'read',
  examples: [
    { title: 'Export everything', command: '> iam.yaml' },
    { title: 'Export groups and clients as JSON', command: '--kind groups,clients -o json' },
  ],
};

const kinds = ['groups', 'clients', 'apiKeys', 'corporateGroups', 'customers'];

export function addExport(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'export', exportText).addOption(
    new Option('--kind <kind>', 'only these kinds (repeatable or comma-separated)')
      .choices(kinds)
      .argParser(parseKinds),
  );
  setAction(command, runtime, async (context, _, options) => {
    const { runExport } = await import('../../plan/index.ts');
    await runExport(context, options);
  });
}

function parseKinds(typed: string, previous: readonly string[] = []): string[] {
  const named = typed.split(',').map((kind) => kind.trim());
  const unknown = named.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined) throw new InvalidArgumentError(`Use one of ${kinds.join(', ')}.`);
  return [...previous, ...named];
}
