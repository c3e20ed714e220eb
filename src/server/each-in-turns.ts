import { setImmediate } from 'node:timers/promises';

/** So many are looked at in one turn of the event loop: some milliseconds of it. */
const inOneTurn = 250;

/** Does the work for one after another of a list that may be long, and lets other calls have their turn now and then. */
export async function eachInTurns<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  let left = inOneTurn;
  for (const item of items) {
    if (left === 0) {
      await setImmediate();
      left = inOneTurn;
    }
    await work(item);
    left -= 1;
  }
}
