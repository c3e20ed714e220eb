/** Headers that browsers set and pages cannot change: Origin and Fetch Metadata (W3C). */
import type { IncomingHttpHeaders } from 'node:http';
import { consoleRequester } from '../../contract/prefix.ts';

const safeMethods = new Set<string | undefined>(['GET', 'HEAD', 'OPTIONS']);

/** Returns whether a method is safe (RFC 9110, 9.2.1). */
export function isSafeMethod(method: string | undefined): boolean {
  return safeMethods.has(method);
}

/** Node's `fetch` is not a browser, and sends only `Sec-Fetch-Mode: cors`. */
export function isFromBrowser(headers: IncomingHttpHeaders): boolean {
  const { origin, 'sec-fetch-mode': mode = 'cors' } = headers;
  const signals = [origin, headers['sec-fetch-site'], headers['sec-fetch-dest'], headers['sec-fetch-user']];
  return mode !== 'cors' || signals.some((value) => value !== undefined);
}

/** Returns false for a request that another site caused, by a link, an image, a form or a script. */
export function isSameSite(headers: IncomingHttpHeaders, isOwnOrigin: (origin: string) => boolean): boolean {
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  if (origin !== undefined && !isOwnOrigin(origin)) return false;
  // Other ports of this host are the same site; requests from their pages have Origin unless they only embed or link.
  return site === 'none' || site === 'same-origin' || (site === 'same-site' && origin !== undefined);
}

/** A followed link or a typed address: the response becomes a top-level page, which no other page can read. */
export function isNavigation(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const { origin, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  return method === 'GET' && mode === 'navigate' && destination === 'document' && origin === undefined;
}

const frames: readonly string[] = ['iframe', 'frame'];

/**
 * Whether a page of a browser loads it as a part, such as an image, an `object` or a `fetch`, or before a click (Sec-Purpose),
 * and not as a page in a window or frame.
 */
export function isLoadedByPage(headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination = 'document' } = headers;
  const isPage = mode === 'navigate' && (destination === 'document' || frames.includes(destination));
  return isFromBrowser(headers) && (!isPage || headers['sec-purpose'] !== undefined);
}

/** Whether a page of another origin, such as another port of this host, loads it in a frame. */
export function isFramed({
  'sec-fetch-dest': destination = 'document',
  'sec-fetch-site': site,
}: IncomingHttpHeaders): boolean {
  return frames.includes(destination) && site !== 'same-origin';
}

/** Whether a page of these origins or a program sent the form. Without Fetch Metadata, as over http, browsers send only Origin. */
export function isOwnForm(
  { origin, 'sec-fetch-site': site }: IncomingHttpHeaders,
  ownOrigins: readonly string[],
): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === undefined || ownOrigins.includes(origin);
}

/** Whether a script sent the request: forms, images and beacons send neither header without a preflight (Fetch, CORS-safelisted). */
export function isFromScript(headers: IncomingHttpHeaders): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === 'application/json' || (headers['x-requested-with'] ?? '') !== '';
}

/** Whether a request has the header of the web console. Any caller can send it. */
export function hasConsoleHeader(headers: IncomingHttpHeaders): boolean {
  return headers['x-requested-with'] === consoleRequester;
}
