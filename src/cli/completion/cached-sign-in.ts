/**
 * What a look at the server may sign in with: a token that is there already. Nobody is logged in for a completion, no
 * token is renewed, and no credential but that one is within its reach.
 */
import { baseUrlOf } from '../runtime/connection.ts';
import type { Environment } from '../runtime/io.ts';
import { expiryMargin, readSession } from '../runtime/session-file.ts';
import { profileName, resolve, type SettingName, type Sources, settingNames } from '../runtime/settings.ts';
import { type SignIn, signIn } from '../runtime/sign-in.ts';

type Variables = Environment['variables'];

export interface Caller {
  readonly baseUrl: string;
  readonly found: SignIn;
  /** Tells the caller and the server from all others. */
  readonly owner: readonly unknown[];
}

/** Who asks whom. @throws CliError where a setting is wrong, or leads to a server that is not trusted */
export function callerOf(sources: Sources): Caller {
  const baseUrl = baseUrlOf(sources);
  const found = signIn(sources);
  const { kind, token, apiKey, clientId, userName } = found;
  return { baseUrl, found, owner: [profileName(sources)?.value, baseUrl, kind, token, apiKey, clientId, userName] };
}

const credentials = ['username', 'password', 'client-id', 'client-secret', 'token', 'api-key'];
const ways = ['base-url', 'insecure-http', 'proxy', 'ca-file', 'client-cert', 'client-key'];

/** The variables of a command that only looks: the same way to the server, and the token. Nothing where there is no token. */
export async function lookingVariables(
  { baseUrl, found }: Caller,
  sources: Sources,
  environment: Environment,
): Promise<Variables | undefined> {
  const credential = await credentialOf(found, baseUrl, environment);
  if (!credential) return undefined;
  const settings: readonly SettingName[] = settingNames;
  const hidden = settings.filter(({ key }) => credentials.includes(key)).map((setting) => [setting.environment, '']);
  const way = settings.flatMap((setting) => {
    const value = ways.includes(setting.key) ? resolve(setting.key as 'proxy', sources)?.value : undefined;
    return value === undefined ? [] : [[setting.environment, value]];
  });
  return {
    ...environment.variables,
    ...Object.fromEntries([...hidden, ...way]),
    IAM_PROFILE: profileName(sources)?.value ?? '',
    ...credential,
  };
}

/** The credential as a variable; none at all is one where nobody is signed in, since some lists are open. */
async function credentialOf(found: SignIn, baseUrl: string, environment: Environment): Promise<Variables | undefined> {
  if (found.kind === 'none') return {};
  if (found.kind === 'api-key') return { IAM_API_KEY: found.apiKey };
  const token = found.kind === 'token' ? found.token : await keptToken(found, baseUrl, environment);
  return token === undefined ? undefined : { IAM_TOKEN: token };
}

async function keptToken(found: SignIn, baseUrl: string, environment: Environment): Promise<string | undefined> {
  if (found.kind === 'session') return sessionToken(found, baseUrl, environment);
  if (found.kind !== 'client') return undefined;
  const { tokenCache } = await import('../runtime/token-cache.ts');
  return tokenCache(baseUrl, found, environment).read();
}

async function sessionToken(
  { profile = '', clientId, userName }: SignIn,
  baseUrl: string,
  { variables, now }: Environment,
): Promise<string | undefined> {
  const kept = await readSession(profile, variables);
  const isOurs = kept?.baseUrl === baseUrl && kept.clientId === clientId && kept.userName === userName;
  return isOurs && kept.expiresAt - expiryMargin > now() ? kept.accessToken : undefined;
}
