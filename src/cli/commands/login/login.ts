/** `iam login`: signs in a client or a user and stores the tokens of the profile. */

import type { Command } from 'commander';
import { basicAuthorization } from '../../../client/credentials.ts';
import { reference } from '../../../contract/entities.ts';
import {
  assertOwnTarget,
  assertProfileServer,
  resolveCredentials,
  resolveEnvironmentCredentials,
} from '../../auth/credentials.ts';
import { deleteSession, parseSession, type StoredSession, writeSession } from '../../auth/session-file.ts';
import { createTokenSource } from '../../auth/stored-token-source.ts';
import { loginUserForSession } from '../../auth/user-login.ts';
import { addCommand, type CommandDescription, setAction } from '../../command.ts';
import { changeProfiles, findProfile, type Profile, type ProfileSession } from '../../config/profile.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { CliError, usageError } from '../../errors.ts';
import { resolveBaseUrl } from '../../http/connection.ts';
import { assertConfidential } from '../../http/transport-security.ts';
import { readSecret } from '../../io/input.ts';
import { promptSecret, promptText } from '../../io/prompt.ts';
import { declareValueSources } from '../../prompts/value-sources.ts';
import { completeSecondFactor, needsSecondFactor, resumeSecondFactor } from './second-factor.ts';

const loginText: Omit<CommandDescription, 'title'> = {
  description:
    'Signs in as a user with --user, --web or --device, otherwise as a client. Tokens are stored in a private file of the current profile (or the profile `default`), and are renewed while the server allows it. The server must be named by --base-url, IAM_BASE_URL or a profile; at a terminal it is prompted for. A wrong code of the second factor is prompted for again. Passwords and secrets are prompted for, or read from standard input, a file, IAM_PASSWORD or IAM_CLIENT_SECRET; they are not stored.',
  effect: 'local',
  examples: [
    { title: 'Sign in as a user through an application client', command: '--user alice --client-id APP_CLIENT_ID' },
    { title: 'Read the password from a pipe', command: '--user alice --client-id APP_CLIENT_ID --password-stdin' },
    { title: 'Sign in with a browser', command: '--web --client-id APP_CLIENT_ID' },
    { title: 'Add a second factor to the current session', command: '--mfa' },
    {
      title: 'Sign in as a client to the server of another profile',
      command: '--profile production --client-id deployer',
    },
  ],
};

export function addLogin(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'login', { title, ...loginText })
    .option('--user <name>', 'login name of the user')
    .option('--password-stdin', 'read the user password from standard input')
    .option('--web', 'sign in with a browser on this machine')
    .option('--device', 'sign in with a browser on any machine, where a code is typed')
    .option('--client-id <id>', 'client to sign in as, or through which the user signs in')
    .option('--secret-stdin', 'read the client secret from standard input')
    .option('--secret-file <file>', 'file with the client secret')
    .option('--mfa', 'verify a second factor with a one-time code, also for an existing session')
    .option('--no-mfa', 'do not prompt administrators for a second factor')
    .option('--code-stdin', 'complete --mfa with the code from standard input');
  declareValueSources(command, { '--user': reference('user', ['name']), '--client-id': reference('client', ['id']) });
  setAction(command, runtime, login, { requiresBaseUrl: true });
}

/** @throws CliError (exit 2) */
function assertNoPassword({
  web,
  device,
  user,
  mfa,
  passwordStdin,
  codeStdin,
  secretStdin,
  secretFile,
}: CommandOptions): void {
  if (device === true && (web === true || user !== undefined || mfa !== undefined))
    throw usageError(
      '--device is combined with neither --web nor --user nor --mfa: the user is chosen in the browser.',
    );
  if ([passwordStdin, codeStdin, secretStdin, secretFile].some((given) => given !== undefined))
    throw usageError(
      'With --web and --device the password and the code are typed in the browser; the secret of a client is that of the profile.',
    );
}

interface Target {
  readonly name: string;
  readonly profile: Profile | undefined;
  readonly baseUrl: string;
}

async function login(context: Context, _: readonly unknown[], options: CommandOptions): Promise<void> {
  if ([options.passwordStdin, options.secretStdin, options.codeStdin].filter((flag) => flag === true).length > 1)
    throw usageError(
      'Only one secret can be read from standard input: use --password-stdin, --secret-stdin or --code-stdin.',
    );
  if (options.web === true || options.device === true) assertNoPassword(options);
  const target = resolveTarget(context);
  if (options.codeStdin === true)
    return printSession(context, target.name, await resumeSecondFactor(context, target.name));
  const userName = resolveUserName(context, options);
  if (options.web === true || options.device === true) return loginByBrowser(context, options, target, userName);
  if (options.mfa === true && options.passwordStdin !== true && isSignedIn(target, userName))
    return addSecondFactor(context, target);
  const clientId = await resolveClientId(context, options, target, userName !== undefined);
  if (userName === undefined) return loginAsClient(context, clientId, options, target);
  const tokens = await loginAsUser(context, { clientId, userName }, options, target);
  const stored = await saveSession(context, target, { clientId, userName }, tokens);
  const needsMfa = needsSecondFactor(context, stored, options);
  await printSession(context, target.name, needsMfa ? await completeSecondFactor(context, target.name) : stored);
}

