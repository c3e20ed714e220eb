/** The states of signing keys, for operators. */
import type { SigningKey } from '../store/tables.ts';
import { maxConfigurableLifetimeSeconds, retirementMarginSeconds } from './keys.ts';

/** `current` signs, `retired` only verifies, `expired` does neither and is deleted by the next rotation. */
export type KeyState = 'current' | 'retired' | 'expired';

export interface KeyDescription {
  readonly kid: string;
  readonly alg: string;
  readonly state: KeyState;
  readonly createdAt: string;
  /** Epoch seconds; absent for the current key. */
  readonly retiredAt?: number;
  /** When its last token expires, in epoch seconds. */
  readonly expiresAt?: number;
}

/** @param now epoch seconds. */
export function describeSigningKey(
  { kid, alg, current, createdAt, retiresAt, longestToken }: SigningKey,
  now: number,
): KeyDescription {
  const state = current ? 'current' : retiresAt !== undefined && retiresAt <= now ? 'expired' : 'retired';
  const lifetime = (longestToken ?? maxConfigurableLifetimeSeconds) + retirementMarginSeconds;
  const dates = retiresAt === undefined ? {} : { retiredAt: retiresAt - lifetime, expiresAt: retiresAt };
  return { kid, alg, state, createdAt, ...dates };
}
