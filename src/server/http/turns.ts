/**
 * Calls that come in crowds, as logins do when everybody comes back at once, are let in a few at a time. What has arrived
 * is otherwise all worked off before the sockets are looked at again, and whoever asks for something else meanwhile waits
 * for the whole crowd.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { splitTarget } from './paths.ts';

/** So many, before others get a turn, that this takes a few milliseconds. */
const letInAtOnce = 8;

/** The listener, with calls to these paths let in a few in each turn of the event loop, in the order they came. */
export function inTurns(listener: RequestListener, crowdedPaths: ReadonlySet<string>): RequestListener {
  const waiting: Parameters<RequestListener>[] = [];
  let letIn = 0;

  function enter(...call: Parameters<RequestListener>): void {
    if (letIn === 0) setImmediate(nextTurn);
    letIn += 1;
    listener(...call);
  }

  /** Whoever has hung up meanwhile is passed over: nobody would read the answer. */
  function nextTurn(): void {
    letIn = 0;
    while (letIn < letInAtOnce) {
      const call = waiting.shift();
      if (!call) return;
      if (!call[0].destroyed) enter(...call);
    }
  }

  return (request, response) => {
    if (!isCrowded(request, crowdedPaths)) listener(request, response);
    else if (letIn < letInAtOnce) enter(request, response);
    else waiting.push([request, response]);
  };
}

function isCrowded({ method, url = '' }: IncomingMessage, paths: ReadonlySet<string>): boolean {
  return method === 'POST' && paths.has(splitTarget(url).path);
}
