/** `iam login`: signs a client or a user in and keeps the tokens in the profile's cache. */

import type { Command } from 'commander';
import { basicAuthorization } from '../../client/credentials.ts';
import { reference } from '../../contract/entities.ts';
import { addCommand, type CommandDescription, type CommandOptions, setAction } from '../command.ts';
import { resolveBaseUrl } from '../runtime/connection.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import {
  assertOwnTarget,
  assertProfileServer,
  resolveCredentials,
  resolveEnvironmentCredentials,
} from '../runtime/credentials.ts';
import { CliError, usageError } from '../runtime/errors.ts';
import { readSecret } from '../runtime/input.ts';
import { changeProfiles, type Profile, type ProfileSession } from '../runtime/profile.ts';
import { promptSecret, promptText } from '../runtime/prompt.ts';
import { deleteSession, parseSession, type StoredSession, writeSession } from '../runtime/session-file.ts';
import { resolveProfile, resolveProfileName } from '../runtime/settings.ts';
import { createTokenSource } from '../runtime/stored-token-source.ts';
import { assertConfidential } from '../runtime/transport-security.ts';
import { loginUserForSession } from '../runtime/user-login.ts';
import { takes } from '../value-sources.ts';
import { completeSecondFactor, needsSecondFactor, resumeSecondFactor } from './second-factor.ts';

export const loginText: CommandDescription = {
  title: 'Signs in, and keeps the tokens',
  description:
    'For the commands that follow, as a user with --user, else as a client. The tokens go into a private file of the profile in use, or of the profile `default` where there is none, and are renewed as long as the server renews them. Passwords and secrets are asked for, or read from standard input, a file, IAM_PASSWORD or IAM_CLIENT_SECRET; they are not kept.',
  effect: 'local',
  examples: [
    { title: 'A user, through an application client', command: '--user alice --client-id APP_CLIENT_ID' },
    { title: 'With the password from a pipe', command: '--user alice --client-id APP_CLIENT_ID --password-stdin' },
    { title: 'A second proof for who is signed in', command: '--mfa' },
    { title: 'A client, on another server', command: '--base-url https://iam.example.com --client-id deployer' },
  ],
};

/** Adds the command. */
export function addLogin(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'login', loginText)
    .option('--user <name>', 'user to sign in: any login name it has')
    .option('--password-stdin', 'read the password of the user from standard input')
    .option('--client-id <id>', 'client to sign in, or to sign the user in through')
    .option('--secret-stdin', 'read the secret of the client from standard input')
    .option('--secret-file <file>', 'file that holds the secret of the client')
    .option('--mfa', 'give a second proof as well, or now for who is signed in: a code that is sent')
    .option('--no-mfa', 'ask an administrator for no second proof')
    .option('--code-stdin', 'finish --mfa with the code from standard input');
  takes(command, { '--user': reference('user', ['name']), '--client-id': reference('client', ['id']) });
  setAction(command, runtime, login);
}

interface Target {
  readonly name: string;
  readonly profile: Profile | undefined;
  readonly baseUrl: string;
}

async function login(context: Context, _: readonly unknown[], options: CommandOptions): Promise<void> {
  if ([options.passwordStdin, options.secretStdin, options.codeStdin].filter((given) => given === true).length > 1)
    throw usageError('Standard input holds one secret: --password-stdin, --secret-stdin or --code-stdin.');
  const target = resolveTarget(context);
  if (options.codeStdin === true)
    return printSession(context, target.name, await resumeSecondFactor(context, target.name));
  const userName = resolveUserName(context, options);
  if (options.mfa === true && options.passwordStdin !== true && isSignedIn(target, userName))
    return addSecondFactor(context, target);
  const clientId = await resolveClientId(context, options, target, userName !== undefined);
  if (userName === undefined) return loginAsClient(context, clientId, options, target);
  const answer = await loginAsUser(context, { clientId, userName }, options, target);
  const kept = await saveSession(context, target, { clientId, userName }, answer);
  const stored = needsSecondFactor(context, kept, options) ? await completeSecondFactor(context, target.name) : kept;
  await printSession(context, target.name, stored);
}

