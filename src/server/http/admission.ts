/**
 * Admission: hands a bounded number of requests to the app in each turn of the event loop. Whatever has arrived would
 * otherwise all be worked off before timers and sockets are looked at again. Requests that wait are served round robin by
 * source, so a source that sends thousands delays itself and no other.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { FairQueue } from '../fair-queue.ts';
import { splitTarget } from './paths.ts';
import type { SourceReader } from './request-source.ts';

/** Of all requests so many, which takes some milliseconds, and is enough to share a write to the disk. */
const maxPerTurn = 32;

/** Of those that take longest, such as logins when a crowd comes back at once, fewer; no other request waits for them. */
const maxSlowPerTurn = 8;

export interface AdmissionOptions {
  /** Requests to these have a line of their own. */
  readonly slowPaths: ReadonlySet<string>;
  readonly readSource: SourceReader;
  /** So many requests of one source may wait in a line. */
  readonly maxQueued: number;
  /** Answers a request beyond these. */
  readonly reject: RequestListener;
}

export function createAdmission(listener: RequestListener, options: AdmissionOptions): RequestListener {
  const { slowPaths } = options;
  const slow = createGate(maxSlowPerTurn, listener, options);
  const others = createGate(maxPerTurn, listener, options);
  return (request, response) => (isSlow(request, slowPaths) ? slow : others)(request, response);
}

/** The listener, for at most so many requests in each turn. */
function createGate(
  maxAdmitted: number,
  listener: RequestListener,
  { readSource, maxQueued, reject }: AdmissionOptions,
) {
  const waiting = new FairQueue<Parameters<RequestListener>>();
  /** Since this was last looked at, which is not in each turn: where few come, that would cost more than it is for. */
  let admitted = 0;
  const resetThreshold = maxAdmitted / 4;

  function admit(...call: Parameters<RequestListener>): void {
    admitted += 1;
    if (admitted === resetThreshold) setImmediate(nextTurn);
    listener(...call);
  }

  /** A request whose caller has disconnected meanwhile is passed over. */
  function nextTurn(): void {
    admitted = 0;
    while (admitted < maxAdmitted) {
      const call = waiting.shift();
      if (!call) return;
      if (!call[0].destroyed) admit(...call);
    }
  }

  function enqueue(...call: Parameters<RequestListener>): void {
    const { network } = readSource(call[0]);
    if (waiting.sizeOf(network) < maxQueued) waiting.push([network], call);
    else reject(...call);
  }

  return (...call: Parameters<RequestListener>): void => (admitted < maxAdmitted ? admit(...call) : enqueue(...call));
}

function isSlow({ method, url = '' }: IncomingMessage, paths: ReadonlySet<string>): boolean {
  return method === 'POST' && paths.has(splitTarget(url).path);
}
