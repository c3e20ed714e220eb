/** `iam token inspect`: what a token says. */
import type { Command } from 'commander';
import { addLeaf, type Options, runs } from '../leaf.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { usageError } from '../runtime/failures.ts';
import { readSecret } from '../runtime/input.ts';
import { resolve } from '../runtime/settings.ts';
import { decodeToken } from './token-text.ts';

/** Adds the commands of the noun. */
export function addToken(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'inspect', {
    title: 'Shows header and claims of a token',
    description: 'Reads IAM_TOKEN, or a file. The signature is not checked; no request is made.',
    effect: 'local',
    examples: [
      { title: 'The token in the environment', command: '' },
      { title: 'From a pipe', command: '-f - -o json' },
    ],
  }).option('-f, --file <file>', 'file that holds the token, - is standard input');
  runs(command, surroundings, inspect);
}

async function inspect(context: Context, _: readonly unknown[], options: Options): Promise<void> {
  const file = options.file as string | undefined;
  const token = file === undefined ? resolve('token', context.sources)?.value : await readSecret(file, context.io);
  if (token === undefined) throw usageError('There is no token.', 'Set IAM_TOKEN, or give a file with -f.');
  const { header, claims } = decodeToken(token);
  await context.printer.value(context.printer.isForPeople ? { ...header, ...claims } : { header, claims });
}
