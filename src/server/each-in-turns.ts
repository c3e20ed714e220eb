import { setImmediate } from 'node:timers/promises';

/** So many are looked at in one turn of the event loop: some milliseconds of it. */
const inOneTurn = 250;

/** Does the work for one after another of a list that may be long, and lets other calls have their turn now and then. */
export async function eachInTurns<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const pause = createPause();
  for (const item of items) {
    await pause();
    await work(item);
  }
}

/** What to await before each step of work that may have many: every now and then it lets other calls have their turn. */
export function createPause(steps = inOneTurn): () => Promise<void> | undefined {
  let left = steps;
  return () => {
    if (left > 0) {
      left -= 1;
      return undefined;
    }
    left = steps - 1;
    return setImmediate();
  };
}
