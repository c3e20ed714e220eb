/** Who the commands act as, and where the credentials come from. */
import { signInNeededError } from './errors.ts';
import type { Profile } from './profile.ts';
import { stripUserInfo } from './redact.ts';
import { isSameOrigin, isSameServer } from './server-url.ts';
import {
  resolveProfile,
  resolveProfileName,
  resolveSetting,
  type SettingDefinition,
  type SettingSources,
  settingDefinitions,
} from './settings.ts';

/**
 * How to sign in: a token goes before an API key, that before a user, that before a client; all from one place, never
 * mixed. `session` is what `iam login` left in a profile.
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
  /** Name of the profile that it is from: only what a profile holds anyway may be kept between runs. */
  readonly profile?: string | undefined;
}

/** The credentials in use. Those of a profile are for the profile's own server and for no other. */
export function resolveCredentials(sources: SettingSources): ResolvedCredentials {
  const profile = resolveProfile(sources);
  const stored = profile && resolveProfileCredentials(profile, resolveProfileName(sources)?.value ?? '');
  const fromEnvironment = resolveEnvironmentCredentials(sources, stored?.kind === 'session');
  const [first, second] = sources.options.profile ? [stored, fromEnvironment] : [fromEnvironment, stored];
  const found = first ?? second;
  if (profile && found && found === stored) assertProfileServer(sources, profile);
  if (found && found === fromEnvironment) assertOwnTarget(sources);
  return found ?? { kind: 'none', origin: 'nowhere' };
}

/** Whether the environment holds a secret, complete credentials or not. */
export function hasEnvironmentSecret({ variables }: SettingSources): boolean {
  const settings: readonly SettingDefinition[] = settingDefinitions;
  return settings.some(({ secret, environment }) => secret && variables[environment]);
}

/** What the environment says; a client without its secret says nothing where a session is there. */
export function resolveEnvironmentCredentials(
  sources: SettingSources,
  hasSession = false,
): ResolvedCredentials | undefined {
  const {
    IAM_TOKEN: token,
    IAM_API_KEY: apiKey,
    IAM_USERNAME: userName,
    IAM_PASSWORD: password,
    IAM_CLIENT_ID: clientId,
    IAM_CLIENT_SECRET: clientSecret,
  } = sources.variables;
  const origin = 'the environment';
  if (token || apiKey) return toCredentials({ token, apiKey }, origin);
  if (userName && password) return resolveEnvironmentUser(sources, { userName, password, clientSecret }, origin);
  if (hasSession && !clientSecret) return undefined;
  return toCredentials({ clientId, clientSecret }, origin);
}

function resolveEnvironmentUser(
  sources: SettingSources,
  user: Pick<ResolvedCredentials, 'userName' | 'password' | 'clientSecret'>,
  origin: string,
): ResolvedCredentials {
  const clientId = resolveSetting('client-id', sources)?.value;
  if (clientId) return { kind: 'user', ...user, clientId, origin };
  throw signInNeededError(
    `The client that ${user.userName} logs in through is missing.`,
    'Set IAM_CLIENT_ID, or use a profile that names one.',
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
  // A profile that only names a client is there to log in through it.
  if (profile !== undefined && clientId) return undefined;
  throw signInNeededError(
    `The client's ${clientId ? 'secret' : 'id'} is missing in ${origin}.`,
    'Give both IAM_CLIENT_ID and IAM_CLIENT_SECRET, or use a profile.',
  );
}

/** @throws CliError where the server in use is another than that of the profile. */
export function assertProfileServer(sources: SettingSources, profile: Profile): void {
  const target = resolveSetting('base-url', sources);
  if (!target || !URL.canParse(target.value) || !URL.canParse(profile.baseUrl)) return;
  // Several services can be behind one host: a project does not choose among those for the user.
  const isOwn = target.origin === sources.project?.path ? isSameServer : isSameOrigin;
  if (isOwn(target.value, profile.baseUrl)) return;
  throw signInNeededError(
    `The credentials of the profile are for ${stripUserInfo(profile.baseUrl)}, not for ${stripUserInfo(target.value)} (${target.origin}).`,
    'Add a profile for this server, or give credentials in the environment.',
  );
}

/**
 * Credentials of the environment belong to the server that the user chose. The file of a project comes from others, so
 * it does not send them elsewhere: neither by a URL nor by the name of a profile.
 * @throws CliError where the server in use is another than it would be without that file
 */
export function assertOwnTarget(sources: SettingSources): void {
  const { project, ...own } = sources;
  const target = resolveSetting('base-url', sources)?.value ?? '';
  if (!project || target === resolveSetting('base-url', own)?.value) return;
  if (isSameServer(target, resolveSetting('base-url', own)?.value ?? '')) return;
  const server = stripUserInfo(target);
  throw signInNeededError(
    `${project.path} chooses the server ${server}, and credentials in the environment do not go where a project file says; none were sent.`,
    `If they are for that server, say so with --base-url ${server} or IAM_BASE_URL. If not, unset them.`,
  );
}
