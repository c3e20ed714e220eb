/** Bounded concurrency of requests. */

/** How many requests a command sends at once: enough that server and command flush the records of several together. */
export const requestsAtOnce = 16;

/**
 * Yields results as they arrive, with at most `concurrency` tasks in progress. Items start only while results are
 * consumed (backpressure). After `isOver` or a failure no further one starts; tasks in progress are awaited.
 */
export async function* runConcurrently<Item, Result>(
  items: Iterator<Item, unknown, undefined> | AsyncIterator<Item, unknown, undefined>,
  concurrency: number,
  work: (item: Item) => Promise<Result>,
  isOver: () => boolean,
): AsyncGenerator<Result, void, undefined> {
  const tasks = new Set<Promise<Result>>();
  const settled: Promise<Result>[] = [];
  let onSettled: () => void = () => undefined;
  const start = (task: Promise<Result>) => {
    tasks.add(task);
    const settle = () => {
      settled.push(task);
      onSettled();
    };
    task.then(settle, settle);
  };
  let isExhausted = false;
  try {
    for (;;) {
      while (tasks.size < concurrency && !isExhausted && !isOver()) {
        const { value, done } = await items.next();
        if (done) isExhausted = true;
        else start(work(value as Item));
      }
      if (tasks.size === 0) return;
      if (settled.length === 0)
        await new Promise<void>((resolve) => {
          onSettled = resolve;
        });
      const task = settled.shift() as Promise<Result>;
      tasks.delete(task);
      yield await task;
    }
  } finally {
    await Promise.allSettled(tasks);
    await items.return?.();
  }
}
