/** `iam apply`: applies desired-state files to a server. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction, varyingRoles } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { addDocumentOptions } from './plan.ts';

const applyText: Omit<CommandDescription, 'title'> = {
  description:
    'Shows the plan, prompts for confirmation and applies the changes. A saved plan is applied without a prompt, unless it deletes, or takes roles from administrators. Omitted keys stay unchanged; a list, including a list of members, replaces the whole list. Applying the same files again changes nothing; run the command again to resume after an interruption or an unknown outcome. Concurrent changes by other callers are preserved.',
  roles: varyingRoles,
  effect: 'destructive',
  idempotent: true,
  examples: [
    { title: 'Apply a file', command: '-f iam.yaml' },
    { title: 'Apply a saved plan; fails if the server has changed since', command: 'plan.json' },
    { title: 'In a script, write new secrets to a file', command: '-f iam/ --yes --secret-output secrets.jsonl' },
    {
      title: 'Also delete resources of the set that are no longer in the file',
      command: '-f iam.yaml --set base --prune --confirm base',
    },
  ],
};

export function addApply(program: Command, runtime: CliRuntime, title: string): void {
  const command = addDocumentOptions(
    addCommand(program, 'apply', { title, ...applyText }).argument(
      '[plan]',
      'Plan saved by `iam plan --out`, instead of -f',
    ),
  )
    .option('--secret-output <file>', 'write new secrets to a new private file instead of printing them')
    .option(
      '--allow-self-lockout',
      'allow changes that remove your own administrative roles or the last administrator',
    );
  setAction(command, runtime, async (context, [plan], options) => {
    const { runApply } = await import('../../plan/index.ts');
    await runApply(context, plan as string | undefined, options);
  });
}
