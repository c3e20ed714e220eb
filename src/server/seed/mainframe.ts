/** Applies the logons of a seed to the embedded mainframe and to their users. */
import { normalizeLogon, revokeLogonAccess } from '../legacy/mainframe-logons.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Logon, User } from '../store/tables.ts';
import type { AssertOnce, SeedOutcome } from './entries.ts';
import type { PasswordHolder, SeedPasswords } from './passwords.ts';
import type { SeedDocument, SeedLogon } from './schema.ts';
import { omitUndefined, replaceIfChanged } from './seed-rows.ts';

/** The new logons with a password; plain passwords of existing logons are ignored. */
export async function listNewLogons({ mainframe = [] }: SeedDocument, store: Store): Promise<PasswordHolder[]> {
  const found: PasswordHolder[] = [];
  for (const logon of mainframe)
    if (logon.password !== undefined && !(await store.logons.get(normalizeLogon(logon.logon)))) found.push(logon);
  return found;
}

export async function applyLogon(
  tx: Transaction,
  seed: SeedLogon,
  passwords: SeedPasswords,
  assertOnce: AssertOnce,
): Promise<SeedOutcome> {
  const { password: _plain, ...rest } = seed;
  const fields = { ...omitUndefined(rest), logon: normalizeLogon(seed.logon) };
  assertOnce(fields.logon, fields.logon, 'logon');
  const known = await tx.logons.get(fields.logon);
  if (known) return replaceIfChanged<Logon>(known, { ...known, ...fields }, (row) => tx.logons.replace(row));
  const passwordHash = await passwords.hashOf(seed);
  await tx.logons.insert({ ...fields, ...(passwordHash === undefined ? {} : { passwordHash }) });
  return 'created';
}

export function normalizeLogons(legacyLogons: readonly string[] | undefined): { legacyLogons?: string[] } {
  return legacyLogons === undefined ? {} : { legacyLogons: [...new Set(legacyLogons.map(normalizeLogon))] };
}

type Logons = Pick<User, 'legacyLogons'>;

/** Revokes the sessions and codes of logons that are added to or removed from a user. */
export async function clearMovedLogons(tx: Transaction, before: Logons, after: Logons): Promise<void> {
  const [old, current] = [before, after].map(({ legacyLogons = [] }) => new Set(legacyLogons));
  for (const logon of new Set([...(old ?? []), ...(current ?? [])]))
    if (!(old?.has(logon) && current?.has(logon))) await revokeLogonAccess(tx, logon);
}
