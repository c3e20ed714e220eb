/**
 * Admission: reads the requests that have arrived, then passes a bounded number of them to the app in one event-loop turn.
 * Without a bound, all would be handled before timers and sockets run again. Handled one after the other, requests take
 * about half the CPU time of requests handled between reads of sockets (docs/bench.md). Queued requests are served round
 * robin by source, so a source that sends thousands delays only its own requests.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { setImmediate } from '../../lib/host.ts';
import type { SourceReader } from '../lib/request-source.ts';
import { FairQueue } from './fair-queue.ts';
import { limits } from './table.ts';

export interface AdmissionOptions {
  /** Whether a request uses a separate queue, such as a login: other requests do not wait for them. */
  isSlow(request: IncomingMessage): boolean;
  readonly readSource: SourceReader;
  /** Max requests per source and queue in addition to those of the next turn. */
  readonly maxQueued: number;
  /** Responds to a request that exceeds `maxQueued`. */
  readonly reject: RequestListener;
}

export function createAdmission(listener: RequestListener, options: AdmissionOptions): RequestListener {
  const slow = createGate(limits.slowRequestsPerTurn.max, listener, options);
  const others = createGate(limits.requestsPerTurn.max, listener, options);
  return (request, response) => (options.isSlow(request) ? slow : others)(request, response);
}

/** Wraps the listener so that it runs after the sockets were read, at most `maxAdmitted` times per turn. */
function createGate(
  maxAdmitted: number,
  listener: RequestListener,
  { readSource, maxQueued, reject }: AdmissionOptions,
): RequestListener {
  const waiting = new FairQueue<Parameters<RequestListener>>();
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(runTurn);
  }

  /** Skips requests whose client has disconnected. */
  function runTurn(): void {
    isScheduled = false;
    for (let admitted = 0; admitted < maxAdmitted; ) {
      const exchange = waiting.shift();
      if (!exchange) return;
      if (exchange[0].destroyed) continue;
      admitted += 1;
      listener(...exchange);
    }
    if (waiting.size > 0) schedule();
  }

  return (...exchange) => {
    const { network } = readSource(exchange[0]);
    if (waiting.sizeOf(network) >= maxAdmitted + maxQueued) {
      reject(...exchange);
      return;
    }
    waiting.push([network], exchange);
    schedule();
  };
}
