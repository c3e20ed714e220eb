/** Reads the settings from flags, environment and seed. Errors name the origin of an invalid value. */

import { readSecretFiles } from '../../contract/secret-files.ts';
import { SettingError } from './setting-error.ts';
import type { Setting } from './setting-types.ts';
import { settingsTable } from './settings-table.ts';
import { isLoopbackHost } from './validators.ts';

export { SettingError } from './setting-error.ts';
export type { Setting } from './setting-types.ts';
export { settingsTable } from './settings-table.ts';

type Table = typeof settingsTable;
export type SettingKey = keyof Table;

type ValueOf<S> = S extends { kind: 'integer'; default: infer Default extends number | undefined }
  ? Extract<Default, undefined> | number
  : S extends { kind: 'boolean' }
    ? boolean
    : S extends { kind: 'list' }
      ? readonly string[]
      : S extends { kind: 'text'; values?: readonly (infer Value extends string)[] }
        ? S extends { kind: 'text'; default?: never }
          ? Value | undefined
          : Value
        : never;

export type Settings = { readonly [Key in SettingKey]: ValueOf<Table[Key]> };

/** Environment variables by name. */
export type SettingsEnvironment = Readonly<Record<string, string | undefined>>;

/** Adds the secrets of files to the environment. @param read reads a file as text @throws SettingError */
export function withSecretFiles(environment: SettingsEnvironment, read: (file: string) => string): SettingsEnvironment {
  return readSecretFiles(Object.values<Setting>(settingsTable), environment, {
    read,
    createError: (message) => new SettingError(message),
  });
}

/** Flags by name without dashes. */
export type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

/** Settings of a seed document, by flag name. */
type SeedSettings = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** How messages name the origin of a value. */
export interface SettingOrigins {
  flag(name: string): string;
  variable(name: string): string;
}

const commandOrigins: SettingOrigins = { flag: (name) => `--${name}`, variable: (name) => name };

/**
 * Settings from flags (by flag name), then the environment, then the seed, then the defaults.
 * @throws SettingError naming the flag, variable or key and the valid values.
 */
export function readSettings(
  flags: FlagValues,
  environment: SettingsEnvironment,
  seedSettings: SeedSettings = {},
  origins: SettingOrigins = commandOrigins,
): Settings {
  for (const name of Object.keys(seedSettings)) assertSeedable(name);
  const entries = Object.entries(settingsTable).map(([key, setting]) => [
    key,
    readSetting(setting, flags, environment, seedSettings, origins),
  ]);
  const settings = Object.fromEntries(entries) as Settings;
  assertConsistent(settings, origins);
  return settings;
}

/** The path of the seed. The other settings can be in it, so they cannot be read before. @throws SettingError */
export function readSeedSetting(flags: FlagValues, environment: SettingsEnvironment): string | undefined {
  const value = readSetting(settingsTable.seed, flags, environment, {});
  return value === undefined ? undefined : String(value);
}

/**
 * Whether a setting of a seed equals that of a running server. @throws SettingError for an unknown setting or a value that
 * is not valid.
 */
export function isCurrentSetting(name: string, value: SeedSettings[string], current: Settings): boolean {
  assertSeedable(name);
  const [key, setting] = Object.entries<Setting>(settingsTable).find(([, one]) => one.name === name) ?? [];
  if (key === undefined || setting === undefined) return false;
  const wanted = readSetting(setting, {}, {}, { [name]: value });
  return JSON.stringify(wanted) === JSON.stringify(current[key as SettingKey]);
}

function assertSeedable(name: string): void {
  const setting = Object.values<Setting>(settingsTable).find((one) => one.name === name);
  if (!setting) throw new SettingError(`settings.${name} in the seed: unknown setting`);
  if (!setting.flag)
    throw new SettingError(`settings.${name} in the seed: set it in the environment as ${setting.environment}`);
}

