/** New user names, group names and application ids: stored in NFC, and visible as a whole. */
import { fieldError } from '../../contract/errors.ts';
import { describeInvisible } from '../../contract/visible-names.ts';

/**
 * Returns the name to store. A name that a write does not change stays as it is, also if a new one is rejected.
 * @throws IamError NAME_NOT_VISIBLE
 */
export function normalizeNewName(field: string, name: string, ...current: readonly (string | undefined)[]): string {
  const normalized = name.normalize('NFC');
  for (const known of current) if (known === name || known === normalized) return known;
  const violation = describeInvisible(normalized);
  if (violation !== undefined) throw fieldError('NAME_NOT_VISIBLE', field, `${field} ${violation}.`);
  return normalized;
}

/** Looks a name up as sent, then in NFC. */
export async function findByName<Found>(
  name: string,
  find: (name: string) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const found = await find(name);
  const normalized = name.normalize('NFC');
  return found ?? (normalized === name ? undefined : find(normalized));
}
