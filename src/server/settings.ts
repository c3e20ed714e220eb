/**
 * Every setting of the server in one table: its flag, the name it has in the environment, its kind, its default and its
 * words. Flags, environment, `iam serve --help` and docs/settings.md come from here; nothing else reads the environment.
 */
import {
  baseUrlFault,
  emailFault,
  idFault,
  isLoopback,
  originFault,
  passwordFault,
  userNameFault,
} from './setting-checks.ts';
import { environmentName, integer, type Setting, secret, text, toggle } from './setting-kinds.ts';
import { signingAlgorithms } from './tokens/keys.ts';

export { isLoopback } from './setting-checks.ts';
export type { Setting } from './setting-kinds.ts';

export const settingsTable = {
  host: text('host', 'Address to listen on; any but a loopback one needs --allow-remote', { default: '127.0.0.1' }),
  port: integer('port', 8080, [0, 65535], 'Port to listen on; 0 takes any free one'),
  data: text('data', 'Folder of the store; made where it is missing', { default: 'data/store' }),
  seed: text('seed', 'Seed document (YAML or JSON) applied at every start'),
  store: text('store', 'Where state lives: on disk, or in memory until the server stops', {
    default: 'file',
    values: ['file', 'memory'],
  }),
  signingAlg: text('signing-alg', 'Algorithm that tokens are signed with', {
    default: 'ES256',
    values: signingAlgorithms,
  }),
  baseUrl: text(
    'base-url',
    'URL under which callers reach the service; issuer and audience of its tokens. The address it listens on where missing',
    {
      check: baseUrlFault,
    },
  ),
  json: toggle('json', 'Print one line of JSON when ready, and nothing else on standard output'),
  resetAdmin: toggle('reset-admin', 'Give the administrator client and the administrator user new secrets'),
  tlsCert: text('tls-cert', 'Certificate chain in PEM; serves HTTPS together with --tls-key'),
  tlsKey: text('tls-key', 'Private key in PEM; serves HTTPS together with --tls-cert'),
  allowRemote: toggle('allow-remote', 'Allow an address that other machines reach'),
  clientTokenLifetime: integer('client-token-lifetime', 3600, [1, 86_400], 'Seconds that a token of a client lives'),
  expiresIn: text('expires-in', 'How expiresIn is told: the seconds left, or the epoch second of expiry', {
    default: 'seconds',
    values: ['seconds', 'epoch'],
  }),
  softErrors: toggle(
    'soft-errors',
    'Answer 400, 412 and 422 with 200 and the error array where the interface documents that',
  ),
  corsOrigins: {
    kind: 'list' as const,
    name: 'cors-origins',
    environment: environmentName('cors-origins'),
    description: 'Origins whose pages may call, separated by commas; any loopback origin where missing',
    flag: true,
    default: [] as readonly string[],
    check: originFault,
  },
  bodyLimit: integer('body-limit', 1_000_000, [1_000, 100_000_000], 'Longest body taken, in bytes'),
  requestTimeout: integer('request-timeout', 30, [1, 3600], 'Seconds within which a request must have arrived'),
  maxConnections: integer('max-connections', 2000, [1, 100_000], 'Connections held at the same time'),
  logLevel: text('log-level', 'What goes to standard error', {
    default: 'warn',
    values: ['silent', 'error', 'warn', 'info', 'debug'],
  }),
  adminClientId: secret(
    'IAM_ADMIN_CLIENT_ID',
    'Id of the administrator client; made at the first start where missing',
    idFault,
  ),
  adminClientSecret: secret(
    'IAM_ADMIN_CLIENT_SECRET',
    'Secret of the administrator client; made at the first start where missing',
  ),
  appClientId: secret(
    'IAM_APP_CLIENT_ID',
    'Id of the application client for user logins; made at the first start where missing',
    idFault,
  ),
  adminUser: secret('IAM_ADMIN_USER', 'User name of the administrator user; admin where missing', userNameFault),
  adminEmail: secret(
    'IAM_ADMIN_EMAIL',
    'E-mail of the administrator user; IAM_ADMIN_USER where that is one',
    emailFault,
  ),
  adminPassword: secret(
    'IAM_ADMIN_PASSWORD',
    'Password of the administrator user; made at the first start where missing',
    passwordFault,
  ),
} satisfies Record<string, Setting>;

