/** Pagination: the `Link` header (RFC 8288) with an opaque cursor that is valid only for its list and filters. */
import { hash } from 'node:crypto';
import { fieldError } from '../../contract/errors.ts';
import { parseQuery } from './query.ts';

/** The list a cursor belongs to: an operation, its path and its filters, without limit, after and count. */
export interface ListIdentity {
  readonly operationId: string;
  readonly params: object;
  readonly query: Readonly<Record<string, unknown>>;
}

function computeDigest({ operationId, params, query }: ListIdentity): string {
  const { limit: _limit, after: _after, count: _count, ...filters } = query;
  const identity = JSON.stringify([operationId, Object.entries(params).sort(), Object.entries(filters).sort()]);
  return hash('sha256', identity, 'base64url').slice(0, 8);
}

/** The cursor that continues after this key. */
function formatCursor(key: string, list: ListIdentity): string {
  return encodeCursor(computeDigest(list), key);
}

function encodeCursor(digest: string, key: string): string {
  return Buffer.from(`${digest}${key}`).toString('base64url');
}

/** The `Link` header of a page: the URL of the next one, with the filters of this one. It does not count the entries again. */
export function formatNextLink(url: string, query: string, next: string, list: ListIdentity): string {
  const search = parseQuery(query);
  search.set('after', formatCursor(next, list));
  search.delete('count');
  return `<${url}?${search}>; rel="next"`;
}

/** The key that a cursor continues after. @throws IamError CURSOR_INVALID. */
export function parseCursor(cursor: string, list: ListIdentity): string {
  const digest = computeDigest(list);
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!text.startsWith(digest) || encodeCursor(digest, text.slice(digest.length)) !== cursor)
    throw fieldError('CURSOR_INVALID', 'after');
  return text.slice(digest.length);
}
