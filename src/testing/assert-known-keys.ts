import { suggestName } from '../lib/nearest-name.ts';
import { SettingError } from '../server/config/settings.ts';

/** Validates objects of JavaScript callers: a misspelled key would be ignored silently. @throws SettingError. */
export function assertKnownKeys(what: string, value: object, known: Readonly<Record<string, unknown>>): void {
  if (typeof value !== 'object' || value === null) throw new SettingError(`${what}: must be an object`);
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    throw new SettingError(`${what}: unknown option ${name}.${suggestName(name, Object.keys(known))}`);
  }
}
