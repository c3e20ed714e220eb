/**
 * Password hashes, a few at a time. They share the runtime's four threads with disk writes and signatures, so more in
 * flight would only make everything else wait; beyond the queue callers are sent away at once.
 */
import { fault } from '../../contract/errors.ts';

export interface HashQueue {
  /** Runs `work` when its turn comes. @throws IamError TOO_BUSY with Retry-After where too many wait already. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How many wait for their turn. */
  waiting(): number;
}

/** About how long the whole queue takes, in seconds: a hash takes some 10 ms. */
const retryAfterSeconds = 5;

export function createHashQueue({ inFlight, waiting }: { inFlight: number; waiting: number }): HashQueue {
  const turns: (() => void)[] = [];
  let running = 0;

  async function turn(): Promise<void> {
    if (running < inFlight) {
      running += 1;
      return;
    }
    if (turns.length >= waiting) throw fault('TOO_BUSY', undefined, { 'Retry-After': String(retryAfterSeconds) });
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
        return await work();
      } finally {
        pass();
      }
    },
    waiting: () => turns.length,
  };
}
