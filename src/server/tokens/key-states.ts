/** The states of signing keys, for operators. */
import type { SigningKey } from '../store/tables.ts';
import { isNext, retirementMarginSeconds } from './key-rotation.ts';

/**
 * `current` signs, `next` signs soon and is published already, `retired` only verifies, `expired` does neither and is
 * deleted by the next rotation.
 */
export type KeyState = 'current' | 'next' | 'retired' | 'expired';

export interface KeyDescription {
  readonly kid: string;
  readonly alg: string;
  /** What it signs. */
  readonly purpose: 'access-token' | 'id-token';
  readonly state: KeyState;
  readonly createdAt: string;
  /** Epoch seconds; absent for the current key. */
  readonly retiredAt?: number;
  /** When its last token expires, in epoch seconds. */
  readonly expiresAt?: number;
}

/** @param now epoch seconds. */
export function describeSigningKey(row: SigningKey, now: number): KeyDescription {
  const { kid, alg, purpose = 'access-token', createdAt, retiresAt, longestToken } = row;
  const state = determineState(row, now);
  const lifetime = longestToken + retirementMarginSeconds;
  const dates = retiresAt === undefined ? {} : { retiredAt: retiresAt - lifetime, expiresAt: retiresAt };
  return { kid, alg, purpose, state, createdAt, ...dates };
}

function determineState(row: SigningKey, now: number): KeyState {
  if (row.current) return 'current';
  if (isNext(row)) return 'next';
  return row.retiresAt !== undefined && row.retiresAt <= now ? 'expired' : 'retired';
}
