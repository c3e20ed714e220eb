/** Callers who wait for a message: woken by each that is kept, never by looking again and again. */
import { fault } from '../../contract/errors.ts';

export interface Waiters {
  /**
   * What `look` finds, as soon as it finds something: at first, and after each `wake`. Undefined once the signal was
   * given. @throws IamError TOO_MANY_WAITERS.
   */
  waitFor<Found>(look: () => Promise<Found | undefined>, signal: AbortSignal): Promise<Found | undefined>;
  wake(): void;
  /** Lets everybody go, and whoever comes later. */
  end(): void;
}

/** So many wait at the same time: each looks through messages with every one that is kept. */
const mostWaiters = 100;

export function createWaiters(): Waiters {
  const bells = new Set<() => void>();
  let waiting = 0;
  let isOver = false;

  function wake(): void {
    for (const ring of [...bells]) ring();
  }

  /** Made before looking, so that nothing that comes meanwhile is missed. */
  function nextWake(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const ring = () => {
        bells.delete(ring);
        signal.removeEventListener('abort', ring);
        resolve();
      };
      bells.add(ring);
      signal.addEventListener('abort', ring);
      if (signal.aborted) ring();
    });
  }

  return {
    async waitFor(look, signal) {
      if (waiting >= mostWaiters) throw fault('TOO_MANY_WAITERS');
      waiting += 1;
      try {
        for (;;) {
          const next = nextWake(signal);
          const found = await look();
          if (found !== undefined || signal.aborted || isOver) return found;
          await next;
        }
      } finally {
        waiting -= 1;
      }
    },
    wake,
    end() {
      isOver = true;
      wake();
    },
  };
}
