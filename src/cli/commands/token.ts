/** `iam token`: prints, decodes, verifies and inspects tokens. */
import { type Command, Option } from 'commander';
import type { JSONWebKeySet } from 'jose';
import { decodeToken } from '../auth/decode-token.ts';
import { addCommand, setAction } from '../command.ts';
import { inspectTokenPath } from '../config/safety.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { CliError, QuietExit, usageError } from '../errors.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { readSecret } from '../io/input.ts';
import { callControlPlane, controlPlaneNote } from '../request/control-plane.ts';
import { getCurrentToken } from '../request/current-token.ts';

export function addToken(noun: Command, runtime: CliRuntime): void {
  const generateCommand = addCommand(noun, 'generate', {
    title: 'Print an access token',
    description: 'Signs in with the current credentials and prints only the token, for use with tools such as curl.',
    effect: 'read',
    examples: [{ title: 'Print a token for another profile', command: '--profile staging' }],
  });
  setAction(generateCommand, runtime, generate);
  const inspectCommand = addCommand(noun, 'inspect', {
    title: 'Decode a token, verify it, or show whether the server accepts it',
    description: `Shows header and claims of IAM_TOKEN or of a token in a file, without sending a request.

--verify verifies signature, type and expiry of an access token with the keys of the server. It does not check whether the session is still active.

--status asks the server whether it accepts the token, and why not: with claims, key, session and current roles. Accepts access, refresh, product and one-time tokens. ${controlPlaneNote}

With one of the two, exits with 1 if the token is invalid or rejected.`,
    effect: 'read',
    examples: [
      { title: 'Ask the server about the token in IAM_TOKEN', command: '--status' },
      { title: 'Verify a token from a pipe', command: '--verify -f - -q' },
      { title: 'Decode a token from a pipe', command: '-f - -o json' },
    ],
  })
    .option('-f, --file <file>', 'file with the token, - for standard input')
    .addOption(new Option('--verify', 'verify the token with the keys of the server').conflicts('status'))
    .option('--status', 'ask the server whether it accepts the token');
  setAction(inspectCommand, runtime, (context, _, options) => selectInspection(options)(context, options));
}

type Inspection = (context: Context, options: CommandOptions) => Promise<void>;

function selectInspection({ verify: verifies, status }: CommandOptions): Inspection {
  if (verifies === true) return verify;
  return status === true ? showStatus : decode;
}

async function generate(context: Context): Promise<void> {
  const token = await getCurrentToken(context, requireSendableCredentials(context.settings));
  if (token === undefined) throw usageError('An API key has no access token.', 'Sign in as a client or a user.');
  if (context.printer.isForPeople) context.printer.lines([token]);
  else await context.printer.value({ accessToken: token });
}

async function decode(context: Context, options: CommandOptions): Promise<void> {
  const { header, claims } = decodeToken(await readToken(context, options));
  await context.printer.value(context.printer.isForPeople ? { ...header, ...claims } : { header, claims });
}

async function verify(context: Context, options: CommandOptions): Promise<void> {
  const token = await readToken(context, options);
  decodeToken(token);
  const client = await context.connect('anonymous');
  const { body } = await client.call('keys.get', { anonymous: true, signal: context.io.signal });
  const claims = await verifySignature(context, token, body as JSONWebKeySet);
  await context.printer.value({ valid: true, ...claims });
}

async function verifySignature({ environment }: Context, token: string, keys: JSONWebKeySet): Promise<object> {
  const { verifyToken } = await import('../auth/verify-token.ts');
  try {
    return await verifyToken(token, keys, environment.now());
  } catch (error) {
    throw new CliError(`The token is invalid: ${(error as Error).message}.`, {
      code: 'TOKEN_INVALID',
      exitCode: 1,
      hint: 'Obtain a new token with `iam token generate`.',
    });
  }
}

async function showStatus(context: Context, options: CommandOptions): Promise<void> {
  const token = await readToken(context, options);
  const { body } = await callControlPlane(context, 'POST', inspectTokenPath, { body: { token } });
  await context.printer.value(body);
  if ((body as { readonly active?: boolean }).active !== true) throw new QuietExit(1);
}

async function readToken(context: Context, options: CommandOptions): Promise<string> {
  const file = options.file as string | undefined;
  const token = file === undefined ? context.settings.get('token')?.value : await readSecret(file, context.io);
  if (token === undefined) throw usageError('No token found.', 'Set IAM_TOKEN, or name a file with -f.');
  return token.trim();
}
