/** The six digits of a one-time code: how they are drawn, stored and compared. */
import { timingSafeEqual } from 'node:crypto';
import type { Randomness } from '../randomness.ts';
import type { Store } from '../store/store.ts';
import type { Contact } from './contacts.ts';
import type { MessageTools } from './messages.ts';

export interface OtpDeps extends MessageTools {
  readonly randomness: Randomness;
  readonly store: Store;
  /** Setting disable-rate-limits: counts nothing. */
  readonly disableRateLimits: boolean;
}

/** A code for these contacts: the one that all of them choose, else a random one. */
export function newCodeFor(contacts: readonly Contact[], deps: Pick<OtpDeps, 'outbox' | 'randomness'>): string {
  const [chosen, ...others] = contacts.map((contact) => {
    const outcome = deps.outbox.outcomeOf(contact);
    return outcome?.kind === 'fixed' ? outcome.code : undefined;
  });
  // A code that goes to any other contact as well is never known before.
  const isFixed = chosen !== undefined && others.every((code) => code === chosen);
  return isFixed ? chosen : sixDigits(deps.randomness);
}

const codeCount = 1_000_000;

/** Every code is as likely as any other: numbers beyond the last whole multiple are drawn again. */
export function sixDigits(randomness: Randomness): string {
  const limit = 2 ** 32 - (2 ** 32 % codeCount);
  for (;;) {
    const drawn = randomness.bytes(4).readUInt32BE(0);
    if (drawn < limit) return String(drawn % codeCount).padStart(6, '0');
  }
}

/** What is stored of a code: six digits are too few for a hash without a key. */
export function codeHash(codeId: string, code: string, { storeKey }: Pick<OtpDeps, 'storeKey'>): string {
  return storeKey.digest('code', `${codeId}:${code}`);
}

/** Compares with a stored hash, or as long with none. */
export function isCode(
  stored: { readonly codeId: string; readonly codeHash: string } | undefined,
  code: string,
  deps: Pick<OtpDeps, 'storeKey'>,
): boolean {
  const typed = Buffer.from(codeHash(stored?.codeId ?? 'none', code, deps));
  const expected = Buffer.from(stored?.codeHash ?? ''.padEnd(typed.length, '0'));
  return typed.length === expected.length && timingSafeEqual(typed, expected) && stored !== undefined;
}
