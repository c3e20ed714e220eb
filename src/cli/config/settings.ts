/** Settings of commands and their origin: flag, environment, project, profile or default. */
import { trustVariable } from '../../lib/file-trust.ts';
import { usageError } from '../errors.ts';
import { findProfile, type Profile, type ProfileFile } from './profile.ts';
import type { ProjectFile } from './project-file.ts';
import { isSameBaseUrl } from './server-url.ts';

export interface GlobalOptions {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly output?: string;
  readonly query?: string;
  readonly columns?: string;
  readonly csvRaw?: boolean;
  readonly mask?: boolean;
  readonly timeout?: string;
  readonly maxWait?: string;
  readonly color?: string;
  readonly insecureHttp?: boolean;
  readonly proxy?: string;
  readonly caFile?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  readonly trustFolder?: readonly string[];
  readonly input?: boolean;
  readonly pager?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly debug?: boolean;
  readonly curl?: boolean;
}

export interface SettingDefinition {
  readonly key: string;
  readonly option?: keyof GlobalOptions;
  readonly environment: string;
  readonly profile?: keyof Profile;
  readonly fallback?: string;
  readonly secret?: boolean;
  /** Whether a project file may set it. */
  readonly project?: boolean;
  /** The strictest source applies, not the first: `true`, or the lowest number. */
  readonly strictest?: 'true' | 'lowest';
  readonly meaning: string;
}

