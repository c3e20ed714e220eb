/** The six digits of a one-time code: generation, storage and comparison. */
import { timingSafeEqual } from 'node:crypto';
import type { Random } from '../lib/random.ts';
import type { Contact } from '../messaging/contacts.ts';
import type { MessageDeps } from '../messaging/messages.ts';
import type { Store } from '../store/store.ts';

export interface OtpDeps extends MessageDeps {
  readonly random: Random;
  readonly store: Store;
  /** Setting disable-rate-limits: counts nothing. */
  readonly disableRateLimits: boolean;
}

/**
 * A code for these contacts: the fixed code if all of them have the same, else a random one. `reached` are the contacts
 * and decoys, so that decoys cause the same work.
 */
export function createOtpCode(
  contacts: readonly Contact[],
  reached: readonly Contact[],
  deps: Pick<OtpDeps, 'outbox' | 'random'>,
): string {
  const outcomes = new Map(reached.map((contact) => [contact, deps.outbox.findOutcome(contact)]));
  const [fixedCode, ...others] = contacts.map((contact) => {
    const outcome = outcomes.get(contact);
    return outcome?.kind === 'fixed' ? outcome.code : undefined;
  });
  // A code that is also sent to any other contact must not be predictable.
  const isFixed = fixedCode !== undefined && others.every((code) => code === fixedCode);
  return isFixed ? fixedCode : generateSixDigits(deps.random);
}

const codeCount = 1_000_000;

/** Uniformly distributed: numbers beyond the last whole multiple are rejected. */
export function generateSixDigits(random: Random): string {
  const limit = 2 ** 32 - (2 ** 32 % codeCount);
  for (;;) {
    const value = random.bytes(4).readUInt32BE(0);
    if (value < limit) return String(value % codeCount).padStart(6, '0');
  }
}

/** The stored form of a code. Keyed, because six digits are too few for an unkeyed hash. */
export function hashOtp(codeId: string, code: string, { storeSecret }: Pick<OtpDeps, 'storeSecret'>): string {
  return storeSecret.digest('code', `${codeId}:${code}`);
}

/** Compares a code with a stored hash. Takes the same time without one. */
export function otpMatches(
  stored: { readonly codeId: string; readonly codeHash: string } | undefined,
  code: string,
  deps: Pick<OtpDeps, 'storeSecret'>,
): boolean {
  const actual = Buffer.from(hashOtp(stored?.codeId ?? 'none', code, deps));
  const expected = Buffer.from(stored?.codeHash ?? ''.padEnd(actual.length, '0'));
  return actual.length === expected.length && timingSafeEqual(actual, expected) && stored !== undefined;
}
