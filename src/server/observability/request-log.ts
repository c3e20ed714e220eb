/**
 * The last calls, in memory. What is kept of one are references to what was there anyway; secrets are taken out when
 * somebody looks (redact.ts), so that a call costs next to nothing.
 */
import { type ErrorCode, type ErrorItem, errorTable } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { ErrorReason } from '../identity/error-reasons.ts';
import type { Principal } from '../identity/principal.ts';

/** How a call presented itself, told by its headers alone. */
export type CredentialKind = 'none' | 'client-id' | 'basic' | 'bearer' | 'api-key' | 'body' | 'other';

export interface RequestLogRecord {
  /** Later calls have greater ones. Given in place when a call is kept: a copy would take longer than all the rest. */
  sequence: number;
  readonly requestId: string;
  /** Milliseconds since the epoch, by the clock of the world. */
  readonly at: number;
  /** Milliseconds. */
  readonly duration: number;
  readonly method: string;
  readonly path: string;
  /** The query without its question mark. */
  readonly search: string;
  /** Missing where no operation took the call. */
  readonly operation: Operation<never> | undefined;
  readonly caller: Principal | undefined;
  /** Whose call or login it was, as the log names him. */
  readonly actor: string;
  /** Missing where the connection was dropped before an answer. */
  readonly status: number | undefined;
  readonly errors: readonly ErrorItem[];
  /** The body as it was read, and its length in bytes. */
  readonly body: unknown;
  readonly bodyLength: number;
  readonly response: string | undefined;
  readonly responseLength: number;
  /** What was done to it by a fault, in the words of the header. */
  readonly fault: string | undefined;
  /** Of a refused call: */
  readonly credential: CredentialKind | undefined;
  readonly reason: ErrorReason | undefined;
}

export type RequestLogEntry = Readonly<RequestLogRecord>;

export interface RequestLog {
  add(record: RequestLogRecord): void;
  /** From the newest on. */
  newestFirst(): Iterable<RequestLogEntry>;
  find(requestId: string): RequestLogEntry | undefined;
}

/** What is longer is not kept, only how long it was. */
export const maxBodyLength = 8 * 1024;
const defaultMaxBytes = 16 * 1024 * 1024;
/** About what an entry takes besides its texts. */
const entryOverhead = 600;

interface RequestLogOptions {
  readonly maxRequests: number;
  readonly maxBytes?: number;
  /** Called after each call that was kept. */
  onAdded?(): void;
}

/** At most so many calls and bytes; the oldest go first. */
export function createRequestLog({ maxRequests, maxBytes = defaultMaxBytes, onAdded }: RequestLogOptions): RequestLog {
  // A ring: `first` is the sequence of the oldest, `next` that of the call to come.
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

  return {
    add(record) {
      if (maxRequests === 0) return;
      const stored = truncateRecord(record);
      stored.sequence = next;
      if (next - first === maxRequests) evictOldest();
      ring[next % maxRequests] = stored;
      next += 1;
      bytes += estimateSize(stored);
      while (bytes > maxBytes && first < next) evictOldest();
      onAdded?.();
    },
    newestFirst,
    find(requestId) {
      for (const record of newestFirst()) if (record.requestId === requestId) return record;
      return undefined;
    },
  };
}

function truncateRecord(record: RequestLogRecord): RequestLogRecord {
  const { bodyLength, responseLength, errors } = record;
  const hasLongErrors = measureErrors(errors) > maxBodyLength;
  if (bodyLength <= maxBodyLength && responseLength <= maxBodyLength && !hasLongErrors) return record;
  return {
    ...record,
    body: bodyLength > maxBodyLength ? undefined : record.body,
    response: responseLength > maxBodyLength ? undefined : record.response,
    // A message names fields of the body, whose names the caller chooses.
    errors: hasLongErrors
      ? errors.map(({ code }) => ({ code, message: errorTable[code as ErrorCode].message }))
      : errors,
  };
}

function estimateSize({ path, search, body, bodyLength, response, errors }: RequestLogRecord): number {
  const texts = path.length + search.length + (response?.length ?? 0) + measureErrors(errors);
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
