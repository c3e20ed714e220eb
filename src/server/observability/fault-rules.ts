/** Rules that disturb calls on purpose: which call each is for, and when its turn is. Nothing here is by chance. */

/** What is done to a call. One of them; `jitter` goes with latency. */
export interface FaultEffect {
  /** A failure that the operation documents. */
  readonly status?: number | undefined;
  /** Milliseconds before the operation begins. */
  readonly latency?: number | undefined;
  /** Up to so many milliseconds more. */
  readonly jitter?: number | undefined;
  /** Whether the connection ends before the operation begins, or after what it wrote is kept. */
  readonly drop?: 'before' | 'after' | undefined;
  /** A new signing key, once the operation is done and before it is answered. */
  readonly rotateKey?: boolean | undefined;
  /** The key set that verifiers fetch is the one before the last rotation. No operation: the document of that name. */
  readonly staleKeys?: boolean | undefined;
}

export interface FaultRuleInput {
  /** Id of an operation; every one where missing. */
  readonly operation?: string | undefined;
  /** Id of the client or of the user that calls. */
  readonly caller?: string | undefined;
  /** Only this one of the calls that match, from 1. */
  readonly nth?: number | undefined;
  /** Each time after so many of them. */
  readonly every?: number | undefined;
  /** From 0 to 1, by a generator that begins with `seed`. */
  readonly probability?: number | undefined;
  readonly seed?: number | undefined;
  /** So often at most. */
  readonly times?: number | undefined;
  readonly effect: FaultEffect;
}

export interface FaultRule extends FaultRuleInput {
  readonly id: string;
  /** Calls that matched. */
  readonly matched: number;
  /** Calls that were disturbed. */
  readonly applied: number;
}

/** A rule with what it remembers. */
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

/** Counts a call that matches. @returns whether it is the rule's turn. */
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

/** Numbers from 0 up to 1, the same ones for the same seed (the generator mulberry32, which is public domain). */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
