/** `iam completion`: scripts by which a shell completes what is typed. */
import type { Command } from 'commander';
import { addCommand } from '../command.ts';
import { shellScripts } from '../completion/shell-scripts.ts';
import type { CliRuntime } from '../runtime/context.ts';
import { getTextOutput } from '../runtime/io.ts';

/** Adds a command for each shell. */
export function addCompletion(noun: Command, { io }: CliRuntime): void {
  for (const [shell, { text, forSession, permanently }] of Object.entries(shellScripts))
    addCommand(noun, shell, {
      title: `Prints the script for ${shell}`,
      description:
        'It completes commands, options and their values, and names from the server: those with the token that is there from the command before, within 300 ms, and none where anything fails.',
      effect: 'local',
      examples: [{ title: 'Look at it', command: '' }],
    })
      .addHelpText('after', `  # For this session\n  ${forSession}\n  # For good\n  ${permanently}`)
      .action(() => void getTextOutput(io).write(text));
}
