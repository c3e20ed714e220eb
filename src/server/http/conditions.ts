/** Conditions of requests: If-Match and If-None-Match (RFC 9110, 13.1). */
import { apiError } from '../../contract/errors.ts';

/** Returns whether a condition, as in If-Match, matches this ETag: `*`, or one of the list. */
export function matchesEtag(condition: string, etag: string): boolean {
  return condition.trim() === '*' || listEtags(condition).includes(etag);
}

/** @throws IamError CHANGED_MEANWHILE if If-Match does not match, with the reason if no ETag could match in this form. */
export function assertIfMatch(condition: string, etag: string): void {
  if (matchesEtag(condition, etag)) return;
  const unusable = listEtags(condition).find((candidate) => !/^"[^"]*"$/.test(candidate));
  throw apiError('CHANGED_MEANWHILE', unusable === undefined ? undefined : explainUnusable(unusable));
}

function explainUnusable(etag: string): string {
  return etag.startsWith('W/')
    ? 'If-Match contains a weak ETag (W/"..."), which never matches. A proxy that compresses responses makes ETags weak: switch compression off there.'
    : 'If-Match contains an ETag without its quotes, which never matches. Send the ETag exactly as it was received: "..." with both quotes.';
}

const listEtags = (condition: string) => condition.split(',').map((candidate) => candidate.trim());
