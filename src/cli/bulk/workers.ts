/** Work on many rows at the same time, of which no more are held than are worked on. */

interface Task<Result> {
  readonly result: Promise<Result>;
  /** Tells which it was, whether it failed or not. */
  readonly settled: Promise<Task<Result>>;
}

/**
 * Gives results as they come, no more than `width` under way at once. Rows are taken as results are: while nobody takes
 * them, no row is begun. Once `isOver`, or once one fails, no further row is begun; what is under way is waited for.
 */
export async function* runConcurrently<Row, Result>(
  rows: AsyncIterator<Row, unknown, undefined>,
  concurrency: number,
  work: (row: Row) => Promise<Result>,
  isOver: () => boolean,
): AsyncGenerator<Result, void, undefined> {
  const tasks = new Set<Task<Result>>();
  let isEmpty = false;
  try {
    for (;;) {
      while (tasks.size < concurrency && !isEmpty && !isOver()) {
        const { value, done } = await rows.next();
        if (done) isEmpty = true;
        else tasks.add(startTask(work(value as Row)));
      }
      if (tasks.size === 0) return;
      const finished = await Promise.race([...tasks].map(({ settled }) => settled));
      tasks.delete(finished);
      yield await finished.result;
    }
  } finally {
    await Promise.all([...tasks].map(({ settled }) => settled));
    await rows.return?.();
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
