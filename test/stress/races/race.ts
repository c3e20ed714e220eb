/** The interface of a race: many concurrent requests for a limited resource, and the invariant to verify afterwards. */
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import type { TestServer } from '../../harness.ts';

export interface Race {
  readonly name: string;
  /** The invariant, in one line. */
  readonly about: string;
  /** Servers that share a store count a little late: each can add a burst to the limit. */
  readonly isCountedLate?: true;
  readonly seed?: SeedDocument;
  readonly flags?: Readonly<Record<string, string | boolean>>;
  /** Creates the resource that the requests compete for. */
  setUp(server: TestServer): Promise<RaceSetup>;
}

export interface RaceSetup {
  /** Sends the request with this number. */
  call(at: number): Promise<unknown>;
  /** @throws Error with the invariant that was broken. */
  verify(outcomes: readonly CallOutcome[]): Promise<void> | void;
}

/** `done`, or status and code of the rejection. */
export type CallOutcome = string;

/** The number of concurrent requests. */
export const callCount = 100;

export function pick<Value>(draw: () => number, values: readonly Value[]): Value {
  return values[Math.floor(draw() * values.length)] as Value;
}

/** Returns a seeded generator of numbers from 0 to 1 (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns the numbers of the requests in an order that the seed determines. */
export function shuffleNumbers(count: number, seed: number): number[] {
  const draw = createRandom(seed);
  const numbers = Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at -= 1) {
    const other = Math.floor(draw() * (at + 1));
    [numbers[at], numbers[other]] = [numbers[other] as number, numbers[at] as number];
  }
  return numbers;
}

/** Returns the outcome of a request. */
export async function classifyOutcome(call: Promise<unknown>): Promise<CallOutcome> {
  return call.then(
    () => 'done',
    (error: { status?: number; code?: string; message: string }) =>
      error.status === undefined ? `failed: ${error.message}` : `${error.status} ${error.code}`,
  );
}

/** Formats the number of outcomes of each kind. */
export function formatTally(outcomes: readonly CallOutcome[]): string {
  const counts = new Map<CallOutcome, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${count} x ${outcome}`).join(', ');
}

/** @throws Error unless `expected` requests succeeded and all others were rejected with one of `rejections`. */
export function assertWinners(
  outcomes: readonly CallOutcome[],
  expected: number,
  rejections: readonly CallOutcome[],
): void {
  const won = outcomes.filter((outcome) => outcome === 'done').length;
  const others = outcomes.filter((outcome) => outcome !== 'done' && !rejections.includes(outcome));
  if (won !== expected || others.length > 0)
    throw new Error(
      `expected ${expected} to succeed and the others to fail with ${rejections.join(' or ')}; found ${formatTally(outcomes)}`,
    );
}

/** @throws Error with this message if the condition is false. */
export function assertThat(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
