/** Moving what one layer says into another while others go on. */
import type { Overlay } from './overlay.ts';

/** How much work is done between two turns of the event loop: a few milliseconds of it. */
const workPerSlice = 2_000;

/**
 * Takes over what a layer above says, in slices: the caller lets others have a turn after each. The layer above stays as
 * it is, so both together read as ever; it must not change meanwhile, and is dropped afterwards.
 */
export function* mergeInSlices(lower: Overlay, upper: Overlay): Generator<void, void> {
  let left = workPerSlice;
  for (const work of mergeRows(lower, upper)) {
    left -= work;
    if (left > 0) continue;
    yield;
    left = workPerSlice;
  }
}

/** Takes over one thing after the other, and gives how much work each was. */
function* mergeRows(lower: Overlay, upper: Overlay): Generator<number, void> {
  for (const part of upper.parts()) {
    const below = lower.table(part.shape.name);
    for (const key of part.removed) {
      below.remove(key);
      yield 1;
    }
    for (const [key, row] of part.rows) yield below.put(key, row);
  }
}
