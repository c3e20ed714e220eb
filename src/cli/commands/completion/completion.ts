/** `iam completion`: prints shell completion scripts. */
import type { Command } from 'commander';
import { addCommand } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { getTextOutput } from '../../io/io.ts';
import { shellScripts } from './shell-scripts.ts';

/** Adds one subcommand per shell. */
export function addCompletion(noun: Command, { io }: CliRuntime): void {
  for (const [shell, { text, forSession, permanently }] of Object.entries(shellScripts))
    addCommand(noun, shell, {
      title: `Generate the completion script for ${shell}`,
      description:
        'Completes commands, options, option values and names from the server. Names are requested with the cached token, within 300 ms; errors are ignored.',
      effect: 'local',
      examples: [{ title: 'Print the script', command: '' }],
    })
      .addHelpText(
        'after',
        `  # Enable it in the current session\n  ${forSession}\n  # Enable it permanently\n  ${permanently}`,
      )
      .action(() => void getTextOutput(io).write(text));
}
