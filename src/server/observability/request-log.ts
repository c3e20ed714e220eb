/**
 * The request log: the last requests, in memory; the setting `request-log-size` limits their number. Entries reference existing objects and are redacted on read
 * (redaction.ts), so that recording is cheap.
 */

import { errorTable } from '../../contract/error-codes.ts';
import type { ErrorItem, ErrorReason } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Principal } from '../directory/principal.ts';
import type { Correlation } from '../http/correlation.ts';

/** Authentication method of a request, from its headers. */
export type CredentialKind = 'none' | 'client-id' | 'basic' | 'bearer' | 'api-key' | 'body' | 'other';

/** Mutable fields are assigned in place when the record is added, since a copy would be expensive. */
export interface RequestLogRecord {
  /** Increases with each request. */
  sequence: number;
  readonly requestId: string;
  readonly correlation: Correlation;
  /** Milliseconds since the epoch, by the server clock. */
  readonly at: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly method: string;
  readonly path: string;
  /** The query without its question mark. */
  readonly search: string;
  /** Undefined if the request matched no operation. */
  readonly operation: Operation<never> | undefined;
  readonly caller: Principal | undefined;
  /** Subject that sent the request or logged in, as in the log. */
  readonly actor: string;
  /** Undefined if the connection was closed before the response. */
  readonly status: number | undefined;
  errors: readonly ErrorItem[];
  /** Names and values, as `joinHeaders` joins them. */
  readonly headerText: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The parsed body, and its length in bytes. */
  body: unknown;
  readonly bodyLength: number;
  response: string | undefined;
  readonly responseLength: number;
  /** The injected fault, as in the X-Iam-Fault header. */
  readonly fault: string | undefined;
  /** How the access token differs from a normal one, if it is a test token. */
  readonly testToken: string | undefined;
  /** Only for rejected requests. */
  readonly credential: CredentialKind | undefined;
  readonly reason: ErrorReason | undefined;
}

/** Neither a name nor a value can contain it: the parser of HTTP rejects line feeds, also those of folded headers. */
const headerSeparator = '\n';

/** Joins names and values in turn: the collector copies every recorded text twice, and one text in less time than twenty. */
export function joinHeaders(rawHeaders: readonly string[]): string {
  return rawHeaders.join(headerSeparator);
}

/** The inverse of `joinHeaders`. */
export function splitHeaders(headerText: string): readonly string[] {
  return headerText === '' ? [] : headerText.split(headerSeparator);
}

export type RequestLogEntry = Readonly<RequestLogRecord>;

export interface RequestLog {
  add(record: RequestLogRecord): void;
  /** Iterates from newest to oldest. */
  newestFirst(): Iterable<RequestLogEntry>;
  /** Iterates from the oldest entry that is not before this sequence number. */
  oldestFirst(sequence: number): Iterable<RequestLogEntry>;
  /** The sequence number of the oldest stored request, and of the next one. */
  range(): { readonly first: number; readonly next: number };
  /** Finds a request by its id, or else the newest with this X-Request-Id of its caller. */
  find(requestId: string): RequestLogEntry | undefined;
  /** Deletes all records. Sequence numbers continue, so that cursors stay valid. */
  clear(): void;
}

/** Longer bodies are not stored, only their length. */
export const maxBodyLength = 8 * 1024;
const defaultMaxBytes = 16 * 1024 * 1024;
/** Estimated size of an entry without its strings. */
const entryOverhead = 600;

interface RequestLogOptions {
  readonly maxRequests: number;
  readonly maxBytes?: number;
  /** Called after each added record. */
  onAdded?(): void;
}

/** Creates a request log with a limit of entries and bytes; evicts the oldest first. */
export function createRequestLog({ maxRequests, maxBytes = defaultMaxBytes, onAdded }: RequestLogOptions): RequestLog {
  // Ring buffer: `first` is the sequence of the oldest entry, `next` that of the next one.
  const ring: (RequestLogEntry | undefined)[] = [];
  let [first, next, bytes] = [0, 0, 0];

  function evictOldest(): void {
    const at = first % maxRequests;
    const oldest = ring[at];
    if (oldest) bytes -= estimateSize(oldest);
    ring[at] = undefined;
    first += 1;
  }

  function* newestFirst(): Iterable<RequestLogEntry> {
    for (let sequence = next - 1; sequence >= first; sequence -= 1) {
      const record = ring[sequence % maxRequests];
      if (record) yield record;
    }
  }

  function* oldestFirst(start: number): Iterable<RequestLogEntry> {
    for (let sequence = Math.max(first, start); sequence < next; sequence += 1) {
      const record = ring[sequence % maxRequests];
      if (record) yield record;
    }
  }

  return {
    add(record) {
      if (maxRequests === 0) return;
      removeLongTexts(record);
      record.sequence = next;
      if (next - first === maxRequests) evictOldest();
      ring[next % maxRequests] = record;
      next += 1;
      bytes += estimateSize(record);
      while (bytes > maxBytes && first < next) evictOldest();
      onAdded?.();
    },
    newestFirst,
    oldestFirst,
    range: () => ({ first, next }),
    find(requestId) {
      let named: RequestLogEntry | undefined;
      for (const record of newestFirst()) {
        if (record.requestId === requestId) return record;
        if (record.correlation.callerRequestId === requestId) named ??= record;
      }
      return named;
    },
    clear() {
      while (first < next) evictOldest();
    },
  };
}

/**
 * Removes a long body, response or error messages. In place: V8 soon allocates all records directly in old space, where
 * one that is no longer used would retain its text until the next full collection.
 */
function removeLongTexts(record: RequestLogRecord): void {
  const { bodyLength, responseLength, errors } = record;
  if (bodyLength > maxBodyLength) record.body = undefined;
  if (responseLength > maxBodyLength) record.response = undefined;
  // Messages contain field names of the body, which the caller chooses.
  if (measureErrors(errors) > maxBodyLength)
    record.errors = errors.map(({ code }) => ({ code, message: errorTable[code].message }));
}

function estimateSize(record: RequestLogRecord): number {
  const { path, search, body, bodyLength, response, errors, headerText } = record;
  // A caller can send headers as long as the longest token.
  const texts = path.length + search.length + (response?.length ?? 0) + measureErrors(errors) + headerText.length;
  return entryOverhead + texts + (body === undefined ? 0 : bodyLength);
}

function lengthOfDetails(details: ErrorItem['details']): number {
  return details === undefined ? 0 : JSON.stringify(details).length;
}

function measureErrors(errors: readonly ErrorItem[]): number {
  return errors.reduce(
    (sum, { code, message, details }) => sum + code.length + message.length + lengthOfDetails(details),
    0,
  );
}