/** Who is signed in already needs no password for a second proof. */
function isSignedIn({ profile }: Target, userName: string | undefined): boolean {
  const signedIn = profile?.session?.userName;
  return signedIn !== undefined && (userName === undefined || userName === signedIn);
}

async function addSecondFactor(context: Context, { name, baseUrl }: Target): Promise<void> {
  const { sources, environment } = context;
  const found = resolveCredentials({ ...sources, options: { ...sources.options, profile: name } });
  const client = await context.connect('anonymous');
  // Renews the token where it is over: the proof needs one that is taken.
  await createTokenSource(found, baseUrl, environment, context.manifest).token((id, input) =>
    client.call(id, { ...input, anonymous: true }),
  );
  await printSession(context, name, await completeSecondFactor(context, name));
}

function resolveTarget({ sources }: Context): Target {
  const profile = resolveProfile(sources);
  if (profile) assertProfileServer(sources, profile);
  const name = profile ? (resolveProfileName(sources)?.value ?? 'default') : 'default';
  const baseUrl = resolveBaseUrl(sources);
  assertConfidential(sources, baseUrl);
  return { name, profile, baseUrl };
}

/** Whoever says how to prove a client means the client. */
function resolveUserName({ environment }: Context, options: CommandOptions): string | undefined {
  const provesClient = options.secretStdin === true || options.secretFile !== undefined;
  const named = options.user as string | undefined;
  const userName = named ?? (provesClient ? undefined : environment.variables.IAM_USERNAME);
  if (userName === undefined && options.passwordStdin === true) throw usageError('--password-stdin goes with --user.');
  return userName || undefined;
}

async function resolveClientId(
  context: Context,
  options: CommandOptions,
  { profile, baseUrl }: Target,
  forUser: boolean,
): Promise<string> {
  const kept = forUser
    ? (profile?.session?.clientId ?? profile?.userClientId ?? profile?.clientId)
    : (profile?.clientId ?? profile?.session?.clientId);
  const { IAM_CLIENT_ID: fromEnvironment } = context.environment.variables;
  const given = (options.clientId as string | undefined) ?? (fromEnvironment || kept);
  if (given) return given;
  const typedId = await promptText(
    context.promptOptions(options.passwordStdin === true || options.secretStdin === true),
    forUser
      ? `The id of the client to sign in through, at ${baseUrl}`
      : `The id of the client to sign in at ${baseUrl} (a user: --user)`,
    'Name the client with --client-id or in IAM_CLIENT_ID; `iam serve` tells that of its application client.',
  );
  if (typedId === '') throw usageError('A client id is needed.');
  return typedId;
}

async function loginAsClient(
  context: Context,
  clientId: string,
  options: CommandOptions,
  target: Target,
): Promise<void> {
  const clientSecret = await readClientSecret(context, clientId, options, target);
  const client = await context.connect('anonymous');
  const { body } = await client.call('client-identities.login', {
    anonymous: true,
    headers: { authorization: basicAuthorization({ clientId, clientSecret }) },
    signal: context.io.signal,
  });
  const { profile } = target;
  const isOwn = profile?.clientId === clientId && profile.clientSecret === clientSecret;
  await printSession(context, target.name, await saveSession(context, target, { clientId }, body, isOwn));
}

async function readClientSecret(
  context: Context,
  clientId: string,
  options: CommandOptions,
  target: Target,
): Promise<string> {
  const file = options.secretStdin === true ? '-' : (options.secretFile as string | undefined);
  if (file !== undefined) return readSecret(file, context.io);
  const known = findKnownSecret(context, clientId, target);
  if (known !== undefined) return known;
  return promptSecret(
    context.promptOptions(false),
    `The secret of ${clientId} at ${target.baseUrl}`,
    'Give it with --secret-stdin or --secret-file, or in IAM_CLIENT_SECRET.',
  );
}

