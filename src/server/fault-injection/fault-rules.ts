/** Fault rules: which requests each matches, and when it applies. Deterministic: random numbers are seeded. */

import type { FaultAuthorization, FaultBody, FaultTarget, faultDrops } from '../../contract/testing/fault-effects.ts';

/** The effect on a request: one field, with those that add to it (see `faultEffects`). */
export interface FaultEffect {
  /** The status of the response: an error that the operation documents, or else a page of HTML. */
  readonly status?: number | undefined;
  /** The Retry-After header of the status, in seconds. */
  readonly retryAfter?: number | undefined;
  /** Replaces the body of the response. */
  readonly body?: FaultBody | undefined;
  /** Delay before the operation starts, in milliseconds. */
  readonly latency?: number | undefined;
  /** Max additional random delay in milliseconds. */
  readonly jitter?: number | undefined;
  /** Closes the connection before the operation starts, or after it has committed; or resets it before. */
  readonly drop?: (typeof faultDrops)[number] | undefined;
  /** Redirects to this path or URL. */
  readonly redirect?: string | undefined;
  /** Changes the response at the redirect URI after a login. */
  readonly authorization?: FaultAuthorization | undefined;
  /** Rotates the signing key after the operation and before the response. */
  readonly rotateKey?: true | undefined;
  /** The published key set is the one from before the last rotation. */
  readonly staleKeys?: true | undefined;
  /** The published key set does not contain the current key. */
  readonly missingKey?: true | undefined;
}

export interface FaultRuleInput {
  /** Id of an operation; default: every operation, unless there is a target. */
  readonly operation?: string | undefined;
  readonly target?: FaultTarget | undefined;
  /** Id of the calling client or user. */
  readonly caller?: string | undefined;
  /** Only the nth matching request, from 1. */
  readonly nth?: number | undefined;
  /** Every nth matching request. */
  readonly every?: number | undefined;
  /** From 0 to 1, by a generator that is seeded with `seed`. */
  readonly probability?: number | undefined;
  readonly seed?: number | undefined;
  /** Max number of applications. */
  readonly times?: number | undefined;
  readonly effect: FaultEffect;
}

export interface FaultRule extends FaultRuleInput {
  readonly id: string;
  readonly matched: number;
  readonly applied: number;
}

/** A rule with its counters and random generator. */
export interface ActiveFaultRule {
  readonly id: string;
  readonly input: FaultRuleInput;
  readonly random: () => number;
  matched: number;
  applied: number;
}

export function activateRule(id: string, input: FaultRuleInput): ActiveFaultRule {
  return { id, input, random: createSeededRandom(input.seed ?? 1), matched: 0, applied: 0 };
}

export function toFaultRule({ id, input, matched, applied }: ActiveFaultRule): FaultRule {
  return { id, ...input, matched, applied };
}

/** Counts a matching request. @returns whether the rule applies to it. */
export function registerMatch(rule: ActiveFaultRule): boolean {
  const { nth, every, probability, times } = rule.input;
  rule.matched += 1;
  if (times !== undefined && rule.applied >= times) return false;
  if (nth !== undefined && rule.matched !== nth) return false;
  if (every !== undefined && rule.matched % every !== 0) return false;
  if (probability !== undefined && rule.random() >= probability) return false;
  rule.applied += 1;
  return true;
}

/** A seeded generator of numbers in [0, 1) (mulberry32, public domain). */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
