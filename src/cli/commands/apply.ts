/** `iam apply`: brings a server to what documents say. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../command.ts';
import { createPlanDeps } from '../plan/deps.ts';
import type { CliRuntime } from '../runtime/context.ts';
import { addDocumentOptions } from './plan.ts';

export const applyText: CommandDescription = {
  title: 'Brings the server to what documents say',
  description:
    'Shows the plan, asks, and writes. A key that is left out is left alone; a list that is given is the whole list, of members too. Applied twice it changes nothing the second time; interrupted, it goes on when it is run again. What others change meanwhile is kept.',
  roles: varyingRoles,
  effect: 'destructive',
  idempotent: true,
  examples: [
    { title: 'A document', command: '-f iam.yaml' },
    { title: 'A plan that was kept; refused where the server has changed since', command: 'plan.json' },
    { title: 'In a script, new secrets into a file', command: '-f iam/ --yes --secret-output secrets.jsonl' },
    { title: 'Remove what the set once made', command: '-f iam.yaml --set base --prune --confirm base' },
  ],
};

/** Adds the command. */
export function addApply(program: Command, runtime: CliRuntime): void {
  const command = addDocumentOptions(
    addCommand(program, 'apply', applyText).argument('[plan]', 'A plan that `iam plan --out` kept, instead of -f'),
  )
    .option('--secret-output <file>', 'write new secrets to a new file that only you can read, instead of showing them')
    .option(
      '--allow-self-lockout',
      'also where you would lose your own administrative roles, or nobody be left with them',
    );
  setAction(command, runtime, async (context, [plan], options) => {
    const { runApply } = await import('../plan/index.ts');
    await runApply(
      await createPlanDeps(context, options.color as string | undefined),
      plan as string | undefined,
      options,
    );
  });
}
