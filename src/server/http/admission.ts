/**
 * Admission: passes a bounded number of requests to the app per event-loop turn. Without it, all requests that have
 * arrived are handled before timers and sockets run again. Queued requests are served round robin by source, so a source
 * that sends thousands delays only its own requests.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { FairQueue } from '../lib/fair-queue.ts';
import type { SourceReader } from '../lib/request-source.ts';
import { splitTarget } from './paths.ts';

/** Fast requests admitted per turn: takes a few milliseconds and is enough to share one disk write. */
const maxPerTurn = 32;

/** Slow requests, such as logins, admitted per turn; other requests do not wait for them. */
const maxSlowPerTurn = 8;

export interface AdmissionOptions {
  /** Paths whose POST requests use a separate queue. */
  readonly slowPaths: ReadonlySet<string>;
  readonly readSource: SourceReader;
  /** Max queued requests per source and queue. */
  readonly maxQueued: number;
  /** Responds to a request that exceeds `maxQueued`. */
  readonly reject: RequestListener;
}

export function createAdmission(listener: RequestListener, options: AdmissionOptions): RequestListener {
  const { slowPaths } = options;
  const slow = createGate(maxSlowPerTurn, listener, options);
  const others = createGate(maxPerTurn, listener, options);
  return (request, response) => (isSlow(request, slowPaths) ? slow : others)(request, response);
}

/** Wraps the listener so that it runs at most `maxAdmitted` times per turn. */
function createGate(
  maxAdmitted: number,
  listener: RequestListener,
  { readSource, maxQueued, reject }: AdmissionOptions,
) {
  const waiting = new FairQueue<Parameters<RequestListener>>();
  /** Requests admitted since the last reset. Under low load no reset is scheduled, because it would cost more than it saves. */
  let admitted = 0;
  const resetThreshold = maxAdmitted / 4;

  function admit(...exchange: Parameters<RequestListener>): void {
    admitted += 1;
    if (admitted === resetThreshold) setImmediate(nextTurn);
    listener(...exchange);
  }

  /** Skips requests whose client has disconnected. */
  function nextTurn(): void {
    admitted = 0;
    while (admitted < maxAdmitted) {
      const exchange = waiting.shift();
      if (!exchange) return;
      if (!exchange[0].destroyed) admit(...exchange);
    }
  }

  function enqueue(...exchange: Parameters<RequestListener>): void {
    const { network } = readSource(exchange[0]);
    if (waiting.sizeOf(network) < maxQueued) waiting.push([network], exchange);
    else reject(...exchange);
  }

  return (...exchange: Parameters<RequestListener>): void =>
    admitted < maxAdmitted ? admit(...exchange) : enqueue(...exchange);
}

function isSlow({ method, url = '' }: IncomingMessage, paths: ReadonlySet<string>): boolean {
  return method === 'POST' && paths.has(splitTarget(url).path);
}
