/** Who the commands act as, and where the credentials come from. */
import { signInNeeded } from './failures.ts';
import type { Profile } from './profile.ts';
import { withoutUserInfo } from './redact.ts';
import { chosenProfile, profileName, resolve, type Sources } from './settings.ts';

/**
 * How to sign in: a token goes before an API key, that before a user, that before a client; all from one place, never
 * mixed. `session` is what `iam login` left in a profile.
 */
export interface SignIn {
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
export function signIn(sources: Sources): SignIn {
  const profile = chosenProfile(sources);
  const stored = profile && profileSignIn(profile, profileName(sources)?.value ?? '');
  const fromEnvironment = environmentSignIn(sources, stored?.kind === 'session');
  const [first, second] = sources.options.profile ? [stored, fromEnvironment] : [fromEnvironment, stored];
  const found = first ?? second;
  if (profile && found && found === stored) requireOwnServer(sources, profile);
  return found ?? { kind: 'none', origin: 'nowhere' };
}

/** What the environment says; a client without its secret says nothing where a session is there. */
export function environmentSignIn(sources: Sources, hasSession = false): SignIn | undefined {
  const {
    IAM_TOKEN: token,
    IAM_API_KEY: apiKey,
    IAM_USERNAME: userName,
    IAM_PASSWORD: password,
    IAM_CLIENT_ID: clientId,
    IAM_CLIENT_SECRET: clientSecret,
  } = sources.variables;
  const origin = 'the environment';
  if (token || apiKey) return ready({ token, apiKey }, origin);
  if (userName && password) return environmentUser(sources, { userName, password, clientSecret }, origin);
  if (hasSession && !clientSecret) return undefined;
  return ready({ clientId, clientSecret }, origin);
}

function environmentUser(
  sources: Sources,
  user: Pick<SignIn, 'userName' | 'password' | 'clientSecret'>,
  origin: string,
): SignIn {
  const clientId = resolve('client-id', sources)?.value;
  if (clientId) return { kind: 'user', ...user, clientId, origin };
  throw signInNeeded(
    `The client that ${user.userName} logs in through is missing.`,
    'Set IAM_CLIENT_ID, or use a profile that names one.',
  );
}

function profileSignIn(profile: Profile, name: string): SignIn | undefined {
  const origin = `profile ${name}`;
  const { session, clientId, clientSecret } = profile;
  if (!session) return ready(profile, origin, name);
  const secret = clientId === session.clientId ? clientSecret : undefined;
  return { kind: 'session', ...session, clientSecret: secret, origin, profile: name };
}

type Given = Pick<SignIn, 'token' | 'apiKey' | 'clientId' | 'clientSecret'>;

function ready({ token, apiKey, clientId, clientSecret }: Given, origin: string, profile?: string): SignIn | undefined {
  if (token) return { kind: 'token', token, origin, profile };
  if (apiKey) return { kind: 'api-key', apiKey, origin, profile };
  if (clientId && clientSecret) return { kind: 'client', clientId, clientSecret, origin, profile };
  if (!clientId && !clientSecret) return undefined;
  // A profile that only names a client is there to log in through it.
  if (profile !== undefined && clientId) return undefined;
  throw signInNeeded(
    `The client's ${clientId ? 'secret' : 'id'} is missing in ${origin}.`,
    'Give both IAM_CLIENT_ID and IAM_CLIENT_SECRET, or use a profile.',
  );
}

/** @throws CliError where the server in use is another than that of the profile. */
export function requireOwnServer(sources: Sources, profile: Profile): void {
  const target = resolve('base-url', sources);
  if (!target || !URL.canParse(target.value) || !URL.canParse(profile.baseUrl)) return;
  if (new URL(target.value).origin === new URL(profile.baseUrl).origin) return;
  throw signInNeeded(
    `The credentials of the profile are for ${withoutUserInfo(profile.baseUrl)}, not for ${withoutUserInfo(target.value)} (${target.origin}).`,
    'Add a profile for this server, or give credentials in the environment.',
  );
}
