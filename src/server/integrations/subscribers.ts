/** Callers who wait for something to be kept, a message or a call: woken by each, never by looking again and again. */
import { setMaxListeners } from 'node:events';
import { apiError } from '../../contract/errors.ts';

export interface Subscribers {
  /**
   * What `look` finds, as soon as it finds something: at first, and after each `wake`. Undefined once the signal was
   * given. @throws IamError TOO_MANY_WAITERS.
   */
  waitFor<Found>(look: () => Promise<Found | undefined>, signal: AbortSignal): Promise<Found | undefined>;
  /**
   * Everything that `look` finds, as soon as it finds something, until the signal is given: that the caller has gone.
   * @throws IamError TOO_MANY_WAITERS.
   */
  subscribe<Found>(look: () => Promise<Found | undefined>, disconnectSignal: AbortSignal): Subscription<Found>;
  notify(): void;
  /** Lets everybody go, and whoever comes later. */
  end(): void;
}

export interface Subscription<Found> {
  readonly items: AsyncIterable<Found>;
  /** Given when nothing more comes, whatever the caller still has to read. */
  readonly endSignal: AbortSignal;
}

/** So many wait at the same time, and so many follow: each looks with every one that is kept. */
export const maxSubscribers = 100;

export function createSubscribers(): Subscribers {
  const listeners = new Set<() => void>();
  const endController = new AbortController();
  setMaxListeners(maxSubscribers, endController.signal);
  let waiting = 0;
  let subscribing = 0;

  function notify(): void {
    for (const listener of [...listeners]) listener();
  }

  /** Made before looking, so that nothing that comes meanwhile is missed. */
  function nextNotification(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const listener = () => {
        listeners.delete(listener);
        signal.removeEventListener('abort', listener);
        resolve();
      };
      listeners.add(listener);
      signal.addEventListener('abort', listener);
      if (signal.aborted) listener();
    });
  }

  async function next<Found>(look: () => Promise<Found | undefined>, signal: AbortSignal): Promise<Found | undefined> {
    for (;;) {
      const notification = nextNotification(signal);
      const found = await look();
      if (found !== undefined || signal.aborted || endController.signal.aborted) return found;
      await notification;
    }
  }

  async function* iterate<Found>(
    look: () => Promise<Found | undefined>,
    disconnectSignal: AbortSignal,
  ): AsyncGenerator<Found> {
    while (!disconnectSignal.aborted) {
      const found = await next(look, disconnectSignal);
      if (found === undefined) return;
      yield found;
    }
  }

  return {
    async waitFor(look, signal) {
      if (waiting >= maxSubscribers) throw apiError('TOO_MANY_WAITERS');
      waiting += 1;
      try {
        return await next(look, signal);
      } finally {
        waiting -= 1;
      }
    },
    subscribe(look, disconnectSignal) {
      if (subscribing >= maxSubscribers) throw apiError('TOO_MANY_WAITERS');
      subscribing += 1;
      const release = () => {
        subscribing -= 1;
      };
      if (disconnectSignal.aborted) release();
      else disconnectSignal.addEventListener('abort', release, { once: true });
      return { items: iterate(look, disconnectSignal), endSignal: endController.signal };
    },
    notify,
    end() {
      endController.abort();
      notify();
    },
  };
}
