/** `iam token`: prints, decodes, verifies and inspects tokens. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { JSONWebKeySet } from 'jose';
import { reference } from '../../contract/entities.ts';
import { signInLevels } from '../../contract/testing/sign-in-levels.ts';
import { omittableClaims, testTokenAlgorithms, testTokenSignatures } from '../../contract/testing/test-tokens.ts';
import { decodeToken } from '../auth/decode-token.ts';
import { addCommand, setAction } from '../command.ts';
import { inspectTokenPath } from '../config/safety.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { CliError, QuietExit, usageError } from '../errors.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { readSecret } from '../io/input.ts';
import { declareValueSources } from '../prompts/value-sources.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../request/control-plane.ts';
import { getCurrentToken } from '../request/current-token.ts';
import { parseInteger } from '../request/field-options.ts';
import { printRequestPreview } from '../request/preview.ts';
import { NameResolver } from '../request/resolve-names.ts';

export function addToken(noun: Command, runtime: CliRuntime): void {
  const generateCommand = addCommand(noun, 'generate', {
    title: 'Print an access token',
    description: 'Signs in with the current credentials and prints only the token, for use with tools such as curl.',
    effect: 'read',
    examples: [{ title: 'Print a token for another profile', command: '--profile staging' }],
  });
  setAction(generateCommand, runtime, generate);
  addIssueCommand(noun, runtime);
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

function addIssueCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'issue', {
    title: 'Issue a test token',
    description: `A test feature, on servers without remote access: prints an access token that is wrong on purpose, to test what verifies tokens. The server signs it unless an option says otherwise. A token of a user belongs to a new session. ${controlPlaneNote}`,
    effect: 'write',
    examples: [
      { title: 'A token for another audience', command: 'alice --claim aud=https://other.example' },
      { title: 'An expired token without a subject', command: 'alice --expires-in=-60 --omit sub' },
      { title: 'A token without a signature', command: 'billing-service --alg none' },
    ],
  })
    .argument('<subject>', 'User, by id or login name, or client, by id or service account')
    .option(
      '--client-id <client>',
      'for a user: client to sign in through, by id or service account; default: that of the server',
    )
    .addOption(new Option('--level <level>', 'for a user: authentication level').choices(signInLevels))
    .option('--claim <name=value>', 'claim with its value, JSON or else text (repeatable)', collectClaim)
    .addOption(
      new Option('--omit <claim>', 'claim that the token lacks (repeatable)')
        .choices(omittableClaims)
        .argParser<string[]>((name, previous = []) => [...previous, parseChoice(name, omittableClaims)]),
    )
    .option('--expires-in <seconds>', 'seconds until it expires; negative: it has expired', parseInteger)
    .option('--not-before <seconds>', 'seconds until it becomes valid', parseInteger)
    .addOption(
      new Option('--alg <algorithm>', 'algorithm; none: unsigned; HS256: keyed with the public key').choices(
        testTokenAlgorithms,
      ),
    )
    .option('--kid <kid>', 'key id in the header')
    .option('--typ <type>', 'type in the header; default: at+jwt')
    .addOption(new Option('--signature <kind>', 'wrong signature').choices(testTokenSignatures));
  declareValueSources(command, { subject: subjectSources, '--client-id': client });
  setAction(command, runtime, async (context, [subject], options) => {
    const names = new NameResolver(context, options.dryRun === true);
    const clientId = await names.resolveOptional(client, options.clientId);
    const { level, claim: claims, omit, expiresIn, notBefore, alg, kid, typ, signature } = options;
    const body = { for: subject, clientId, level, claims, omit, expiresIn, notBefore, alg, kid, typ, signature };
    if (options.dryRun === true) {
      names.printResolved();
      return printRequestPreview(context, { ...controlRequestPreview(context, 'POST', testTokensPath), body });
    }
    const { body: issued } = await callControlPlane(context, 'POST', testTokensPath, { body });
    const { accessToken } = issued as { readonly accessToken: string };
    if (context.printer.isForPeople) context.printer.lines([accessToken]);
    else await context.printer.value(issued);
  });
}

const testTokensPath = '/_iam/tokens';
const client = reference('client', ['id']);
const subjectSources = [reference('user', ['name']), reference('client', ['serviceAccount'])];

function parseChoice(value: string, choices: readonly string[]): string {
  if (choices.includes(value)) return value;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
}

/** The value is JSON, or else text. */
function collectClaim(
  text: string,
  previous: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Must be NAME=VALUE.');
  return { ...previous, [text.slice(0, at)]: parseClaim(text.slice(at + 1)) };
}

function parseClaim(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
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
