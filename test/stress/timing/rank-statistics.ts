/** Rank statistics that show whether two sets of response times can be distinguished. */

/** Returns the probability that a value of `a` is below one of `b`, ties counted half (area under the ROC curve). */
export function areaUnderCurve(a: readonly number[], b: readonly number[]): number {
  const all = [...a.map((value) => ({ value, isA: true })), ...b.map((value) => ({ value, isA: false }))];
  all.sort((one, other) => one.value - other.value);
  let ranksOfA = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.value === all[from]?.value) to += 1;
    // Equal values share the mean of their ranks, which count from 1.
    const rank = (from + 1 + to) / 2;
    for (let at = from; at < to; at += 1) if (all[at]?.isA) ranksOfA += rank;
    from = to;
  }
  const above = ranksOfA - (a.length * (a.length + 1)) / 2;
  return 1 - above / (a.length * b.length);
}

/** Returns the accepted deviation of the area from 0.5: 0.05, or four standard deviations with few samples. */
export function tolerance(count: number): number {
  const deviation = Math.sqrt((2 * count + 1) / (12 * count * count));
  return Math.max(0.05, 4 * deviation);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
