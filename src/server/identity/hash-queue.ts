/**
 * Password hashes, a few at a time. They share the runtime's four threads with disk writes and signatures, so more in
 * flight would only make everything else wait; beyond the queue callers are sent away at once.
 */
import { fault } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';

export interface HashQueue {
  /** Runs `work` when its turn comes. @throws IamError TOO_BUSY with Retry-After where too many wait already. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How many wait for their turn. */
  waiting(): number;
}

export interface HashQueueOptions {
  readonly inFlight: number;
  readonly waiting: number;
  /** Tells how long hashes take. */
  readonly clock: Clock;
}

export function createHashQueue({ inFlight, waiting, clock }: HashQueueOptions): HashQueue {
  const turns: (() => void)[] = [];
  const pace = createPace(clock);
  let running = 0;

  async function turn(): Promise<void> {
    if (running < inFlight) {
      running += 1;
      return;
    }
    if (turns.length >= waiting) throw tooBusy(((running + turns.length) / inFlight) * pace.milliseconds());
    await new Promise<void>((resolve) => turns.push(resolve));
  }

  /** The turn goes from one to the next; it is given back when nobody waits. */
  function pass(): void {
    const next = turns.shift();
    if (next) next();
    else running -= 1;
  }

  return {
    async run(work) {
      await turn();
      try {
        return await pace.measure(work);
      } finally {
        pass();
      }
    },
    waiting: () => turns.length,
  };
}

/** Whoever is sent away comes back when all who are before him are through: earlier he would only be sent away again. */
function tooBusy(milliseconds: number) {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return fault('TOO_BUSY', undefined, { 'Retry-After': String(seconds) });
}

interface Pace {
  /** About how long one takes now. */
  milliseconds(): number;
  measure<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** What a hash takes on a machine of these days, until one was measured. */
const firstGuessMs = 25;
/** A moving average, so slow that the rush of a crowd, which slows the hashes of its first second, does not count for all. */
const weightOfOne = 1 / 32;

/** With several in flight each takes longer, and that is what counts: they share the cores with each other as well. */
function createPace(clock: Clock): Pace {
  let average = firstGuessMs;
  return {
    milliseconds: () => average,
    async measure(work) {
      const startedAt = clock.now().getTime();
      try {
        return await work();
      } finally {
        // A clock that was set back meanwhile tells nothing.
        const took = Math.max(0, clock.now().getTime() - startedAt);
        average += (took - average) * weightOfOne;
      }
    },
  };
}
