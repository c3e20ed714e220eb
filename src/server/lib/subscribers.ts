/** Subscribers that wait for new messages or requests: notified of each, without polling. */
import { setMaxListeners } from 'node:events';
import { apiError } from '../../contract/errors.ts';

export interface Subscribers {
  /**
   * Resolves with what `look` finds, as soon as it finds something: immediately, or after a `notify`. Resolves with
   * undefined when the signal aborts. @throws IamError TOO_MANY_WAITERS.
   */
  waitFor<Found>(look: () => Promise<Found | undefined>, signal: AbortSignal): Promise<Found | undefined>;
  /**
   * Yields everything that `look` finds, as soon as it finds something, until the client disconnects.
   * @throws IamError TOO_MANY_WAITERS.
   */
  subscribe<Found>(look: () => Promise<Found | undefined>, disconnectSignal: AbortSignal): Subscription<Found>;
  notify(): void;
  /** Calls `work` after each `notify`; `isWaited` returns whether it has an effect. @returns a function that unsubscribes. */
  onNotify(work: () => void, isWaited?: () => boolean): () => void;
  /** Whether something waits for the next `notify`. */
  isWaited(): boolean;
  /** Ends all waits and subscriptions, including later ones. */
  end(): void;
}

export interface Subscription<Found> {
  readonly items: AsyncIterable<Found>;
  /** Aborts when no further items follow, even if the client still has items to read. */
  readonly endSignal: AbortSignal;
}

/** Max concurrent waits, and max concurrent subscriptions: each runs its query on every notification. */
export const maxSubscribers = 100;

export function createSubscribers(): Subscribers {
  const listeners = new Set<() => void>();
  const followers = new Map<() => void, () => boolean>();
  const endController = new AbortController();
  setMaxListeners(maxSubscribers, endController.signal);
  let waiting = 0;
  let subscribing = 0;

  function notify(): void {
    for (const listener of [...listeners, ...followers.keys()]) listener();
  }

  /** Created before the query runs, so that no notification is missed. */
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
    isWaited: () => listeners.size > 0 || [...followers.values()].some((isWaited) => isWaited()),
    onNotify(work, isWaited = () => true) {
      followers.set(work, isWaited);
      return () => void followers.delete(work);
    },
    end() {
      endController.abort();
      notify();
    },
  };
}