/** The secret of this very client, from the environment or the profile. */
function findKnownSecret({ environment, sources }: Context, clientId: string, { profile }: Target): string | undefined {
  const { IAM_CLIENT_ID: named = clientId, IAM_CLIENT_SECRET: fromEnvironment } = environment.variables;
  if (fromEnvironment && named === clientId) {
    assertOwnTarget(sources);
    return fromEnvironment;
  }
  return profile?.clientId === clientId ? profile.clientSecret : undefined;
}

async function loginAsUser(
  context: Context,
  { clientId, userName }: { readonly clientId: string; readonly userName: string },
  options: CommandOptions,
  target: Target,
): Promise<unknown> {
  const password = await readPassword(context, userName, options, target);
  const client = await context.connect('anonymous');
  const { signal } = context.io;
  const { body } = await loginUserForSession(
    (id, input) => client.call(id, { ...input, anonymous: true, signal }),
    { clientId, userName, password },
    target.profile?.clientId === clientId ? target.profile.clientSecret : undefined,
  );
  return body;
}

async function readPassword(
  context: Context,
  userName: string,
  options: CommandOptions,
  { baseUrl }: Target,
): Promise<string> {
  if (options.passwordStdin === true) return readSecret('-', context.io);
  const { IAM_USERNAME: named = userName, IAM_PASSWORD: password } = context.environment.variables;
  if (password && named === userName) {
    assertOwnTarget(context.sources);
    return password;
  }
  return promptSecret(
    context.promptOptions(false),
    `The password of ${userName} at ${baseUrl}`,
    'Give it with --password-stdin, or in IAM_PASSWORD.',
  );
}

/** Tokens first, then the profile that points at them. A profile with a secret of its own signs in by that again. */
async function saveSession(
  context: Context,
  target: Target,
  session: ProfileSession,
  body: unknown,
  isOwn = false,
): Promise<StoredSession> {
  const { now, variables } = context.environment;
  const { name, baseUrl } = target;
  const stored = parseSession(body, { baseUrl, ...session }, now());
  if (!stored) throw new CliError('The server answered without a token.', { code: 'ANSWER_UNREADABLE', exitCode: 75 });
  if (isOwn) await deleteSession(name, variables);
  else await writeSession(name, stored, variables);
  await changeProfiles(variables, (file) => {
    const { session: _, ...before } = file.profiles[name] ?? { baseUrl };
    const profile = target.profile || before.baseUrl === baseUrl ? before : { baseUrl };
    const current = file.current && Object.hasOwn(file.profiles, file.current) ? file.current : name;
    const changed = isOwn ? profile : { ...profile, session };
    return { ...file, current, profiles: { ...file.profiles, [name]: changed } };
  });
  return stored;
}

async function printSession(context: Context, profile: string, stored: StoredSession): Promise<void> {
  const { baseUrl, clientId, userName } = stored;
  const expiresAt = new Date(stored.expiresAt).toISOString();
  if (!context.printer.isForPeople) await context.printer.value({ profile, baseUrl, clientId, userName, expiresAt });
  context.notice(`Signed in to ${baseUrl} as ${userName ?? clientId}.`);
  warnOfEnvironment(context);
}

function warnOfEnvironment({ sources, notice }: Context): void {
  try {
    const { kind } = resolveEnvironmentCredentials(sources, true) ?? {};
    if (kind !== undefined && !sources.options.profile)
      notice(`The environment holds credentials, too (${kind}); without --profile they go before this session.`);
  } catch (error) {
    // The next command would end with it; this one has done what it was for.
    if (!(error instanceof CliError)) throw error;
    notice(`${error.message} Unset what is there, or the commands that follow fail without --profile.`);
  }
}
