/** Callers who wait for something to be kept, a message or a call: woken by each, never by looking again and again. */
import { setMaxListeners } from 'node:events';
import { fault } from '../../contract/errors.ts';

export interface Waiters {
  /**
   * What `look` finds, as soon as it finds something: at first, and after each `wake`. Undefined once the signal was
   * given. @throws IamError TOO_MANY_WAITERS.
   */
  waitFor<Found>(look: () => Promise<Found | undefined>, signal: AbortSignal): Promise<Found | undefined>;
  /**
   * Everything that `look` finds, as soon as it finds something, until the signal is given: that the caller has gone.
   * @throws IamError TOO_MANY_WAITERS.
   */
  follow<Found>(look: () => Promise<Found | undefined>, gone: AbortSignal): Following<Found>;
  wake(): void;
  /** Lets everybody go, and whoever comes later. */
  end(): void;
}

export interface Following<Found> {
  readonly found: AsyncIterable<Found>;
  /** Given when nothing more comes, whatever the caller still has to read. */
  readonly over: AbortSignal;
}

/** So many wait at the same time, and so many follow: each looks with every one that is kept. */
export const mostWaiters = 100;

export function createWaiters(): Waiters {
  const bells = new Set<() => void>();
  const over = new AbortController();
  setMaxListeners(mostWaiters, over.signal);
  let waiting = 0;
  let following = 0;

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

  async function next<Found>(look: () => Promise<Found | undefined>, signal: AbortSignal): Promise<Found | undefined> {
    for (;;) {
      const woken = nextWake(signal);
      const found = await look();
      if (found !== undefined || signal.aborted || over.signal.aborted) return found;
      await woken;
    }
  }

  async function* all<Found>(look: () => Promise<Found | undefined>, gone: AbortSignal): AsyncGenerator<Found> {
    while (!gone.aborted) {
      const found = await next(look, gone);
      if (found === undefined) return;
      yield found;
    }
  }

  return {
    async waitFor(look, signal) {
      if (waiting >= mostWaiters) throw fault('TOO_MANY_WAITERS');
      waiting += 1;
      try {
        return await next(look, signal);
      } finally {
        waiting -= 1;
      }
    },
    follow(look, gone) {
      if (following >= mostWaiters) throw fault('TOO_MANY_WAITERS');
      following += 1;
      const leave = () => {
        following -= 1;
      };
      if (gone.aborted) leave();
      else gone.addEventListener('abort', leave, { once: true });
      return { found: all(look, gone), over: over.signal };
    },
    wake,
    end() {
      over.abort();
      wake();
    },
  };
}
