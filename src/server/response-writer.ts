/** How what a handler returns goes out, as its operation declares it. */
import type { Context } from 'koa';
import * as z from 'zod';
import type { ByteStream, Operation, Page, PlainText, TextStream } from '../contract/operation.ts';
import type { AppContext } from './app-context.ts';
import { createPause } from './for-each-yielding.ts';
import { formatCursor, type ListIdentity } from './http/cursor.ts';
import { parseQuery } from './http/query.ts';
import { setHeader, setHeaders, writeChunks, writeEmpty, writeJson, writeText } from './http/response.ts';
import { computeEtag, createSerializer, serializeJson, serializeJsonOnce } from './http/serializer.ts';
import { writeStream } from './http/streams.ts';

/** What it gives is to be waited for, where it gives anything. */
type ResponseWriter = (ctx: Context, answer: unknown, list: ListIdentity) => Promise<void> | void;

/** Compiled once for each operation. */
export function createResponseWriter({ response }: Operation<never>, appContext: AppContext): ResponseWriter {
  if ('page' in response) {
    const json = createSerializer(response.page);
    return (ctx, answer, list) => writePage(ctx, answer as Page<object>, { list, baseUrl: appContext.baseUrl, json });
  }
  if (!('body' in response)) return createEmptyWriter(response);
  const { status, body, secret = false, entity = false, stream = false } = response;
  if (stream) return (ctx, answer) => writeStream(ctx, answer as TextStream, appContext);
  if (body instanceof z.ZodArray) return createListWriter(status, body);
  return (ctx, answer) => {
    if (isText(answer)) {
      setHeaders(ctx, answer.headers ?? {});
      return writeText(ctx, 200, answer);
    }
    if (isChunked(answer)) return writeChunks(ctx, 200, answer);
    // What tells a secret is made for one call.
    const json = secret ? serializeJsonOnce(body, answer as object) : serializeJson(body, answer as object);
    if (entity) setHeader(ctx, 'ETag', computeEtag(body, answer as object));
    if (secret) setHeader(ctx, 'Pragma', 'no-cache');
    writeJson(ctx, status, json);
  };
}

/** A list that comes whole. */
function createListWriter(status: number, { element }: z.ZodArray): ResponseWriter {
  const json = createSerializer(element as z.ZodType);
  return async (ctx, answer) => writeJson(ctx, status, await serializeArray(answer as readonly object[], json));
}

function createEmptyWriter({ header }: Extract<Operation<never>['response'], { status: 204 }>): ResponseWriter {
  if (!header) return (ctx) => writeEmpty(ctx);
  return (ctx, answer) => {
    setHeader(ctx, header.name, (answer as Record<string, string>)[header.field] ?? throwMissingField(header.field));
    setHeader(ctx, 'Pragma', 'no-cache');
    writeEmpty(ctx);
  };
}

function throwMissingField(field: string): never {
  throw new Error(`the handler gave no ${field}`);
}

function isText(answer: unknown): answer is PlainText {
  return typeof answer === 'object' && answer !== null && 'contentType' in answer && 'text' in answer;
}

function isChunked(answer: unknown): answer is ByteStream {
  return typeof answer === 'object' && answer !== null && 'contentType' in answer && 'chunks' in answer;
}

interface WritePageOptions {
  readonly list: ListIdentity;
  readonly baseUrl: string;
  json(item: object): string;
}

/** 206 and where to go on, as long as more follows. */
async function writePage(ctx: Context, page: Page<object>, { list, baseUrl, json }: WritePageOptions): Promise<void> {
  if (page.next !== undefined) {
    const search = parseQuery(ctx.state.query);
    search.set('after', formatCursor(page.next, list));
    setHeader(ctx, 'Link', `<${baseUrl}${ctx.state.path}?${search}>; rel="next"`);
  }
  writeJson(ctx, page.next === undefined ? 200 : 206, await serializeArray(page.items, json));
}

/** Characters that are written down in one turn of the event loop. */
const charactersPerTurn = 200_000;

/**
 * Entry by entry, so that others have their turns while a long list is written down. The brackets go round the first and
 * the last, which are short: round the whole, all of it would be copied once more.
 */
async function serializeArray(values: readonly object[], json: (value: object) => string): Promise<string> {
  if (values.length === 0) return '[]';
  const pause = createPause(charactersPerTurn);
  const items: string[] = [];
  for (const value of values) {
    const pausing = pause(items.at(-1)?.length);
    if (pausing) await pausing;
    items.push(json(value));
  }
  items[0] = `[${items[0]}`;
  items.push(`${items.pop()}]`);
  return items.join(',');
}
