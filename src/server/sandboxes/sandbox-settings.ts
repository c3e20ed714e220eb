/** The settings of sandboxes whose administrators are not those of the server. */
import type { SettingKey, Settings } from '../config/settings.ts';

/** Sandboxes use the embedded systems instead. */
const externalSystems = ['mainframeUrl', 'productsUrl', 'smsHookUrl', 'smtpUrl'] satisfies readonly SettingKey[];

/** External systems, files and bootstrap secrets of the server. */
const serverSettings = [
  ...externalSystems,
  ...(['databaseUrl', 'databaseSecretUrl'] as const),
  ...(['seed', 'signingKey', 'tlsCert', 'tlsKey'] as const),
  ...(['adminClientId', 'adminClientSecret', 'appClientId', 'adminUser', 'adminEmail', 'adminPassword'] as const),
] satisfies readonly SettingKey[];

export function withoutServerSettings(settings: Settings): Settings {
  return { ...omitAll(settings, serverSettings), resetAdmin: false };
}

/**
 * The settings of a sandbox with the seed of the server. With remote access, those who administer it may have lost that
 * right at the server: they must not reach its mainframe, or send messages with its relays.
 */
export function withoutExternalSystems(settings: Settings): Settings {
  return settings.allowRemote ? omitAll(settings, externalSystems) : settings;
}

function omitAll(settings: Settings, keys: readonly SettingKey[]): Settings {
  return { ...settings, ...Object.fromEntries(keys.map((key) => [key, undefined])) };
}
