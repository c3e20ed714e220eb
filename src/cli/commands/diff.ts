/** `iam diff`: whether a server is as documents say, and where it is not. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../command.ts';
import { createPlanDeps } from '../plan/deps.ts';
import type { CliRuntime } from '../runtime/context.ts';
import { addDocumentOptions } from './plan.ts';

export const diffText: CommandDescription = {
  title: 'Tells where the server differs from documents',
  description: 'Prints what apply would change. Exit code 0 is no difference, 1 is a difference.',
  roles: varyingRoles,
  effect: 'read',
  examples: [
    { title: 'A document', command: '-f iam.yaml' },
    { title: 'The changes as data', command: '-f iam.yaml -o json' },
  ],
};

/** Adds the command. */
export function addDiff(program: Command, runtime: CliRuntime): void {
  const command = addDocumentOptions(addCommand(program, 'diff', diffText));
  setAction(command, runtime, async (context, _, options) => {
    const { runDiff } = await import('../plan/index.ts');
    await runDiff(await createPlanDeps(context, options.color as string | undefined), options);
  });
}
