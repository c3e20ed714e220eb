/** Conditions of requests: If-Match and If-None-Match (RFC 9110, 13.1). */
import type * as z from 'zod';
import { apiError } from '../../contract/errors.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { KoaContext } from './request-state.ts';
import { setHeader } from './response.ts';
import type { Serializers } from './serializer.ts';

/** What handlers do with the ETags of entities. */
export interface Conditions {
  /**
   * Checks If-Match against a representation of the entity, or against its stored fields if the request has an ETag of
   * them. @throws IamError CHANGED_MEANWHILE
   */
  assertMatch(schema: z.ZodType, current: object, stored?: object): void;
  /** Checks If-Match against the stored fields of an entity. @throws IamError CHANGED_MEANWHILE */
  assertStoredMatch(stored: object): void;
  /** Sets the ETag of the response: that of the stored fields which an update of the entity writes. */
  setStoredEtag(stored: object): void;
}

/** Creates the conditions of one request. */
export function createConditions(
  ctx: KoaContext,
  { serializers, storeSecret }: { readonly serializers: Serializers; readonly storeSecret: StoreSecret },
): Conditions {
  const ifMatch = ctx.req.headers['if-match'];
  // Keyed: the response of the ETag masks the fields, and a plain hash of a phone number can be guessed.
  const computeStoredEtag = (stored: object) => `"${storeSecret.digest('etag', canonicalJson(stored)).slice(0, 32)}"`;
  return {
    assertMatch(schema, current, stored) {
      if (ifMatch === undefined) return;
      const etags = stored === undefined ? [] : [computeStoredEtag(stored)];
      assertIfMatch(ifMatch, serializers(schema).computeEtag(current), ...etags);
    },
    assertStoredMatch(stored) {
      if (ifMatch !== undefined) assertIfMatch(ifMatch, computeStoredEtag(stored));
    },
    setStoredEtag: (stored) => setHeader(ctx, 'ETag', computeStoredEtag(stored)),
  };
}

/** Returns whether a condition, as in If-Match, matches this ETag: `*`, or one of the list. */
export function matchesEtag(condition: string, etag: string): boolean {
  return condition.trim() === '*' || listEtags(condition).includes(etag);
}

/** @throws IamError CHANGED_MEANWHILE if If-Match matches none, with the reason if no ETag could match in this form. */
function assertIfMatch(condition: string, ...etags: readonly string[]): void {
  if (etags.some((etag) => matchesEtag(condition, etag))) return;
  const candidates = listEtags(condition);
  const reasons = candidates.length === 0 ? [emptyReason] : candidates.map(explainUnusable);
  throw apiError(
    'CHANGED_MEANWHILE',
    reasons.find((found) => found !== undefined),
  );
}

/** What Apache, Jetty and others add to the ETag of a response that they compress, within the quotes. */
const compressionSuffix = /[-;:](?:x-)?(?:gzip|br|zstd|deflate)"$/i;

const emptyReason = 'If-Match is empty, which never matches. Send an ETag as it was received, or leave the header out.';

function explainUnusable(etag: string): string | undefined {
  if (/^W\//i.test(etag))
    return 'If-Match contains a weak ETag (W/"..."), which never matches. A proxy that compresses responses makes ETags weak: switch compression off there.';
  if (!/^"[^"]*"$/.test(etag))
    return 'If-Match contains an ETag without its quotes, which never matches. Send the ETag exactly as it was received: "..." with both quotes.';
  return compressionSuffix.test(etag)
    ? `If-Match contains an ETag with the suffix of a compression (${etag.slice(etag.search(compressionSuffix), -1)}), which never matches. A proxy that compresses responses adds it: switch compression off there.`
    : undefined;
}

/** Recipients ignore empty elements of a list (RFC 9110, 5.6.1). */
const listEtags = (condition: string) =>
  condition
    .split(',')
    .map((candidate) => candidate.trim())
    .filter((candidate) => candidate !== '');
