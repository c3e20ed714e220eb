/**
 * The store that races run upon: in memory, but what is committed becomes durable some turns of the event loop later, as
 * upon a disk. Without that each call would be done before the next one is read, and none would ever come between what
 * another one checks and what it writes.
 */
import { setImmediate } from 'node:timers/promises';
import { Layer } from '../../src/server/store/layer.ts';
import { LayeredStore } from '../../src/server/store/layered-store.ts';
import { asStore } from '../../src/server/store/memory.ts';
import type { Store } from '../../src/server/store/store.ts';
import { drawer } from './race.ts';

/** Turns that a disk takes at most. */
const most = 20;

/** The seed says how many turns each save takes. */
export function openTurningStore(seed: number): Store {
  const draw = drawer(seed);
  const append = async () => {
    for (let left = 1 + Math.floor(draw() * most); left > 0; left -= 1) await setImmediate();
  };
  const sink = { gather: () => setImmediate(), append, health: () => ({ writable: true as const }), sequence: 0 };
  return asStore(new LayeredStore(new Layer('bottom'), sink));
}
