/** What a browser says of a request by itself, and no page can change: Origin and Fetch Metadata (W3C). */
import type { IncomingHttpHeaders } from 'node:http';

const safeMethods = new Set<string | undefined>(['GET', 'HEAD', 'OPTIONS']);

/** Whether requests of this method change nothing (RFC 9110, 9.2.1). */
export function isSafeMethod(method: string | undefined): boolean {
  return safeMethods.has(method);
}

/** Node's own fetch sends `Sec-Fetch-Mode: cors` alone, and is no browser. */
export function isFromBrowser(headers: IncomingHttpHeaders): boolean {
  const { origin, 'sec-fetch-mode': mode = 'cors' } = headers;
  const signals = [origin, headers['sec-fetch-site'], headers['sec-fetch-dest'], headers['sec-fetch-user']];
  return mode !== 'cors' || signals.some((value) => value !== undefined);
}

/** False for a request that another site caused: a link or image on it, its form, its script. */
export function isSameSite(headers: IncomingHttpHeaders, isOwnOrigin: (origin: string) => boolean): boolean {
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  if (origin !== undefined && !isOwnOrigin(origin)) return false;
  // Other ports of this host are the same site; their pages show their origin unless they only embed or link.
  return site === 'none' || site === 'same-origin' || (site === 'same-site' && origin !== undefined);
}

/** A person followed a link, or typed the address: the answer becomes a page of its own, which no other page can read. */
export function isNavigation(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const { origin, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  return method === 'GET' && mode === 'navigate' && destination === 'document' && origin === undefined;
}

/** Whether a script wrote the request: forms, images and beacons send neither header without a preflight (Fetch, CORS-safelisted). */
export function isFromScript(headers: IncomingHttpHeaders): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === 'application/json' || (headers['x-requested-with'] ?? '') !== '';
}
