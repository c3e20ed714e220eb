/** Every value that a command takes from around it, and where it came from: flag, environment, profile, default. */
import { usageError } from './failures.ts';
import type { Profile, ProfileFile } from './profile.ts';

/** The options that every command has. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly output?: string;
  readonly query?: string;
  readonly columns?: string;
  readonly timeout?: string;
  readonly maxWait?: string;
  readonly color?: string;
  readonly input?: boolean;
  readonly quiet?: boolean;
  readonly debug?: boolean;
}

interface SettingName {
  readonly key: string;
  readonly option?: keyof GlobalOptions;
  readonly environment: string;
  readonly profile?: keyof Profile;
  readonly fallback?: string;
  readonly secret?: boolean;
  readonly meaning: string;
}

export const settingNames = [
  { key: 'profile', option: 'profile', environment: 'IAM_PROFILE', meaning: 'Profile to use' },
  {
    key: 'base-url',
    option: 'baseUrl',
    environment: 'IAM_BASE_URL',
    profile: 'baseUrl',
    fallback: 'http://127.0.0.1:8080',
    meaning: 'Where the service is',
  },
  {
    key: 'output',
    option: 'output',
    environment: 'IAM_OUTPUT',
    profile: 'output',
    fallback: 'table',
    meaning: 'Output format',
  },
  {
    key: 'timeout',
    option: 'timeout',
    environment: 'IAM_TIMEOUT',
    profile: 'timeout',
    fallback: '30',
    meaning: 'Seconds to wait for an answer',
  },
  {
    key: 'max-wait',
    option: 'maxWait',
    environment: 'IAM_MAX_WAIT',
    fallback: '10',
    meaning: 'Seconds to wait in all for a busy server',
  },
  { key: 'client-id', environment: 'IAM_CLIENT_ID', profile: 'clientId', meaning: 'Client to sign in as' },
  {
    key: 'client-secret',
    environment: 'IAM_CLIENT_SECRET',
    profile: 'clientSecret',
    secret: true,
    meaning: 'Its secret',
  },
  { key: 'username', environment: 'IAM_USERNAME', meaning: 'User to sign in as, through the client' },
  { key: 'password', environment: 'IAM_PASSWORD', secret: true, meaning: 'Password of the user' },
  {
    key: 'token',
    environment: 'IAM_TOKEN',
    profile: 'token',
    secret: true,
    meaning: 'Access token, instead of a client',
  },
  {
    key: 'api-key',
    environment: 'IAM_API_KEY',
    profile: 'apiKey',
    secret: true,
    meaning: 'API key, instead of a client',
  },
] as const satisfies readonly SettingName[];

export type SettingKey = (typeof settingNames)[number]['key'];

export interface Sources {
  readonly options: GlobalOptions;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly file: ProfileFile;
}

export interface Value {
  readonly value: string;
  readonly origin: string;
}

/** The setting of that name. */
export function settingOf(key: string): SettingName | undefined {
  return settingNames.find((setting) => setting.key === key);
}

/** Name of the profile in use, and who chose it. */
export function profileName({ options, variables, file }: Sources): Value | undefined {
  if (options.profile) return { value: options.profile, origin: '--profile' };
  if (variables.IAM_PROFILE) return { value: variables.IAM_PROFILE, origin: 'IAM_PROFILE' };
  return file.current ? { value: file.current, origin: 'current profile' } : undefined;
}

/** The profile in use; a chosen one that is not there is a mistake, none at all is not. */
export function chosenProfile(sources: Sources): Profile | undefined {
  const name = profileName(sources);
  if (!name) return undefined;
  if (Object.hasOwn(sources.file.profiles, name.value)) return sources.file.profiles[name.value];
  if (name.origin === 'current profile') return undefined;
  throw usageError(
    `There is no profile ${JSON.stringify(name.value)} (${name.origin}).`,
    'See `iam profile list` for those there are.',
  );
}

/** The value of a setting by precedence. A profile named by flag goes before the environment: flags do. */
export function resolve(key: SettingKey, sources: Sources): Value | undefined {
  if (key === 'profile') return profileName(sources);
  const setting: SettingName = settingOf(key) as SettingName;
  const flag = setting.option === undefined ? undefined : sources.options[setting.option];
  if (typeof flag === 'string') return { value: flag, origin: `--${key}` };
  const stored = setting.profile === undefined ? undefined : chosenProfile(sources)?.[setting.profile];
  const profile =
    stored === undefined ? undefined : { value: String(stored), origin: `profile ${profileName(sources)?.value}` };
  const variable = sources.variables[setting.environment];
  const environment = variable ? { value: variable, origin: setting.environment } : undefined;
  const fallback = setting.fallback === undefined ? undefined : { value: setting.fallback, origin: 'default' };
  return (sources.options.profile ? (profile ?? environment) : (environment ?? profile)) ?? fallback;
}
