/** Writes the result of a handler as its operation declares it. */

import * as z from 'zod';
import type { ByteStream, Operation, Page, PlainText, TextStream } from '../contract/operation.ts';
import type { RoleExpression } from '../contract/roles.ts';
import { nextTurn } from '../lib/host.ts';
import type { AppContext } from './app-context.ts';
import { matchesEtag } from './http/conditions.ts';
import { createErrorResponse } from './http/error-response.ts';
import { formatNextLink, type ListIdentity } from './http/pagination.ts';
import type { KoaContext } from './http/request-state.ts';
import { setHeader, setHeaders, writeChunks, writeEmpty, writeJson, writeText } from './http/response.ts';
import { type SerializedValue, type Serializer, serializeOnce } from './http/serializer.ts';
import { writeStream } from './http/streams.ts';

/** Checks again that the caller may read the response, which takes long. @throws IamError as for a new request. */
export type CallerCheck = (roles?: RoleExpression) => Promise<void>;

interface WriteOptions {
  readonly list: ListIdentity;
  readonly checkCaller: CallerCheck;
}

/** Writes a response; returns a promise only if it is asynchronous. */
type ResponseWriter = (ctx: KoaContext, result: unknown, options: WriteOptions) => Promise<void> | void;

/** Compiles the response writer of an operation. */
export function createResponseWriter(operation: Operation<never>, appContext: AppContext): ResponseWriter {
  const { method, response } = operation;
  if ('page' in response) {
    const serializer = appContext.serializers(response.page);
    return (ctx, result, { list }) =>
      writePage(ctx, result as Page<object>, { list, baseUrl: appContext.baseUrl, serializer });
  }
  if (!('body' in response)) return createEmptyWriter(response);
  const { status, body, secret = false, entity, stream = false } = response;
  if (stream) return createStreamWriter(operation, appContext);
  if (body instanceof z.ZodArray) return createListWriter(status, appContext.serializers(body.element as z.ZodType));
  const serializer = appContext.serializers(body);
  // The result of a change is new each time. A response with a secret is never cached.
  const isCached = (method === 'GET' || entity === true) && !secret;
  return (ctx, result, { checkCaller }) => {
    if (isText(result)) {
      setHeaders(ctx, result.headers ?? {});
      return writeText(ctx, result.status ?? 200, result);
    }
    if (isChunked(result)) return writeChunks(ctx, 200, result, checkCaller);
    const { json, bytes } = isCached ? serializer.serialize(result as object) : serializeOnce(body, result as object);
    if (entity === true) {
      const etag = serializer.computeEtag(result as object);
      setHeader(ctx, 'ETag', etag);
      if (method === 'GET' && isCurrent(ctx.req.headers['if-none-match'], etag)) return writeEmpty(ctx, 304);
    }
    if (secret) setHeader(ctx, 'Pragma', 'no-cache');
    writeJson(ctx, status, json, bytes);
  };
}

/** A stream ends with the error that a new request of its caller would get. */
function createStreamWriter(operation: Operation<never>, { timer, log }: AppContext): ResponseWriter {
  return (ctx, result, { checkCaller }) => {
    const stream = result as TextStream;
    const { requestId } = ctx.state;
    const describeEnd = (error: unknown) => {
      const { status, items } = createErrorResponse(error, { operation, requestId, softErrors: false, log });
      return stream.formatEnd({ status, errors: items });
    };
    const findEnd = () => checkCaller(stream.roles).then(() => undefined, describeEnd);
    writeStream(ctx, stream, { timer, log, findEnd });
  };
}

/** Whether the caller has this representation (If-None-Match, RFC 9110, 13.1.2: weak comparison). */
function isCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch !== undefined && matchesEtag(ifNoneMatch.replaceAll('W/', ''), etag);
}

/** Writes a list without pagination. */
function createListWriter(status: number, serializer: Serializer): ResponseWriter {
  return async (ctx, result) => {
    const { json, bytes } = await serializeArray(result as readonly object[], serializer);
    writeJson(ctx, status, json, bytes);
  };
}

function createEmptyWriter({ header }: Extract<Operation<never>['response'], { status: 204 }>): ResponseWriter {
  if (!header) return (ctx) => writeEmpty(ctx);
  return (ctx, result) => {
    setHeader(ctx, header.name, (result as Record<string, string>)[header.field] ?? throwMissingField(header.field));
    setHeader(ctx, 'Pragma', 'no-cache');
    writeEmpty(ctx);
  };
}

function throwMissingField(field: string): never {
  throw new Error(`the handler returned no ${field}`);
}

function isText(result: unknown): result is PlainText {
  return typeof result === 'object' && result !== null && 'contentType' in result && 'text' in result;
}

function isChunked(result: unknown): result is ByteStream {
  return typeof result === 'object' && result !== null && 'contentType' in result && 'chunks' in result;
}

interface WritePageOptions {
  readonly list: ListIdentity;
  readonly baseUrl: string;
  readonly serializer: Serializer;
}

/** Writes 206 and a `Link` header (RFC 8288) if another page follows, 200 otherwise; and the number of entries if it was counted. */
async function writePage(
  ctx: KoaContext,
  page: Page<object>,
  { list, baseUrl, serializer }: WritePageOptions,
): Promise<void> {
  if (page.next !== undefined) {
    const { path, query } = ctx.state;
    setHeader(ctx, 'Link', formatNextLink(baseUrl + path, query, page.next, list));
  }
  if (page.total !== undefined) setHeader(ctx, 'X-Total-Count', String(page.total));
  setHeaders(ctx, page.headers ?? {});
  const { json, bytes } = await serializeArray(page.items, serializer);
  writeJson(ctx, page.next === undefined ? 200 : 206, json, bytes);
}

/** Bytes serialized per event-loop turn. */
const bytesPerTurn = 200_000;

/**
 * Serializes entry by entry, yielding to the event loop. The brackets are added to the first and the last entry, to avoid
 * copying the whole text.
 */
async function serializeArray(values: readonly object[], serializer: Serializer): Promise<SerializedValue> {
  if (values.length === 0) return { json: '[]', bytes: 2 };
  const items: string[] = [];
  // The brackets, and a comma before each value but the first.
  let bytes = 1 + values.length;
  for (;;) {
    bytes += serializeTurn(values, items, serializer);
    if (items.length === values.length) break;
    await nextTurn();
  }
  items[0] = `[${items[0]}`;
  items.push(`${items.pop()}]`);
  return { json: items.join(','), bytes };
}

/** Appends the JSON of the next values to that of the first ones. @returns its length in UTF-8 */
function serializeTurn(values: readonly object[], items: string[], serializer: Serializer): number {
  let length = 0;
  while (items.length < values.length && length < bytesPerTurn) {
    const { json, bytes } = serializer.serialize(values[items.length] as object);
    items.push(json);
    length += bytes;
  }
  return length;
}