function readSetting(
  setting: Setting,
  flags: FlagValues,
  environment: SettingsEnvironment,
  seedSettings: SeedSettings,
  origins = commandOrigins,
) {
  const flag = setting.flag ? flags[setting.name] : undefined;
  if (flag !== undefined) return parseSetting(setting, String(flag), origins.flag(setting.name));
  const variable = environment[setting.environment];
  if (variable !== undefined && variable !== '')
    return parseSetting(setting, variable, origins.variable(setting.environment));
  const fromSeed = seedSettings[setting.name];
  return fromSeed === undefined
    ? setting.default
    : parseSetting(setting, String(fromSeed), `settings.${setting.name} in the seed`);
}

function parseSetting(setting: Setting, value: string, origin: string): string | number | boolean | readonly string[] {
  switch (setting.kind) {
    case 'integer': {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= setting.least && number <= setting.most) return number;
      throw new SettingError(
        `${origin} must be a whole number from ${setting.least} to ${setting.most}, not ${JSON.stringify(value)}`,
      );
    }
    case 'boolean':
      if (['true', '1', 'yes'].includes(value)) return true;
      if (['false', '0', 'no'].includes(value)) return false;
      throw new SettingError(`${origin} must be true or false, not ${JSON.stringify(value)}`);
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
  // An empty list from unset shell variables must not widen access.
  if (items.length === 0) throw new SettingError(`${origin} must not be empty`);
  for (const item of items) {
    const reason = setting.check?.(item);
    if (reason !== undefined) throw new SettingError(`${origin} ${reason}, not ${JSON.stringify(item)}`);
  }
  return items;
}

function parseText(setting: Setting & { kind: 'text' }, value: string, origin: string): string {
  if (value === '') throw new SettingError(`${origin} must not be empty`);
  const valueSuffix = setting.flag && !setting.isSensitive ? `, not ${JSON.stringify(value)}` : '';
  if (setting.values && !setting.values.includes(value))
    throw new SettingError(`${origin} must be one of ${setting.values.join(', ')}${valueSuffix}`);
  const reason = setting.check?.(value);
  if (reason !== undefined) throw new SettingError(`${origin} ${reason}${valueSuffix}`);
  return value;
}

/** Whether callers may inject faults and use test recipients; off by default if remote callers are allowed. */
export function hasTestFeatures({
  testFeatures,
  allowRemote,
}: Pick<Settings, 'testFeatures' | 'allowRemote'>): boolean {
  return testFeatures === 'auto' ? !allowRemote : testFeatures === 'on';
}

/** Whose ids the server accepts: those of all callers, unless other machines can reach it. */
export function resolveChosenIds({
  chosenIds,
  allowRemote,
}: Pick<Settings, 'chosenIds' | 'allowRemote'>): 'all' | 'proven' {
  return chosenIds ?? (allowRemote ? 'proven' : 'all');
}

export const remoteSessionsPerUser = 100;

/** The maximum number of sessions of a user with one client; undefined if there is none. */
export function resolveSessionsPerUser({
  sessionsPerUser,
  allowRemote,
}: Pick<Settings, 'sessionsPerUser' | 'allowRemote'>): number | undefined {
  const resolved = sessionsPerUser ?? (allowRemote ? remoteSessionsPerUser : 0);
  return resolved === 0 ? undefined : resolved;
}

function assertConsistent(settings: Settings, { flag }: SettingOrigins): void {
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined))
    throw new SettingError(`${flag('tls-cert')} and ${flag('tls-key')} must be set together`);
  if (settings.loginCertificates === 'tls' && settings.tlsCert === undefined)
    throw new SettingError(`${flag('login-certificates')} tls requires ${flag('tls-cert')}`);
  if (settings.loginCertificates === 'proxy' && settings.trustedProxies.length === 0)
    throw new SettingError(`${flag('login-certificates')} proxy requires ${flag('trusted-proxies')}`);
  if (settings.store === 'postgres' && settings.databaseUrl === undefined && settings.databaseSecretUrl === undefined)
    throw new SettingError(`${flag('store')} postgres requires ${flag('database-url')} or IAM_DATABASE_URL`);
  if (!settings.allowRemote && !isLoopbackHost(settings.host))
    throw new SettingError(
      `${flag('host')} ${settings.host} can be reached from other machines; use ${flag('allow-remote')} to allow this`,
    );
}
