/** `iam completion`: scripts by which a shell completes what is typed. */
import type { Command } from 'commander';
import { shellScripts } from '../completion/scripts.ts';
import { addLeaf } from '../leaf.ts';
import type { Surroundings } from '../runtime/context.ts';
import { pageOf } from '../runtime/io.ts';

/** Adds a command for each shell. */
export function addCompletion(noun: Command, { io }: Surroundings): void {
  for (const [shell, { text, once, always }] of Object.entries(shellScripts))
    addLeaf(noun, shell, {
      title: `Prints the script for ${shell}`,
      description:
        'It completes commands, options and their values, and names from the server: those with the token that is there from the command before, within 300 ms, and none where anything fails.',
      effect: 'local',
      examples: [{ title: 'Look at it', command: '' }],
    })
      .addHelpText('after', `  # For this session\n  ${once}\n  # For good\n  ${always}`)
      .action(() => void pageOf(io).write(text));
}