export const settingDefinitions = [
  { key: 'profile', option: 'profile', environment: 'IAM_PROFILE', project: true, meaning: 'Profile to use' },
  {
    key: 'base-url',
    option: 'baseUrl',
    environment: 'IAM_BASE_URL',
    profile: 'baseUrl',
    fallback: 'http://127.0.0.1:8080',
    project: true,
    meaning: 'URL of the service',
  },
  {
    key: 'output',
    option: 'output',
    environment: 'IAM_OUTPUT',
    profile: 'output',
    fallback: 'table',
    project: true,
    meaning: 'Output format',
  },
  {
    key: 'timeout',
    option: 'timeout',
    environment: 'IAM_TIMEOUT',
    profile: 'timeout',
    fallback: '30',
    project: true,
    meaning: 'Timeout of a request in seconds',
  },
  {
    key: 'max-wait',
    option: 'maxWait',
    environment: 'IAM_MAX_WAIT',
    profile: 'maxWait',
    fallback: '10',
    project: true,
    meaning: 'Max seconds to wait for a busy server',
  },
  { key: 'client-id', environment: 'IAM_CLIENT_ID', profile: 'clientId', meaning: 'Client to sign in as' },
  {
    key: 'client-secret',
    environment: 'IAM_CLIENT_SECRET',
    profile: 'clientSecret',
    secret: true,
    meaning: 'Secret of the client',
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
  {
    key: 'read-only',
    environment: 'IAM_READ_ONLY',
    profile: 'readOnly',
    project: true,
    strictest: 'true',
    meaning: 'Reject every write (true or false)',
  },
  {
    key: 'protected',
    environment: 'IAM_PROTECTED',
    profile: 'protected',
    project: true,
    strictest: 'true',
    meaning: 'Confirm destructive commands by name (true or false)',
  },
  {
    key: 'max-changes',
    environment: 'IAM_MAX_CHANGES',
    profile: 'maxChanges',
    project: true,
    strictest: 'lowest',
    meaning: 'Max changes of one command',
  },
  {
    key: 'insecure-http',
    option: 'insecureHttp',
    environment: 'IAM_INSECURE_HTTP',
    fallback: 'false',
    meaning: 'Allow credentials over http to other hosts',
  },
  {
    key: 'proxy',
    option: 'proxy',
    environment: 'IAM_PROXY',
    profile: 'proxy',
    meaning: 'HTTP proxy',
  },
  {
    key: 'ca-file',
    option: 'caFile',
    environment: 'IAM_CA_FILE',
    profile: 'caFile',
    meaning: 'File of additional CA certificates',
  },
  {
    key: 'client-cert',
    option: 'clientCert',
    environment: 'IAM_CLIENT_CERT',
    profile: 'clientCert',
    meaning: 'File of the TLS client certificate',
  },
  {
    key: 'client-key',
    option: 'clientKey',
    environment: 'IAM_CLIENT_KEY',
    profile: 'clientKey',
    meaning: 'File of its private key',
  },
  {
    key: 'trust-folder',
    environment: trustVariable,
    meaning: 'Folders of other users to trust, with all below them',
  },
] as const satisfies readonly SettingDefinition[];

export type CliSettingKey = (typeof settingDefinitions)[number]['key'];

export interface SettingSources {
  readonly options: GlobalOptions;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly file: ProfileFile;
  /** The project file of the working directory. */
  readonly project?: ProjectFile | undefined;
}

export interface SettingValue {
  readonly value: string;
  readonly origin: string;
}

/** The origin of a value that nothing sets. */
export const defaultOrigin = 'default';

export function findSetting(key: string): SettingDefinition | undefined {
  return settingDefinitions.find((setting) => setting.key === key);
}

/** The settings of a run. Each setting is resolved on first use, once. */
export class CliSettings implements SettingSources {
  readonly options: GlobalOptions;
  readonly variables: SettingSources['variables'];
  readonly file: ProfileFile;
  readonly project: ProjectFile | undefined;
  /** The name of the profile in use and its origin. */
  readonly profileName: SettingValue | undefined;
  readonly #resolved = new Map<CliSettingKey, SettingValue | undefined>();

  constructor({ options, variables, file, project }: SettingSources) {
    this.options = options;
    this.variables = variables;
    this.file = file;
    this.project = project;
    this.profileName = resolveProfileName(this);
  }

  /** The profile in use; undefined if none is selected. @throws CliError (exit 2) if the selected one does not exist */
  get profile(): Profile | undefined {
    const name = this.profileName;
    if (!name) return undefined;
    const profile = findProfile(this.file, name.value);
    if (profile) return profile;
    if (name.origin === 'current profile') return undefined;
    throw usageError(
      `Profile ${JSON.stringify(name.value)} (${name.origin}) not found.`,
      'List profiles with `iam profile list`.',
    );
  }

  /** The value of a setting by precedence. A profile selected with a flag takes precedence over the environment. */
  get(key: CliSettingKey): SettingValue | undefined {
    if (this.#resolved.has(key)) return this.#resolved.get(key);
    const value = key === 'profile' ? this.profileName : resolveSetting(key, this);
    this.#resolved.set(key, value);
    return value;
  }

  /** Settings from other sources, which are resolved again. */
  with(changes: Partial<SettingSources>): CliSettings {
    return new CliSettings({ ...this, ...changes });
  }
}

/** The server that the project file selects in place of that of the user; undefined if it changes nothing. */
export function findProjectServer(settings: CliSettings): { readonly url: string; readonly own: string } | undefined {
  if (!settings.project) return undefined;
  const [url = '', own = ''] = [settings, settings.with({ project: undefined })].map(
    (one) => one.get('base-url')?.value,
  );
  return url === own || isSameBaseUrl(url, own) ? undefined : { url, own };
}

function resolveProfileName({ options, variables, file, project }: SettingSources): SettingValue | undefined {
  if (options.profile) return { value: options.profile, origin: '--profile' };
  if (variables.IAM_PROFILE) return { value: variables.IAM_PROFILE, origin: 'IAM_PROFILE' };
  if (project?.values.profile) return { value: project.values.profile, origin: project.path };
  return file.current ? { value: file.current, origin: 'current profile' } : undefined;
}

function resolveSetting(key: CliSettingKey, settings: CliSettings): SettingValue | undefined {
  const setting: SettingDefinition = findSetting(key) as SettingDefinition;
  const found = listValues(setting, settings);
  return setting.strictest ? selectStrictest(setting.strictest, found) : found[0];
}

/** All values of a setting, in order of precedence. */
function listValues(setting: SettingDefinition, settings: CliSettings): SettingValue[] {
  const { key, option, environment: variable, fallback } = setting;
  const { options, variables, project: projectFile, profileName } = settings;
  const flag = toSettingValue(option && options[option], `--${key}`);
  const environment = toSettingValue(variables[variable] || undefined, variable);
  const project = toSettingValue(projectFile?.values[key], projectFile?.path ?? '');
  const stored = setting.profile && settings.profile?.[setting.profile];
  const profile = toSettingValue(stored, `profile ${profileName?.value}`);
  const usual = toSettingValue(fallback, defaultOrigin);
  const between = options.profile ? [profile, environment, project] : [environment, project, profile];
  return [flag, ...between, usual].filter((value) => value !== undefined);
}

function toSettingValue(value: unknown, origin: string): SettingValue | undefined {
  return value === undefined || typeof value === 'object' ? undefined : { value: String(value), origin };
}

/** Every value except a clear no counts as true: a typing error must not disable a protection. */
function selectStrictest(rule: 'true' | 'lowest', found: readonly SettingValue[]): SettingValue | undefined {
  if (rule === 'lowest') return [...found].sort((a, b) => rank(a.value) - rank(b.value))[0];
  const isNo = ({ value }: SettingValue) => /^(false|no|off|0)$/i.test(value);
  const yes = found.find((one) => !isNo(one));
  return yes ? { ...yes, value: 'true' } : found[0] && { ...found[0], value: 'false' };
}

/** Invalid numbers sort first; they are reported when the setting is used. */
function rank(value: string): number {
  return /^\d+$/.test(value) ? Number(value) : -1;
}
