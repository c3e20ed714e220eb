/** `iam completion`: prints shell completion scripts. */
import type { Command } from 'commander';
import { addCommand } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { getTextOutput } from '../../io/io.ts';
import { shellScripts } from './shell-scripts.ts';

/** Adds one subcommand per shell. */
export function addCompletion(noun: Command, { io }: CliRuntime): void {
  for (const [shell, { text, forSession, permanently, forAlias }] of Object.entries(shellScripts))
    addCommand(noun, shell, {
      title: `Generate the completion script for ${shell}`,
      description:
        'Completes commands, options, option values and names from the server. Names are requested with the credentials of the command, within 2 s, and cached for 30 s. No user is logged in, and errors are ignored.',
      effect: 'local',
      examples: [{ title: 'Print the script', command: '' }],
    })
      .addHelpText(
        'after',
        `  # Enable it in the current session\n  ${forSession}\n  # Enable it permanently\n  ${permanently}\n  # For an alias too\n  ${forAlias}`,
      )
      .option('--command-name <name>', 'complete an alias too; repeatable', collectNames, [])
      .action(({ commandName }: { commandName: readonly string[] }) => {
        getTextOutput(io).write(text(['iam', ...commandName].join(' ')));
      });
}

/** Collects names of aliases. The script is evaluated by a shell, so nothing else may be in it. */
function collectNames(name: string, before: readonly string[]): readonly string[] {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name))
    throw usageError(`--command-name ${JSON.stringify(name)} must be a name of letters, digits and _ . -`);
  return name === 'iam' || before.includes(name) ? before : [...before, name];
}
