/** The rows of signing keys: which one signs, which ones only verify, and how that changes. */

import type { Clock } from '../lib/clock.ts';
import { epochSeconds } from '../lib/clock.ts';
import type { Store, Transaction } from '../store/store.ts';
import type { SigningKey } from '../store/tables.ts';

interface RotationDeps {
  readonly store: Store;
  readonly clock: Clock;
}

/** A retired key remains valid this much longer than its last token is valid, because signing takes time and clocks differ. */
export const retirementMarginSeconds = 60;
/** A key of servers that share a store signs only after all of them verify with it. */
const announcementSeconds = 10;

/** A key by what it signs. */
export type KeySeries = Pick<SigningKey, 'purpose' | 'alg'>;

/** Whether a key of one replaces that of the other: access tokens have one current key, ID tokens one of each algorithm. */
export function isSameSeries(one: KeySeries, other: KeySeries): boolean {
  return one.purpose === other.purpose && (one.purpose === undefined || one.alg === other.alg);
}

/**
 * Stores current keys, retires the previous ones of the same series and deletes expired keys. A retired key that becomes
 * current again replaces its row. @returns all remaining keys.
 */
export function storeCurrentKeys(
  created: readonly SigningKey[],
  { store, clock }: RotationDeps,
): Promise<readonly SigningKey[]> {
  return store.transaction(async (tx) => {
    for (const key of created) await replaceCurrentKey(tx, key, epochSeconds(clock));
    return tx.signingKeys.list();
  });
}

/**
 * Stores a current key, unless its series has one: another server may have created it at the same time.
 * @returns the current key of the series, and all keys
 */
export function storeFirstKey(
  created: SigningKey,
  { store }: RotationDeps,
): Promise<{ readonly key: SigningKey; readonly rows: readonly SigningKey[] }> {
  return store.transaction(async (tx) => {
    const rows = await tx.signingKeys.list();
    const existing = rows.find((row) => row.current && isSameSeries(row, created));
    if (existing) return { key: existing, rows };
    await tx.signingKeys.insert(created);
    return { key: created, rows: await tx.signingKeys.list() };
  });
}

/** Stores keys that sign a little later, for each series that has none already. @returns all keys. */
export function announceKeys(
  created: readonly SigningKey[],
  { store, clock }: RotationDeps,
): Promise<readonly SigningKey[]> {
  const signsFrom = epochSeconds(clock) + announcementSeconds;
  return store.transaction(async (tx) => {
    const announced = (await tx.signingKeys.list()).filter(isNext);
    for (const key of created)
      if (!announced.some((row) => isSameSeries(row, key)))
        await tx.signingKeys.insert({ ...key, current: false, signsFrom });
    return tx.signingKeys.list();
  });
}

/**
 * Makes the announced keys current if it is time: in a store that is no longer shared at once, because no other server has
 * to read them first. @returns all keys
 */
export async function promoteDueKeys(
  rows: readonly SigningKey[],
  { store, clock }: RotationDeps,
): Promise<readonly SigningKey[]> {
  const now = epochSeconds(clock);
  const isDue = (row: SigningKey) => isNext(row) && (store.shared === undefined || row.signsFrom <= now);
  if (!rows.some(isDue)) return rows;
  return store.transaction(async (tx) => {
    // None if another server has made them current.
    for (const { signsFrom: _, ...due } of (await tx.signingKeys.list()).filter(isDue))
      await replaceCurrentKey(tx, { ...due, current: true }, now);
    return tx.signingKeys.list();
  });
}

/** Stores this key, also if its id is stored already, and retires the one that it replaces. Deletes expired keys. */
async function replaceCurrentKey(tx: Transaction, key: SigningKey, now: number): Promise<void> {
  for (const row of await tx.signingKeys.list()) {
    if (row.kid === key.kid) await tx.signingKeys.delete(row.kid);
    else if (row.current && isSameSeries(row, key)) await tx.signingKeys.replace(retireKey(row, now));
    else if (isExpired(row, now)) await tx.signingKeys.delete(row.kid);
  }
  await tx.signingKeys.insert(key);
}

/** The private key is no longer needed and is deleted. */
function retireKey(row: SigningKey, now: number): SigningKey {
  const retiresAt = now + row.longestToken + retirementMarginSeconds;
  return { ...row, current: false, privateJwk: {}, retiresAt };
}

/** Whether the key is published but does not sign yet. */
export function isNext(row: SigningKey): row is SigningKey & { readonly signsFrom: number } {
  return row.signsFrom !== undefined;
}

/** @param now epoch seconds */
export function isExpired({ retiresAt }: { readonly retiresAt?: number | undefined }, now: number): boolean {
  return (retiresAt ?? Number.POSITIVE_INFINITY) <= now;
}
