/**
 * Password hashes, a few at a time. They share the runtime's four threads with disk writes and signatures, so more in
 * flight would only make everything else wait. They are served round robin by source, then by authenticated client; when
 * the queue is full, the newest waiter of the longest source is rejected.
 */
import { retryLater } from '../../contract/errors.ts';
import { ClientDisconnected } from '../client-disconnected.ts';
import type { Clock } from '../clock.ts';
import { FairQueue, type Lane } from '../fair-queue.ts';
import type { RequestSource } from '../http/request-source.ts';

/** On whose behalf a hash is computed. */
export interface HashLane {
  readonly lane: Lane;
  /** Aborts when the caller disconnects, which gives up its place. */
  disconnectSignal?(): AbortSignal;
}

/**
 * The lane of a call. An authenticated client is a lane of its own within the source, and so is each address that it
 * forwards: a stranger can neither claim a client nor make sources up.
 * @param clientId of the authenticated client; an identified one counts as none.
 */
export function toLane({ network, key }: Pick<RequestSource, 'network' | 'key'>, clientId: string | undefined): Lane {
  return [network, clientId ?? '', key];
}

/** What the server hashes for itself, such as passwords of the seed. */
export const internalLane: HashLane = { lane: ['', '', ''] };

export interface HashQueue {
  /** Runs `work` when its turn comes. @throws IamError TOO_BUSY with Retry-After; ClientDisconnected. */
  run<Result>(work: () => Promise<Result>, lane: HashLane): Promise<Result>;
  /** How many wait for their turn. */
  waiting(): number;
}

export interface HashQueueOptions {
  readonly concurrency: number;
  readonly maxWaiting: number;
  /** Tells how long hashes take. */
  readonly clock: Clock;
}

interface Waiter {
  start(): void;
  reject(error: Error): void;
}

export function createHashQueue({ concurrency, maxWaiting: waiting, clock }: HashQueueOptions): HashQueue {
  const queue = new FairQueue<Waiter>();
  const estimate = createDurationEstimate(clock);
  let running = 0;

  function acquireSlot(lane: HashLane): Promise<void> | undefined {
    if (running >= concurrency) return new Promise((start, reject) => enqueue(lane, { start, reject }));
    running += 1;
    return undefined;
  }

  function enqueue({ lane, disconnectSignal }: HashLane, waiter: Waiter): void {
    const entry = queue.push(lane, waiter);
    // It may be the new one itself. Everything that waits is served before the newest of the longest lane would be.
    if (queue.size > waiting)
      queue
        .dropFromLongest()
        ?.reject(createTooBusyError(((running + queue.size) / concurrency) * estimate.milliseconds()));
    if (!entry.node || !disconnectSignal) return;
    const signal = disconnectSignal();
    const leave = () => void (queue.remove(entry) && waiter.reject(new ClientDisconnected()));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }

  /** The turn goes from one to the next; it is given back when no one waits. */
  function releaseSlot(): void {
    const next = queue.shift();
    if (next) next.start();
    else running -= 1;
  }

  return {
    async run(work, lane) {
      await acquireSlot(lane);
      try {
        return await estimate.measure(work);
      } finally {
        releaseSlot();
      }
    },
    waiting: () => queue.size,
  };
}

/** A rejected caller is told to come back when all that waits now is done: earlier it would only be rejected again. */
function createTooBusyError(milliseconds: number) {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return retryLater('TOO_BUSY', seconds);
}

interface DurationEstimate {
  /** About how long one takes now. */
  milliseconds(): number;
  measure<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** What a hash takes on a machine of these days, until one was measured. */
const initialEstimateMs = 25;
/** A moving average, so slow that the rush of a crowd, which slows the hashes of its first second, does not count for all. */
const sampleWeight = 1 / 32;

/** With several in flight each takes longer, and that is what counts: they share the cores with each other as well. */
function createDurationEstimate(clock: Clock): DurationEstimate {
  let average = initialEstimateMs;
  return {
    milliseconds: () => average,
    async measure(work) {
      const startedAt = clock.now().getTime();
      try {
        return await work();
      } finally {
        // A clock that was set back meanwhile tells nothing.
        const elapsed = Math.max(0, clock.now().getTime() - startedAt);
        average += (elapsed - average) * sampleWeight;
      }
    },
  };
}
