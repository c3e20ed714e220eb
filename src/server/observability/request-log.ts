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

/**
 * What is known of a request body: nothing was sent, it was read, or why it is not shown. A refused request is not read by
 * its operation; it was sent in a form that its operation does not accept; or it is longer than what the log stores.
 */
export const bodyStates = ['none', 'read', 'not-read', 'not-json', 'too-long'] as const;
export type BodyState = (typeof bodyStates)[number];

/** Mutable fields are assigned in place when the record is added, since a copy would be expensive. */
export interface RequestLogRecord {
  /** Increases with each request. */
  sequence: number;
  readonly requestId: string;
  /** How the web console uses the service with this request; undefined if another program sent it. */
  readonly consoleUse: 'read' | 'write' | undefined;
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
  /** The parsed body, its length in bytes, and whether it is known. */
  body: unknown;
  bodyLength: number;
  bodyState: BodyState;
  response: string | undefined;
  readonly responseLength: number;
  /** The injected fault, as in the X-Iam-Fault header. */
  readonly fault: string | undefined;
  /** The login with a browser or of a device that the request is a step of. */
  readonly flow: string | undefined;
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

/** The value of a request header; its name in lower case. */
export function findHeader({ headerText }: RequestLogEntry, name: string): string | undefined {
  const headers = splitHeaders(headerText);
  const at = headers.findIndex((header, index) => index % 2 === 0 && header.toLowerCase() === name);
  return at < 0 ? undefined : headers[at + 1];
}

export type RequestLogEntry = Readonly<RequestLogRecord>;

export interface RequestLog {
  add(record: RequestLogRecord): void;
  /** Iterates from newest to oldest, without reads of the console by default. */
  newestFirst(options?: { readonly withConsole?: boolean | undefined }): Iterable<RequestLogEntry>;
  /** Iterates from the oldest entry that is not before this sequence number, without reads of the console. */
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
/** Reads of the console that are stored. */
const maxConsoleReads = 200;
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
  const requests = createRing(maxRequests, maxBytes);
  // A ring of its own: the console evicts no requests of others.
  const consoleReads = createRing(Math.min(maxRequests, maxConsoleReads), maxBytes / 8);
  let next = 0;

  const newestFirst: RequestLog['newestFirst'] = ({ withConsole = false } = {}) =>
    withConsole ? mergeNewestFirst(requests.newestFirst(), consoleReads.newestFirst()) : requests.newestFirst();

  return {
    add(record) {
      removeLongTexts(record);
      record.sequence = next;
      next += 1;
      if (record.consoleUse === 'read') return consoleReads.add(record);
      requests.add(record);
      if (maxRequests > 0) onAdded?.();
    },
    newestFirst,
    oldestFirst: requests.oldestFirst,
    range: () => ({ first: requests.first(), next }),
    find(requestId) {
      let named: RequestLogEntry | undefined;
      for (const record of newestFirst({ withConsole: true })) {
        if (record.requestId === requestId) return record;
        if (record.correlation.callerRequestId === requestId) named ??= record;
      }
      return named;
    },
    clear() {
      requests.clear();
      consoleReads.clear();
    },
  };
}

/** A ring buffer of entries with increasing sequence numbers. */
function createRing(maxEntries: number, maxBytes: number) {
  const ring: (RequestLogEntry | undefined)[] = [];
  // Positions of the oldest entry and of the next one.
  let [start, end, bytes] = [0, 0, 0];
  /** The sequence number after the last evicted entry. */
  let first = 0;
  const at = (position: number) => ring[position % maxEntries] as RequestLogEntry;

  function evictOldest(): void {
    const oldest = at(start);
    bytes -= estimateSize(oldest);
    first = oldest.sequence + 1;
    ring[start % maxEntries] = undefined;
    start += 1;
  }

  /** The position of the oldest entry that is not before this sequence number. */
  function findPosition(sequence: number): number {
    let [low, high] = [start, end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (at(middle).sequence < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    first: () => first,
    add(record: RequestLogRecord) {
      if (maxEntries === 0) return;
      if (end - start === maxEntries) evictOldest();
      ring[end % maxEntries] = record;
      end += 1;
      bytes += estimateSize(record);
      while (bytes > maxBytes && start < end) evictOldest();
    },
    *newestFirst(): Generator<RequestLogEntry> {
      for (let position = end - 1; position >= start; position -= 1) yield at(position);
    },
    *oldestFirst(sequence: number): Generator<RequestLogEntry> {
      for (let position = findPosition(sequence); position < end; position += 1)
        // A reader may be slower than the eviction.
        if (position >= start) yield at(position);
    },
    clear() {
      while (start < end) evictOldest();
    },
  };
}

function* mergeNewestFirst(
  one: Iterator<RequestLogEntry>,
  other: Iterator<RequestLogEntry>,
): Generator<RequestLogEntry> {
  let [left, right] = [one.next(), other.next()];
  while (!left.done || !right.done) {
    if (right.done || (!left.done && left.value.sequence > right.value.sequence)) {
      yield left.value;
      left = one.next();
    } else {
      yield right.value;
      right = other.next();
    }
  }
}

/**
 * Removes a long body, response or error messages. In place: V8 soon allocates all records directly in old space, where
 * one that is no longer used would retain its text until the next full collection.
 */
function removeLongTexts(record: RequestLogRecord): void {
  const { bodyLength, responseLength, errors } = record;
  if (bodyLength > maxBodyLength) {
    record.body = undefined;
    record.bodyState = 'too-long';
  }
  if (responseLength > maxBodyLength) record.response = undefined;
  // Messages contain field names of the body, which the caller chooses.
  if (measureErrors(errors) > maxBodyLength)
    record.errors = errors.map(({ code }) => ({ code, message: errorTable[code].message }));
}

function estimateSize(record: RequestLogRecord): number {
  const { path, search, bodyLength, response, errors, headerText } = record;
  // A caller can send headers as long as the longest token.
  const texts = path.length + search.length + (response?.length ?? 0) + measureErrors(errors) + headerText.length;
  // The body of a refused request arrives after its entry.
  return entryOverhead + texts + (bodyLength > maxBodyLength ? 0 : bodyLength);
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
