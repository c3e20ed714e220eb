import { findNearest } from '../lib/nearest-name.ts';
import { SettingError } from '../server/config/settings.ts';

/** Validates objects of JavaScript callers: a misspelled key would be ignored silently. @throws SettingError. */
export function assertKnownKeys(what: string, value: object, known: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    const near = findNearest(name, Object.keys(known));
    throw new SettingError(`${what}: unknown option ${name}${near === undefined ? '' : `; did you mean ${near}?`}`);
  }
}
