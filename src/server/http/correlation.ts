/** Ids under which the caller knows a request, so that its logs can be joined with those of the server. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Correlation {
  /** The X-Request-Id of the request. The server assigns an id of its own, because callers may repeat theirs. */
  readonly callerRequestId?: string | undefined;
  /** The trace id of the header `traceparent` (W3C Trace Context, 3.2). */
  readonly traceId?: string | undefined;
}

const none: Correlation = Object.freeze({});
const requestIdPattern = /^[\w.:@/+=-]{1,128}$/;
const traceparentPattern = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?=-|$)/;
const allZeros = /^0+$/;

/** Reads the ids of a request. Malformed ones are ignored, as W3C Trace Context requires. */
export function readCorrelation({ 'x-request-id': id, traceparent }: IncomingHttpHeaders): Correlation {
  if (id === undefined && traceparent === undefined) return none;
  const traceId = parseTraceId(traceparent);
  return {
    ...(typeof id === 'string' && requestIdPattern.test(id) ? { callerRequestId: id } : {}),
    ...(traceId === undefined ? {} : { traceId }),
  };
}

/** Parses the header `traceparent`. @returns undefined if it is missing or malformed */
function parseTraceId(header: IncomingHttpHeaders['traceparent']): string | undefined {
  if (typeof header !== 'string' || header.length > 256) return undefined;
  const [, traceId = '', parentId = ''] = traceparentPattern.exec(header) ?? [];
  if (header.startsWith('00-') && header.length !== 55) return undefined;
  return traceId === '' || allZeros.test(traceId) || allZeros.test(parentId) ? undefined : traceId;
}
