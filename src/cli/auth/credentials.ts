/** Resolves the credentials of commands and their origin. */

import type { Profile } from '../config/profile.ts';
import { isSameBaseUrl, isSameOrigin, isSameServer, stripUserInfo } from '../config/server-url.ts';
import { type CliSettings, findProjectServer, type SettingDefinition, settingDefinitions } from '../config/settings.ts';
import { signInNeededError } from '../errors.ts';

/**
 * The credentials in use. Precedence: token, API key, user, client; all from one source, never
 * mixed. `session` was stored in a profile by `iam login`.
 */
export interface ResolvedCredentials {
  readonly kind: 'token' | 'api-key' | 'user' | 'client' | 'session' | 'none';
  readonly token?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly userName?: string | undefined;
  readonly password?: string | undefined;
  readonly origin: string;
  /** The profile of the credentials: tokens are cached on disk only for credentials that a profile stores. */
  readonly profile?: string | undefined;
}

/** The origin of credentials that no profile stores. */
export const environmentOrigin = 'the environment';

export const noCredentials: ResolvedCredentials = { kind: 'none', origin: 'none' };

/** Resolves the credentials in use. Those of a profile are sent only to the profile's server. */
export function resolveCredentials(settings: CliSettings): ResolvedCredentials {
  const profile = settings.profile;
  const stored = profile && resolveProfileCredentials(profile, settings.profileName?.value ?? '');
  const fromEnvironment = resolveEnvironmentCredentials(settings, stored?.kind === 'session');
  const [first, second] = settings.options.profile ? [stored, fromEnvironment] : [fromEnvironment, stored];
  const found = first ?? second;
  if (profile && found && found === stored)
    assertProfileServer(settings, profile, { forSession: found.kind === 'session' });
  if (found && found === fromEnvironment) assertOwnTarget(settings);
  return found ?? noCredentials;
}

/** Whether the environment contains a secret, even if the credentials are incomplete. */
export function hasEnvironmentSecret({ variables }: CliSettings): boolean {
  const settings: readonly SettingDefinition[] = settingDefinitions;
  return settings.some(({ secret, environment }) => secret && variables[environment]);
}

/** Resolves credentials from the environment. A client without a secret is ignored if a session exists. */
export function resolveEnvironmentCredentials(
  settings: CliSettings,
  hasSession = false,
): ResolvedCredentials | undefined {
  const {
    IAM_TOKEN: token,
    IAM_API_KEY: apiKey,
    IAM_USERNAME: userName,
    IAM_PASSWORD: password,
    IAM_CLIENT_ID: clientId,
    IAM_CLIENT_SECRET: clientSecret,
  } = settings.variables;
  const origin = environmentOrigin;
  if (token || apiKey) return toCredentials({ token, apiKey }, origin);
  if (userName && password) return resolveEnvironmentUser(settings, { userName, password, clientSecret }, origin);
  if (hasSession && !clientSecret) return undefined;
  return toCredentials({ clientId, clientSecret }, origin);
}

function resolveEnvironmentUser(
  settings: CliSettings,
  user: Pick<ResolvedCredentials, 'userName' | 'password' | 'clientSecret'>,
  origin: string,
): ResolvedCredentials {
  const clientId = settings.get('client-id')?.value;
  if (clientId) return { kind: 'user', ...user, clientId, origin };
  throw signInNeededError(
    `The client for the login of ${user.userName} is missing.`,
    'Set IAM_CLIENT_ID, or use a profile with a client.',
  );
}

function resolveProfileCredentials(profile: Profile, name: string): ResolvedCredentials | undefined {
  const origin = `profile ${name}`;
  const { session, clientId, clientSecret } = profile;
  if (!session) return toCredentials(profile, origin, name);
  const secret = clientId === session.clientId ? clientSecret : undefined;
  return { kind: 'session', ...session, clientSecret: secret, origin, profile: name };
}

type CredentialFields = Pick<ResolvedCredentials, 'token' | 'apiKey' | 'clientId' | 'clientSecret'>;

function toCredentials(
  { token, apiKey, clientId, clientSecret }: CredentialFields,
  origin: string,
  profile?: string,
): ResolvedCredentials | undefined {
  if (token) return { kind: 'token', token, origin, profile };
  if (apiKey) return { kind: 'api-key', apiKey, origin, profile };
  if (clientId && clientSecret) return { kind: 'client', clientId, clientSecret, origin, profile };
  if (!clientId && !clientSecret) return undefined;
  // A profile with only a client id is for user logins.
  if (profile !== undefined && clientId) return undefined;
  throw signInNeededError(
    `The client's ${clientId ? 'secret' : 'id'} is missing in ${origin}.`,
    'Set both IAM_CLIENT_ID and IAM_CLIENT_SECRET, or use a profile.',
  );
}

export interface ProfileServerOptions {
  /** A session is of one service, and a profile stores one session. */
  readonly forSession?: boolean;
  /** What else the user can do, for the hint. */
  readonly alternative?: string;
}

/** @throws CliError if the server in use is not the server of the profile */
export function assertProfileServer(
  settings: CliSettings,
  profile: Profile,
  { forSession = false, alternative = ', or set credentials in the environment' }: ProfileServerOptions = {},
): void {
  const target = settings.get('base-url');
  if (!target || !URL.canParse(target.value) || !URL.canParse(profile.baseUrl)) return;
  // One host can serve several services; a project file must not select another one.
  const isOwnCredential = target.origin === settings.project?.path ? isSameServer : isSameOrigin;
  if ((forSession ? isSameBaseUrl : isOwnCredential)(target.value, profile.baseUrl)) return;
  const use = forSession ? 'sign in with `iam login --profile NAME`' : 'select it with --profile NAME';
  throw signInNeededError(
    `The credentials of the profile are for ${stripUserInfo(profile.baseUrl)}, not for ${stripUserInfo(target.value)} (${target.origin}); none were sent.`,
    `Add a profile for this server with \`iam profile add NAME --base-url ${stripUserInfo(target.value)}\`, and ${use}${alternative}.`,
  );
}

/**
 * Credentials from the environment are for the server that the user chose. A project file is not trusted, so
 * it must not redirect them with a URL or a profile name.
 * @throws CliError if the project file changes the server in use
 */
export function assertOwnTarget(settings: CliSettings): void {
  const selected = findProjectServer(settings);
  if (!selected || isSameServer(selected.url, selected.own)) return;
  const server = stripUserInfo(selected.url);
  throw signInNeededError(
    `${settings.project?.path} selects the server ${server}. Credentials from the environment are not sent to a server that a project file selects; none were sent.`,
    `If they are for that server, confirm it with --base-url ${server} or IAM_BASE_URL. Otherwise unset them.`,
  );
}
