/** Long work in slices, and small work in batches, by turns of the event loop. */
import { nextTurn } from '../../lib/host.ts';

/** Steps per event-loop turn: a few milliseconds. */
const stepsPerTurn = 250;

/** The most turns that `waitWhileGrowing` waits. */
const maxGrowingTurns = 16;

/** Runs `work` for each item in sequence, yielding to the event loop at intervals. */
export async function forEachYielding<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const pause = createPause();
  for (const item of items) {
    await pause();
    await work(item);
  }
}

/** Runs a generator to its end, and yields to the event loop at each of its yields. */
export async function runInSlices<Result>(slices: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
    await nextTurn();
  }
}

/** @param work the relative cost of the next step. */
export type Pause = (work?: number) => Promise<void> | undefined;

/** Creates a function to await before each step of long work: it yields to the event loop at intervals. */
export function createPause(steps = stepsPerTurn): Pause {
  let remaining = steps;
  return (work = 1) => {
    if (remaining > 0) {
      remaining -= work;
      return undefined;
    }
    remaining = steps - work;
    return nextTurn();
  };
}

/** Waits for what arrives in this turn, and on while each turn brings more: what arrives closely is processed at once. */
export async function waitWhileGrowing(count: () => number): Promise<void> {
  let before: number;
  let turns = 0;
  do {
    before = count();
    await nextTurn();
    turns += 1;
  } while (count() > before && turns < maxGrowingTurns);
}
