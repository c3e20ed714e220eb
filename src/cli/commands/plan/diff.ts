/** `iam diff`: compares a server with desired-state files. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { addDocumentOptions } from './plan.ts';

const diffText: Omit<CommandDescription, 'title'> = {
  description: 'Prints what `iam apply` would change. Exits with 0 if there is no difference, otherwise with 1.',
  roles: varyingRoles,
  effect: 'read',
  examples: [
    { title: 'Compare with a file', command: '-f iam.yaml' },
    { title: 'Print the differences as JSON', command: '-f iam.yaml -o json' },
  ],
};

export function addDiff(program: Command, runtime: CliRuntime, title: string): void {
  const command = addDocumentOptions(addCommand(program, 'diff', { title, ...diffText }));
  setAction(command, runtime, async (context, _, options) => {
    const { runDiff } = await import('../../plan/index.ts');
    await runDiff(context, options);
  });
}
