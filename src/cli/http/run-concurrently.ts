/** Bounded concurrency of requests. */

/** How many requests a command sends at once: enough that server and command flush the records of several together. */
export const requestsAtOnce = 16;

interface Task<Result> {
  readonly result: Promise<Result>;
  /** Resolves with the task itself when it has settled, successfully or not. */
  readonly settled: Promise<Task<Result>>;
}

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
  const tasks = new Set<Task<Result>>();
  let isExhausted = false;
  try {
    for (;;) {
      while (tasks.size < concurrency && !isExhausted && !isOver()) {
        const { value, done } = await items.next();
        if (done) isExhausted = true;
        else tasks.add(startTask(work(value as Item)));
      }
      if (tasks.size === 0) return;
      const finished = await Promise.race([...tasks].map(({ settled }) => settled));
      tasks.delete(finished);
      yield await finished.result;
    }
  } finally {
    await Promise.all([...tasks].map(({ settled }) => settled));
    await items.return?.();
  }
}

function startTask<Result>(result: Promise<Result>): Task<Result> {
  const task: Task<Result> = {
    result,
    settled: result.then(
      () => task,
      () => task,
    ),
  };
  return task;
}
