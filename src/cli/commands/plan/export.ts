/** `iam export`: exports a server's resources as a desired-state file. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';

const exportText: Omit<CommandDescription, 'title'> = {
  description:
    'Prints YAML, or JSON with -o json, in a stable order, so that you can compare two exports. Another server accepts it: names stand in place of ids, and what cannot be carried is left out and named on standard error and at the head of the YAML. Users and secrets are never exported. Planning an unchanged export produces an empty plan.',
  roles: varyingRoles,
  effect: 'read',
  examples: [
    { title: 'Export everything', command: '> iam.yaml' },
    { title: 'Export groups and clients as JSON', command: '--kind groups,clients -o json' },
    { title: 'Include the groups of the first start', command: '--with-built-in' },
  ],
};

const kinds = ['groups', 'clients', 'apiKeys', 'corporateGroups', 'customers'];

export function addExport(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'export', { title, ...exportText }).addOption(
    new Option('--kind <kind>', 'only these kinds (repeatable or comma-separated)')
      .choices(kinds)
      .argParser(parseKinds),
  );
  command.option('--with-built-in', 'also the groups that every server has from its first start');
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
