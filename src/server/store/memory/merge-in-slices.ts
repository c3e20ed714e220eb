/** Merges one overlay into another without blocking the event loop. */
import type { Overlay } from './overlay.ts';

/** Units of work per slice: a few milliseconds. */
const workPerSlice = 2_000;

/**
 * Merges `upper` into `lower` in slices; the caller yields to the event loop after each. `upper` must not change
 * meanwhile, so reads through both stay correct; the caller drops it afterwards.
 */
export function* mergeInSlices(lower: Overlay, upper: Overlay): Generator<void, void> {
  let remaining = workPerSlice;
  for (const work of mergeRows(lower, upper)) {
    remaining -= work;
    if (remaining > 0) continue;
    yield;
    remaining = workPerSlice;
  }
}

/** Merges row by row. @yields the work of each step. */
function* mergeRows(lower: Overlay, upper: Overlay): Generator<number, void> {
  for (const part of upper.parts()) {
    const below = lower.table(part.shape.name);
    for (const key of part.removed) yield below.remove(key);
    for (const [key, row] of part.rows) yield below.put(key, row);
  }
}
