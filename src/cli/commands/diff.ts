/** `iam diff`: whether a server is as documents say, and where it is not. */
import type { Command } from 'commander';
import { addLeaf, type LeafText, rolesVary, runs } from '../leaf.ts';
import { toolsOf } from '../plan/tools.ts';
import type { Surroundings } from '../runtime/context.ts';
import { addDocumentOptions } from './plan.ts';

export const diffText: LeafText = {
  title: 'Tells where the server differs from documents',
  description: 'Prints what apply would change. Exit code 0 is no difference, 1 is a difference.',
  roles: rolesVary,
  effect: 'read',
  examples: [
    { title: 'A document', command: '-f iam.yaml' },
    { title: 'The changes as data', command: '-f iam.yaml -o json' },
  ],
};

/** Adds the command. */
export function addDiff(program: Command, surroundings: Surroundings): void {
  const command = addDocumentOptions(addLeaf(program, 'diff', diffText));
  runs(command, surroundings, async (context, _, options) => {
    const { runDiff } = await import('../plan/index.ts');
    await runDiff(await toolsOf(context, options.color as string | undefined), options);
  });
}
