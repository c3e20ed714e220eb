/** The six digits of a one-time code: how they are drawn, stored and compared. */
import { timingSafeEqual } from 'node:crypto';
import type { Random } from '../random.ts';
import type { Store } from '../store/store.ts';
import type { Contact } from './contacts.ts';
import type { MessageDeps } from './messages.ts';

export interface OtpDeps extends MessageDeps {
  readonly random: Random;
  readonly store: Store;
  /** Setting disable-rate-limits: counts nothing. */
  readonly disableRateLimits: boolean;
}

/** A code for these contacts: the one that all of them choose, else a random one. */
export function createOtpCode(contacts: readonly Contact[], deps: Pick<OtpDeps, 'outbox' | 'random'>): string {
  const [chosen, ...others] = contacts.map((contact) => {
    const outcome = deps.outbox.findOutcome(contact);
    return outcome?.kind === 'fixed' ? outcome.code : undefined;
  });
  // A code that goes to any other contact as well is never known before.
  const isFixed = chosen !== undefined && others.every((code) => code === chosen);
  return isFixed ? chosen : generateSixDigits(deps.random);
}

const codeCount = 1_000_000;

/** Every code is as likely as any other: numbers beyond the last whole multiple are drawn again. */
export function generateSixDigits(random: Random): string {
  const limit = 2 ** 32 - (2 ** 32 % codeCount);
  for (;;) {
    const drawn = random.bytes(4).readUInt32BE(0);
    if (drawn < limit) return String(drawn % codeCount).padStart(6, '0');
  }
}

/** What is stored of a code: six digits are too few for a hash without a key. */
export function hashOtp(codeId: string, code: string, { storeSecret }: Pick<OtpDeps, 'storeSecret'>): string {
  return storeSecret.digest('code', `${codeId}:${code}`);
}

/** Compares with a stored hash, or as long with none. */
export function otpMatches(
  stored: { readonly codeId: string; readonly codeHash: string } | undefined,
  code: string,
  deps: Pick<OtpDeps, 'storeSecret'>,
): boolean {
  const typed = Buffer.from(hashOtp(stored?.codeId ?? 'none', code, deps));
  const expected = Buffer.from(stored?.codeHash ?? ''.padEnd(typed.length, '0'));
  return typed.length === expected.length && timingSafeEqual(typed, expected) && stored !== undefined;
}
