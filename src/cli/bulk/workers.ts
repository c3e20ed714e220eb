/** Work on many rows at the same time, of which no more are held than are worked on. */

interface UnderWay<Result> {
  readonly result: Promise<Result>;
  /** Tells which it was, whether it failed or not. */
  readonly ended: Promise<UnderWay<Result>>;
}

/**
 * Gives results as they come, no more than `width` under way at once. Rows are taken as results are: while nobody takes
 * them, no row is begun. Once `isOver`, or once one fails, no further row is begun; what is under way is waited for.
 */
export async function* worked<Row, Result>(
  rows: AsyncIterator<Row, unknown, undefined>,
  width: number,
  work: (row: Row) => Promise<Result>,
  isOver: () => boolean,
): AsyncGenerator<Result, void, undefined> {
  const underWay = new Set<UnderWay<Result>>();
  let isEmpty = false;
  try {
    for (;;) {
      while (underWay.size < width && !isEmpty && !isOver()) {
        const { value, done } = await rows.next();
        if (done) isEmpty = true;
        else underWay.add(begun(work(value as Row)));
      }
      if (underWay.size === 0) return;
      const finished = await Promise.race([...underWay].map(({ ended }) => ended));
      underWay.delete(finished);
      yield await finished.result;
    }
  } finally {
    await Promise.all([...underWay].map(({ ended }) => ended));
    await rows.return?.();
  }
}

function begun<Result>(result: Promise<Result>): UnderWay<Result> {
  const one: UnderWay<Result> = {
    result,
    ended: result.then(
      () => one,
      () => one,
    ),
  };
  return one;
}