type Table = typeof settingsTable;
export type SettingKey = keyof Table;

type ValueOf<S> = S extends { kind: 'integer' }
  ? number
  : S extends { kind: 'boolean' }
    ? boolean
    : S extends { kind: 'list' }
      ? readonly string[]
      : S extends { kind: 'text'; values?: readonly (infer V extends string)[] }
        ? string extends V
          ? S extends { default: string }
            ? string
            : string | undefined
          : V
        : never;

export type Settings = { readonly [Key in SettingKey]: ValueOf<Table[Key]> };

/** A value that can't be used, in words for the person who gave it. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

type Given = Readonly<Record<string, string | boolean | undefined>>;

/** What a seed document says of settings, by flag name. */
type Seeded = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * Settings from flags (by flag name), then the environment, then the seed, then the defaults.
 * @throws SettingError naming the flag, variable or key and what it takes.
 */
export function readSettings(
  flags: Given,
  environment: Readonly<Record<string, string | undefined>>,
  seeded: Seeded = {},
): Settings {
  for (const name of Object.keys(seeded)) requireSeedable(name);
  const entries = Object.entries(settingsTable).map(([key, setting]) => [
    key,
    readOne(setting, flags, environment, seeded),
  ]);
  const settings = Object.fromEntries(entries) as Settings;
  requireFitting(settings);
  return settings;
}

function requireSeedable(name: string): void {
  const setting = Object.values<Setting>(settingsTable).find((one) => one.name === name);
  if (!setting) throw new SettingError(`settings.${name} in the seed: there is no such setting`);
  if (!setting.flag)
    throw new SettingError(
      `settings.${name} in the seed: it is taken from the environment only, as ${setting.environment}`,
    );
}

function readOne(
  setting: Setting,
  flags: Given,
  environment: Readonly<Record<string, string | undefined>>,
  seeded: Seeded,
) {
  const flag = setting.flag ? flags[setting.name] : undefined;
  if (flag !== undefined) return parse(setting, String(flag), `--${setting.name}`);
  const variable = environment[setting.environment];
  if (variable !== undefined && variable !== '') return parse(setting, variable, setting.environment);
  const fromSeed = seeded[setting.name];
  return fromSeed === undefined
    ? setting.default
    : parse(setting, String(fromSeed), `settings.${setting.name} in the seed`);
}

function parse(setting: Setting, value: string, origin: string): string | number | boolean | readonly string[] {
  switch (setting.kind) {
    case 'integer': {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= setting.least && number <= setting.most) return number;
      throw new SettingError(
        `${origin} takes a whole number from ${setting.least} to ${setting.most}, not ${JSON.stringify(value)}`,
      );
    }
    case 'boolean':
      if (['true', '1', 'yes'].includes(value)) return true;
      if (['false', '0', 'no'].includes(value)) return false;
      throw new SettingError(`${origin} takes true or false, not ${JSON.stringify(value)}`);
    case 'list':
      return parseList(setting, value, origin);
    case 'text':
      return parseText(setting, value, origin);
  }
}

function parseList(setting: Setting & { kind: 'list' }, value: string, origin: string): readonly string[] {
  const items = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const item of items) {
    const reason = setting.check?.(item);
    if (reason !== undefined) throw new SettingError(`${origin} ${reason}, not ${JSON.stringify(item)}`);
  }
  return items;
}

function parseText(setting: Setting & { kind: 'text' }, value: string, origin: string): string {
  if (value === '') throw new SettingError(`${origin} must not be empty`);
  const shown = setting.flag ? `, not ${JSON.stringify(value)}` : '';
  if (setting.values && !setting.values.includes(value))
    throw new SettingError(`${origin} takes one of ${setting.values.join(', ')}${shown}`);
  const reason = setting.check?.(value);
  if (reason !== undefined) throw new SettingError(`${origin} ${reason}${shown}`);
  return value;
}

function requireFitting(settings: Settings): void {
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined))
    throw new SettingError('--tls-cert and --tls-key go together: give both or neither');
  if (!settings.allowRemote && !isLoopback(settings.host))
    throw new SettingError(
      `--host ${settings.host} can be reached from other machines; add --allow-remote if that is meant`,
    );
}
