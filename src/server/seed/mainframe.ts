/** Applies the logons of a seed to the embedded mainframe and to their users. */
import { normalizeLogon, revokeLogonAccess } from '../legacy/mainframe-logons.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { Logon, User } from '../store/tables.ts';
import type { HashPassword } from '../users/passwords.ts';
import type { SeedDocument, SeedLogon } from './schema.ts';
import { omitUndefined, replaceIfChanged } from './seed-rows.ts';

/** Hashes the passwords of new logons; plain passwords of existing logons are ignored. */
export async function hashNewLogons(
  seed: SeedDocument,
  store: Store,
  hash: HashPassword,
): Promise<Map<SeedLogon, string>> {
  const hashes = new Map<SeedLogon, string>();
  for (const logon of seed.mainframe ?? []) {
    if (logon.password === undefined || (await store.logons.get(normalizeLogon(logon.logon)))) continue;
    hashes.set(logon, await hash(logon.password));
  }
  return hashes;
}

export async function applyMainframe(
  tx: Transaction,
  seed: SeedDocument,
  hashes: ReadonlyMap<SeedLogon, string>,
): Promise<void> {
  for (const logon of seed.mainframe ?? []) await applyLogon(tx, logon, hashes.get(logon));
}

async function applyLogon(tx: Transaction, seed: SeedLogon, passwordHash: string | undefined): Promise<void> {
  const { password: _plain, ...rest } = seed;
  const fields = { ...omitUndefined(rest), logon: normalizeLogon(seed.logon) };
  const known = await tx.logons.get(fields.logon);
  if (known) return replaceIfChanged<Logon>(known, { ...known, ...fields }, (row) => tx.logons.replace(row));
  await tx.logons.insert({ ...fields, ...(passwordHash === undefined ? {} : { passwordHash }) });
}

/** Normalizes the logons of a seeded user. */
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
