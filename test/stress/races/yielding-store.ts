/**
 * The store that races run upon: in memory, but what is committed becomes durable some turns of the event loop later, as
 * upon a disk. Without that each call would be done before the next one is read, and none would ever come between what
 * another one checks and what it writes.
 */
import { setImmediate } from 'node:timers/promises';
import { toStore } from '../../../src/server/store/memory.ts';
import { Overlay } from '../../../src/server/store/overlay.ts';
import { OverlayStore } from '../../../src/server/store/overlay-store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { createRandom } from './race.ts';

/** Turns that a disk takes at most. */
const maxTurns = 20;

/** The seed says how many turns each save takes. */
export function openYieldingStore(seed: number): Store {
  const draw = createRandom(seed);
  const append = async () => {
    for (let left = 1 + Math.floor(draw() * maxTurns); left > 0; left -= 1) await setImmediate();
  };
  const sink = { gather: () => setImmediate(), append, health: () => ({ writable: true as const }), sequence: 0 };
  return toStore(new OverlayStore(new Overlay('base'), sink));
}