/** Without an own prompt for a second factor: the pages ask for it. */
async function loginByBrowser(
  context: Context,
  options: CommandOptions,
  target: Target,
  hint: string | undefined,
): Promise<void> {
  const clientId = await resolveClientId(context, options, target, true);
  const clientSecret = findKnownSecret(context, clientId, target);
  const request = { userName: hint, mfa: options.mfa === true };
  const client = { clientId, clientSecret };
  const { userName, tokens } =
    options.device === true
      ? await (await import('./device-login.ts')).loginOnDevice(context, client)
      : await (await import('./web-login.ts')).loginWithBrowser(context, client, request);
  await printSession(context, target.name, await saveSession(context, target, { clientId, userName }, tokens));
}

/** A user who is already signed in needs no password to add a second factor. */
function isSignedIn({ profile }: Target, userName: string | undefined): boolean {
  const signedIn = profile?.session?.userName;
  return signedIn !== undefined && (userName === undefined || userName === signedIn);
}

async function addSecondFactor(context: Context, { name, baseUrl }: Target): Promise<void> {
  const { settings, environment } = context;
  const credentials = resolveCredentials(settings.with({ options: { ...settings.options, profile: name } }));
  const client = await context.connect('anonymous');
  // Renews an expired token, because the MFA operations need a valid one.
  await createTokenSource(credentials, baseUrl, environment, context.manifest).token((id, input) =>
    client.call(id, { ...input, anonymous: true }),
  );
  await printSession(context, name, await completeSecondFactor(context, name));
}

function resolveTarget({ settings }: Context): Target {
  const name = settings.profile ? (settings.profileName?.value ?? 'default') : 'default';
  const profile = findProfile(settings.file, name);
  // The session is stored in a profile, whatever credentials are in the environment, and replaces that of the profile.
  if (profile) assertProfileServer(settings, profile, { forSession: true, alternative: '' });
  const baseUrl = resolveBaseUrl(settings);
  assertConfidential(settings, baseUrl);
  return { name, profile, baseUrl };
}

/** Returns the user name. Options that authenticate a client take precedence over IAM_USERNAME. */
function resolveUserName({ environment }: Context, options: CommandOptions): string | undefined {
  const authenticatesClient = options.secretStdin === true || options.secretFile !== undefined;
  const named = options.user as string | undefined;
  const userName = named ?? (authenticatesClient ? undefined : environment.variables.IAM_USERNAME);
  if (userName === undefined && options.passwordStdin === true) throw usageError('--password-stdin requires --user.');
  return userName || undefined;
}

async function resolveClientId(
  context: Context,
  options: CommandOptions,
  { profile, baseUrl }: Target,
  forUser: boolean,
): Promise<string> {
  const storedId = forUser
    ? (profile?.session?.clientId ?? profile?.userClientId ?? profile?.clientId)
    : (profile?.clientId ?? profile?.session?.clientId);
  const { IAM_CLIENT_ID: fromEnvironment } = context.environment.variables;
  const configuredId = (options.clientId as string | undefined) ?? (fromEnvironment || storedId);
  if (configuredId) return configuredId;
  const typedId = await promptText(
    context.promptOptions(options.passwordStdin === true || options.secretStdin === true),
    forUser
      ? `Id of the client to sign in through, at ${baseUrl}`
      : `Id of the client to sign in as at ${baseUrl} (use --user for a user)`,
    'Name the client with --client-id or IAM_CLIENT_ID; `iam serve` prints the id of its application client.',
  );
  if (typedId === '') throw usageError('A client id is required.');
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
    `Secret of ${clientId} at ${target.baseUrl}`,
    'Provide it with --secret-stdin, --secret-file or IAM_CLIENT_SECRET.',
  );
}

/** Returns the secret of this client from the environment or the profile; never that of another client. */
function findKnownSecret(
  { environment, settings }: Context,
  clientId: string,
  { profile }: Target,
): string | undefined {
  const { IAM_CLIENT_ID: named = clientId, IAM_CLIENT_SECRET: fromEnvironment } = environment.variables;
  if (fromEnvironment && named === clientId) {
    assertOwnTarget(settings);
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
    assertOwnTarget(context.settings);
    return password;
  }
  return promptSecret(
    context.promptOptions(false),
    `Password of ${userName} at ${baseUrl}`,
    'Provide it with --password-stdin or IAM_PASSWORD.',
  );
}

/** Stores the tokens first, then the profile that refers to them. A profile with its own secret needs no stored session. */
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
  if (!stored)
    throw new CliError('The response of the server contains no token.', { code: 'ANSWER_UNREADABLE', exitCode: 75 });
  if (isOwn) await deleteSession(name, variables);
  else await writeSession(name, stored, variables);
  await changeProfiles(variables, (file) => {
    const { session: _, ...before } = file.profiles[name] ?? { baseUrl };
    const current = file.current && Object.hasOwn(file.profiles, file.current) ? file.current : name;
    const changed = isOwn ? before : { ...before, session };
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

function warnOfEnvironment({ settings, notice }: Context): void {
  try {
    const { kind } = resolveEnvironmentCredentials(settings, true) ?? {};
    if (kind !== undefined && !settings.options.profile)
      notice(
        `The environment also contains credentials (${kind}); without --profile they take precedence over this session.`,
      );
  } catch (error) {
    // The error affects the next commands, not this one.
    if (!(error instanceof CliError)) throw error;
    notice(`${error.message} Unset these variables, or the next commands fail without --profile.`);
  }
}
