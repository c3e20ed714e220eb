/** What a race is: many calls at once for something of which there is one, or a few, and what must hold afterwards. */
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import type { TestServer } from '../../harness.ts';

export interface Race {
  readonly name: string;
  /** What must hold, in one line. */
  readonly about: string;
  /** The test that runs it with every run of the suite; a race without one is run there by the table of races. */
  readonly coveredBy?: string;
  /** Takes several times as long as the others; the tests run one round of it. */
  readonly isSlow?: true;
  readonly seed?: SeedDocument;
  readonly flags?: Readonly<Record<string, string | boolean>>;
  /** Makes ready what the calls are for. */
  setUp(server: TestServer): Promise<RaceSetup>;
}

export interface RaceSetup {
  /** The call of this number, of all those that are sent at once. */
  call(at: number): Promise<unknown>;
  /** @throws Error with what is wrong. */
  verify(outcomes: readonly CallOutcome[]): Promise<void> | void;
}

/** `done`, or status and code of the refusal. */
export type CallOutcome = string;

/** How many calls there are at once. */
export const callCount = 100;

export function pick<Value>(draw: () => number, values: readonly Value[]): Value {
  return values[Math.floor(draw() * values.length)] as Value;
}

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The numbers of the calls in an order that the seed says. */
export function shuffleNumbers(count: number, seed: number): number[] {
  const draw = createRandom(seed);
  const numbers = Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at -= 1) {
    const other = Math.floor(draw() * (at + 1));
    [numbers[at], numbers[other]] = [numbers[other] as number, numbers[at] as number];
  }
  return numbers;
}

/** How a call ended. */
export async function classifyOutcome(call: Promise<unknown>): Promise<CallOutcome> {
  return call.then(
    () => 'done',
    (error: { status?: number; code?: string; message: string }) =>
      error.status === undefined ? `failed: ${error.message}` : `${error.status} ${error.code}`,
  );
}

/** So many outcomes of each kind. */
export function formatTally(outcomes: readonly CallOutcome[]): string {
  const counts = new Map<CallOutcome, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, count]) => `${count} x ${outcome}`).join(', ');
}

/** @throws Error unless so many calls won, and every other was refused as one of these. */
export function assertWinners(
  outcomes: readonly CallOutcome[],
  wanted: number,
  refusals: readonly CallOutcome[],
): void {
  const won = outcomes.filter((outcome) => outcome === 'done').length;
  const others = outcomes.filter((outcome) => outcome !== 'done' && !refusals.includes(outcome));
  if (won !== wanted || others.length > 0)
    throw new Error(
      `${wanted} was to win, the others refused as ${refusals.join(' or ')}; found ${formatTally(outcomes)}`,
    );
}

/** @throws Error with this text unless it holds. */
export function assertThat(holds: boolean, text: string): void {
  if (!holds) throw new Error(text);
}
