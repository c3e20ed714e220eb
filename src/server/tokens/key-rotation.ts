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

/**
 * Stores a current key, retires the previous one and deletes expired keys. A retired key that becomes current again
 * replaces its row. @returns all remaining keys.
 */
export function storeCurrentKey(created: SigningKey, { store, clock }: RotationDeps): Promise<readonly SigningKey[]> {
  return store.transaction(async (tx) => {
    await retireKeys(tx, created.kid, epochSeconds(clock));
    await tx.signingKeys.insert(created);
    return tx.signingKeys.list();
  });
}

/**
 * Stores a key that signs a little later, unless there is one already.
 * @returns that key and all keys
 */
export function announceKey(
  created: SigningKey,
  { store, clock }: RotationDeps,
): Promise<{ readonly next: SigningKey; readonly rows: readonly SigningKey[] }> {
  return store.transaction(async (tx) => {
    const rows = await tx.signingKeys.list();
    const announced = rows.find(isNext);
    if (announced) return { next: announced, rows };
    const next = { ...created, current: false, signsFrom: epochSeconds(clock) + announcementSeconds };
    await tx.signingKeys.insert(next);
    return { next, rows: await tx.signingKeys.list() };
  });
}

/**
 * Makes the announced key current if it is time: in a store that is no longer shared at once, because no other server has
 * to read it first. @returns all keys
 */
export async function promoteDueKey(
  rows: readonly SigningKey[],
  { store, clock }: RotationDeps,
): Promise<readonly SigningKey[]> {
  const now = epochSeconds(clock);
  const isDue = (row: SigningKey) => isNext(row) && (store.shared === undefined || row.signsFrom <= now);
  if (!rows.some(isDue)) return rows;
  return store.transaction(async (tx) => {
    const due = (await tx.signingKeys.list()).find(isDue);
    // Another server has made it current.
    if (!due) return tx.signingKeys.list();
    const { signsFrom: _, ...current } = due;
    await retireKeys(tx, due.kid, now);
    await tx.signingKeys.insert({ ...current, current: true });
    return tx.signingKeys.list();
  });
}

/** Retires the current key, and deletes expired ones and the one with this id. */
async function retireKeys(tx: Transaction, kid: string, now: number): Promise<void> {
  for (const row of await tx.signingKeys.list()) {
    if (row.kid === kid) await tx.signingKeys.delete(row.kid);
    else if (row.current) await tx.signingKeys.replace(retireKey(row, now));
    else if (isExpired(row, now)) await tx.signingKeys.delete(row.kid);
  }
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
