/** Sends spans and metrics to a collector. One that is away costs a bounded queue, and never delays a request. */
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Timer } from '../lib/timer.ts';

export interface Post {
  readonly url: string;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Sends a request. @returns the status @throws if there is no response */
export type SendPost = (post: Post) => Promise<number>;

const maxQueued = 2_048;
const maxBatch = 512;
const logIntervalMs = 60_000;
const requestTimeoutMs = 10_000;
/** The statuses after which the specification of OTLP retries. */
const retryableStatuses = new Set([429, 502, 503, 504]);

export interface Delivery {
  /** @returns whether the body needs no further attempt. */
  post(url: string, body: string): Promise<boolean>;
  /** Counts an item that was not sent, for the log. */
  countDropped(count: number): void;
  /** Aborts requests in progress. */
  abort(): void;
}

/** Logs failures at most once a minute, without the URL and the headers, which can contain credentials. */
export function createDelivery(send: SendPost, { log, clock }: { log: Log; clock: Clock }): Delivery {
  const stopped = new AbortController();
  let lastLogged = -Infinity;
  let dropped = 0;

  function logFailure(reason: string): void {
    const now = clock.now().getTime();
    if (now - lastLogged < logIntervalMs) return;
    lastLogged = now;
    log.warn({ reason, dropped }, 'telemetry was not delivered to the collector');
    dropped = 0;
  }

  return {
    async post(url, body) {
      try {
        const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(requestTimeoutMs)]);
        const status = await send({ url, body, signal });
        if (status < 300) return true;
        logFailure(`status ${status}`);
        return !retryableStatuses.has(status);
      } catch (error) {
        const { code, name } = error as { code?: string; name?: string };
        logFailure(code ?? name ?? 'unknown');
        return false;
      }
    },
    countDropped(count) {
      dropped += count;
    },
    abort: () => stopped.abort(),
  };
}

export interface SpanQueue<Span> {
  /** Drops the span if the queue is full. */
  add(span: Span): void;
  /** Sends what is queued, up to the first failure. */
  flush(): Promise<void>;
}

/** Queues spans until a batch is sent. A batch that the collector cannot accept now stays in the queue. */
export function createSpanQueue<Span>(
  deliver: (spans: readonly Span[]) => Promise<boolean>,
  countDropped: (count: number) => void,
): SpanQueue<Span> {
  const queue: Span[] = [];
  let running: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, maxBatch);
      if (!(await deliver(batch))) return;
      queue.splice(0, batch.length);
    }
  }

  return {
    add(span) {
      if (queue.length < maxQueued) queue.push(span);
      else countDropped(1);
    },
    async flush() {
      // A flush in progress also sends what was queued since.
      running ??= sendAll().finally(() => {
        running = undefined;
      });
      await running;
    },
  };
}

/** Repeats work with a pause after each run. @returns a function that ends it */
export function repeat(timer: Timer, milliseconds: number, work: () => Promise<void>): () => void {
  let ended = false;
  let cancel = timer.after(milliseconds, run);
  function run(): void {
    void work().finally(() => {
      if (!ended) cancel = timer.after(milliseconds, run);
    });
  }
  return () => {
    ended = true;
    cancel();
  };
}
