/**
 * Limits concurrent password hashes. They share the runtime's four threads with disk writes and signatures, so more
 * concurrency would only delay everything else. Sources are served round-robin, and clients within a source too; when the
 * queue is full, the newest waiter of the longest source is rejected.
 */
import { type IamError, retryLater } from '../../contract/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { FairQueue, type FlowKey } from './fair-queue.ts';
import { limits } from './table.ts';

/** Thrown to abort work when the client has disconnected. */
export class ClientDisconnectedError extends Error {
  override readonly name = 'ClientDisconnectedError';
}

/** The queue flow of a hash, and the disconnect signal of its request. */
export interface HashFlow {
  readonly flow: FlowKey;
  /** Aborts when the client disconnects; the hash is then removed from the queue. */
  disconnectSignal?(): AbortSignal;
}

/**
 * The flow of a request. Within a source, each authenticated client has a separate flow, and so does each address that
 * it forwards: an unauthenticated caller can neither use a client's flow nor invent sources.
 * @param clientId of the authenticated client; undefined for an identified one.
 */
export function toFlowKey(
  { network, key }: Pick<RequestSource, 'network' | 'key'>,
  clientId: string | undefined,
): FlowKey {
  return [network, clientId ?? '', key];
}

/** The flow for hashes of the server, such as passwords of the seed. */
export const internalFlow: HashFlow = { flow: ['', '', ''] };

export interface HashQueue {
  /** Runs `work` when a slot is free. @throws IamError TOO_BUSY with Retry-After; ClientDisconnectedError. */
  run<Result>(work: () => Promise<Result>, flow: HashFlow): Promise<Result>;
  waiting(): number;
}

export interface HashQueueOptions {
  readonly concurrency: number;
  /** Default: the number of hashes in the table of limits. */
  readonly maxWaiting?: number | undefined;
  /** The error for work that finds no place. Default: TOO_BUSY. */
  readonly createError?: (retryAfterSeconds: number) => IamError;
  /** Measures the duration of hashes. */
  readonly clock: Clock;
}

interface Waiter {
  start(): void;
  reject(error: Error): void;
}

export function createHashQueue({
  concurrency,
  maxWaiting: waiting = limits.waitingHashes.max,
  createError = (seconds) => retryLater('TOO_BUSY', seconds),
  clock,
}: HashQueueOptions): HashQueue {
  const queue = new FairQueue<Waiter>({ drops: true });
  const estimate = createDurationEstimate(clock);
  let running = 0;

  function acquireSlot(flow: HashFlow): Promise<void> | undefined {
    if (running >= concurrency) return new Promise((start, reject) => enqueue(flow, { start, reject }));
    running += 1;
    return undefined;
  }

  function enqueue({ flow, disconnectSignal }: HashFlow, waiter: Waiter): void {
    const entry = queue.push(flow, waiter);
    // The dropped entry may be the new one. All other waiting hashes are served before the newest of the longest flow.
    if (queue.size > waiting)
      queue
        .dropFromLongest()
        ?.reject(createError(toSeconds(((running + queue.size) / concurrency) * estimate.milliseconds())));
    if (!entry.node || !disconnectSignal) return;
    const signal = disconnectSignal();
    const cancel = () => void (queue.remove(entry) && waiter.reject(new ClientDisconnectedError()));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  }

  /** Passes the slot to the next waiter, or frees it if none waits. */
  function releaseSlot(): void {
    const next = queue.shift();
    if (next) next.start();
    else running -= 1;
  }

  return {
    async run(work, flow) {
      await acquireSlot(flow);
      try {
        return await estimate.measure(work);
      } finally {
        releaseSlot();
      }
    },
    waiting: () => queue.size,
  };
}

/** Retry-After covers all currently waiting hashes: an earlier retry would be rejected again. */
function toSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}

interface DurationEstimate {
  /** The current estimate for one hash. */
  milliseconds(): number;
  measure<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** The estimate before the first measurement. */
const initialEstimateMs = 25;
/** Weight of a moving average, low enough that the slow hashes of a sudden load peak do not dominate it. */
const sampleWeight = 1 / 32;

/** Concurrent hashes take longer because they share the cores; the estimate includes that. */
function createDurationEstimate(clock: Clock): DurationEstimate {
  let average = initialEstimateMs;
  return {
    milliseconds: () => average,
    async measure(work) {
      const startedAt = clock.now().getTime();
      try {
        return await work();
      } finally {
        // Ignore a clock that was set back in the meantime.
        const elapsed = Math.max(0, clock.now().getTime() - startedAt);
        average += (elapsed - average) * sampleWeight;
      }
    },
  };
}
