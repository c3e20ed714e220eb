/** The settings of sandboxes whose administrators are not those of the server. */
import type { SettingKey, Settings } from '../config/settings.ts';

/** External systems, files and bootstrap secrets of the server. Such a sandbox uses the embedded systems. */
const serverSettings = [
  ...(['mainframeUrl', 'productsUrl', 'smsHookUrl', 'smtpUrl', 'databaseUrl', 'databaseSecretUrl'] as const),
  ...(['seed', 'signingKey', 'tlsCert', 'tlsKey'] as const),
  ...(['adminClientId', 'adminClientSecret', 'appClientId', 'adminUser', 'adminEmail', 'adminPassword'] as const),
] satisfies readonly SettingKey[];

export function withoutServerSettings(settings: Settings): Settings {
  return { ...settings, ...Object.fromEntries(serverSettings.map((key) => [key, undefined])), resetAdmin: false };
}
