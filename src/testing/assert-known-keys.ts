import { findNearest } from '../lib/nearest-name.ts';
import { SettingError } from '../server/config/settings.ts';

/** Validates objects of JavaScript callers: a misspelled key would be ignored silently. @throws SettingError. */
export function assertKnownKeys(what: string, value: object, known: Readonly<Record<string, unknown>>): void {
  if (typeof value !== 'object' || value === null) throw new SettingError(`${what}: must be an object`);
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    const names = Object.keys(known);
    const near = findNearest(name, names);
    const allowed = names.length > 12 ? '' : `; allowed: ${names.join(', ')}`;
    const hint = near === undefined ? allowed : `; did you mean ${near}?`;
    throw new SettingError(`${what}: unknown option ${name}${hint}`);
  }
}
