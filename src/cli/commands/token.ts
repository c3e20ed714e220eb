/** `iam token generate|inspect|verify`: a token of one's own, what a token says, and whether it is true. */
import type { Command } from 'commander';
import type { JSONWebKeySet } from 'jose';
import { addCommand, type CommandOptions, setAction } from '../command.ts';
import { requireSendableCredentials } from '../runtime/connection.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { CliError, usageError } from '../runtime/errors.ts';
import { readSecret } from '../runtime/input.ts';
import { resolveSetting } from '../runtime/settings.ts';
import { getCurrentToken } from './current-token.ts';
import { decodeToken } from './decode-token.ts';

/** Adds the commands of the noun. */
export function addToken(noun: Command, runtime: CliRuntime): void {
  const generated = addCommand(noun, 'generate', {
    title: 'Prints an access token',
    description: 'Signs in with the credentials in use, and prints the token alone: for curl and the like.',
    effect: 'read',
    examples: [{ title: 'For another program', command: '--profile staging' }],
  });
  setAction(generated, runtime, generate);
  const inspected = addCommand(noun, 'inspect', {
    title: 'Shows header and claims of a token',
    description: 'Reads IAM_TOKEN, or a file. The signature is not checked; no request is made.',
    effect: 'local',
    examples: [
      { title: 'The token in the environment', command: '' },
      { title: 'From a pipe', command: '-f - -o json' },
    ],
  });
  setAction(inspected.option(...fileOption), runtime, inspect);
  const verified = addCommand(noun, 'verify', {
    title: 'Tells whether a token is good',
    description:
      'Checks signature, kind and time of IAM_TOKEN, or of a token in a file, with the keys of the server. Exit code 1 where it is not good. Whether its session still lasts only a call can tell.',
    effect: 'read',
    examples: [
      { title: 'The token in the environment', command: '' },
      { title: 'From a pipe', command: '-f - -q' },
    ],
  });
  setAction(verified.option(...fileOption), runtime, verify);
}

const fileOption = ['-f, --file <file>', 'file that holds the token, - is standard input'] as const;

async function generate(context: Context): Promise<void> {
  const token = await getCurrentToken(context, requireSendableCredentials(context.sources));
  if (token === undefined) throw usageError('An API key has no token.', 'Sign in as a client or a user.');
  if (context.printer.isForPeople) context.printer.lines([token]);
  else await context.printer.value({ accessToken: token });
}

async function inspect(context: Context, _: readonly unknown[], options: CommandOptions): Promise<void> {
  const { header, claims } = decodeToken(await readToken(context, options));
  await context.printer.value(context.printer.isForPeople ? { ...header, ...claims } : { header, claims });
}

async function verify(context: Context, _: readonly unknown[], options: CommandOptions): Promise<void> {
  const token = await readToken(context, options);
  decodeToken(token);
  const client = await context.connect('anonymous');
  const { body } = await client.call('keys.get', { anonymous: true, signal: context.io.signal });
  const { createLocalJWKSet, jwtVerify } = await import('../runtime/jose.ts');
  try {
    const keys = createLocalJWKSet(body as JSONWebKeySet);
    const currentDate = new Date(context.environment.now());
    const { payload } = await jwtVerify(token, keys, { typ: 'at+jwt', currentDate, requiredClaims: ['exp', 'sub'] });
    await context.printer.value({ valid: true, ...payload });
  } catch (error) {
    throw new CliError(`The token is not good: ${(error as Error).message}.`, {
      code: 'TOKEN_INVALID',
      exitCode: 1,
      hint: 'Get a new one with `iam token generate`.',
    });
  }
}

async function readToken(context: Context, options: CommandOptions): Promise<string> {
  const file = options.file as string | undefined;
  const token =
    file === undefined ? resolveSetting('token', context.sources)?.value : await readSecret(file, context.io);
  if (token === undefined) throw usageError('There is no token.', 'Set IAM_TOKEN, or give a file with -f.');
  return token.trim();
}
