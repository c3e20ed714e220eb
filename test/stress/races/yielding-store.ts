/**
 * The store of the races: in memory, but a commit becomes durable some event-loop turns later, as on a disk.
 * Otherwise each request would finish before the next one is read, and checks and writes would never interleave.
 */
import { setImmediate } from 'node:timers/promises';
import { toStore } from '../../../src/server/store/memory/memory-store.ts';
import { Overlay } from '../../../src/server/store/memory/overlay.ts';
import { OverlayStore } from '../../../src/server/store/memory/overlay-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { createRandom } from './race.ts';

/** Maximum number of event-loop turns of a commit. */
const maxTurns = 20;

/** Opens a store in which the seed determines the delay of each commit. */
export function openYieldingStore(seed: number): Store {
  const draw = createRandom(seed);
  const append = async () => {
    for (let remaining = 1 + Math.floor(draw() * maxTurns); remaining > 0; remaining -= 1) await setImmediate();
  };
  const sink = { gather: () => setImmediate(), append, health: () => ({ writable: true as const }), sequence: 0 };
  return toStore(new OverlayStore(new Overlay('base'), sink));
}
