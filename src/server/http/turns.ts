/**
 * Lets calls in a few at a time. What has arrived is otherwise all worked off before timers and sockets are looked at
 * again, and the event loop is away for as long as the whole crowd takes.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { splitTarget } from './paths.ts';

/** Of all calls so many, which takes some milliseconds, and is enough to share a write to the disk. */
const atOnce = 32;

/** Of those that take longest, such as logins when everybody comes back at once, fewer; nobody else waits for them. */
const crowdedAtOnce = 8;

/** The listener, with calls let in a few in each turn of the event loop; those to crowded paths have a line of their own. */
export function inTurns(listener: RequestListener, crowdedPaths: ReadonlySet<string>): RequestListener {
  const crowded = lettingIn(crowdedAtOnce, listener);
  const others = lettingIn(atOnce, listener);
  return (request, response) => (isCrowded(request, crowdedPaths) ? crowded : others)(request, response);
}

/** The listener, with at most so many calls let in in each turn, in the order they came. */
function lettingIn(most: number, listener: RequestListener): RequestListener {
  const waiting: Parameters<RequestListener>[] = [];
  /** Since this was last looked at, which is not in each turn: where few come, that would cost more than it is for. */
  let letIn = 0;
  const toBeLookedAt = most / 4;

  function enter(...call: Parameters<RequestListener>): void {
    letIn += 1;
    if (letIn === toBeLookedAt) setImmediate(nextTurn);
    listener(...call);
  }

  /** Whoever has hung up meanwhile is passed over: nobody would read the answer. */
  function nextTurn(): void {
    letIn = 0;
    while (letIn < most) {
      const call = waiting.shift();
      if (!call) return;
      if (!call[0].destroyed) enter(...call);
    }
  }

  return (request, response) => {
    if (letIn < most) enter(request, response);
    else waiting.push([request, response]);
  };
}

function isCrowded({ method, url = '' }: IncomingMessage, paths: ReadonlySet<string>): boolean {
  return method === 'POST' && paths.has(splitTarget(url).path);
}
