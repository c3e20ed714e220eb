import { setImmediate } from 'node:timers/promises';

/** So many are looked at in one turn of the event loop: some milliseconds of it. */
const stepsPerTurn = 250;

/** Does the work for one after another of a list that may be long, and lets other calls have their turn now and then. */
export async function forEachYielding<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const pause = createPause();
  for (const item of items) {
    await pause();
    await work(item);
  }
}

/** @param work how much the next step is, where steps differ. */
export type Pause = (work?: number) => Promise<void> | undefined;

/** What to await before each step of work that may have many: every now and then it lets other calls have their turn. */
export function createPause(steps = stepsPerTurn): Pause {
  let left = steps;
  return (work = 1) => {
    if (left > 0) {
      left -= work;
      return undefined;
    }
    left = steps - work;
    return setImmediate();
  };
}
