/** How what a handler returns goes out, as its operation declares it. */
import type { Context } from 'koa';
import * as z from 'zod';
import type { Operation, Page, PlainText, StreamedBytes, TextStream } from '../contract/operation.ts';
import { createPause } from './each-in-turns.ts';
import { setHeader, setHeaders, writeChunks, writeJson, writeNothing, writeText } from './http/answer.ts';
import { cursorAfter, type ListIdentity } from './http/cursor.ts';
import { parseQuery } from './http/query.ts';
import { writeStream } from './http/streams.ts';
import { wireEtag, wireJson, wireJsonOf, wireJsonOnce } from './http/wire.ts';
import type { World } from './world.ts';

/** What it gives is to be waited for, where it gives anything. */
type Writer = (ctx: Context, answer: unknown, list: ListIdentity) => Promise<void> | void;

/** Compiled once for each operation. */
export function writerOf({ response }: Operation<never>, world: World): Writer {
  if ('page' in response) {
    const json = wireJsonOf(response.page);
    return (ctx, answer, list) => writePage(ctx, answer as Page<object>, { list, baseUrl: world.baseUrl, json });
  }
  if (!('body' in response)) return emptyWriter(response);
  const { status, body, secret = false, entity = false, stream = false } = response;
  if (stream) return (ctx, answer) => writeStream(ctx, answer as TextStream, world);
  if (body instanceof z.ZodArray) return listWriter(status, body);
  return (ctx, answer) => {
    if (isText(answer)) {
      setHeaders(ctx, answer.headers ?? {});
      return writeText(ctx, 200, answer);
    }
    if (isStreamed(answer)) return writeChunks(ctx, 200, answer);
    // What tells a secret is made for one call.
    const json = secret ? wireJsonOnce(body, answer as object) : wireJson(body, answer as object);
    if (entity) setHeader(ctx, 'ETag', wireEtag(body, answer as object));
    if (secret) setHeader(ctx, 'Pragma', 'no-cache');
    writeJson(ctx, status, json);
  };
}

/** A list that comes whole. */
function listWriter(status: number, { element }: z.ZodArray): Writer {
  const json = wireJsonOf(element as z.ZodType);
  return async (ctx, answer) => writeJson(ctx, status, await jsonArray(answer as readonly object[], json));
}

function emptyWriter({ header }: Extract<Operation<never>['response'], { status: 204 }>): Writer {
  if (!header) return (ctx) => writeNothing(ctx);
  return (ctx, answer) => {
    setHeader(ctx, header.name, (answer as Record<string, string>)[header.field] ?? missing(header.field));
    setHeader(ctx, 'Pragma', 'no-cache');
    writeNothing(ctx);
  };
}

function missing(field: string): never {
  throw new Error(`the handler gave no ${field}`);
}

function isText(answer: unknown): answer is PlainText {
  return typeof answer === 'object' && answer !== null && 'contentType' in answer && 'text' in answer;
}

function isStreamed(answer: unknown): answer is StreamedBytes {
  return typeof answer === 'object' && answer !== null && 'contentType' in answer && 'chunks' in answer;
}

interface PageParts {
  readonly list: ListIdentity;
  readonly baseUrl: string;
  json(item: object): string;
}

/** 206 and where to go on, as long as more follows. */
async function writePage(ctx: Context, page: Page<object>, { list, baseUrl, json }: PageParts): Promise<void> {
  if (page.next !== undefined) {
    const search = parseQuery(ctx.state.query);
    search.set('after', cursorAfter(page.next, list));
    setHeader(ctx, 'Link', `<${baseUrl}${ctx.state.path}?${search}>; rel="next"`);
  }
  writeJson(ctx, page.next === undefined ? 200 : 206, await jsonArray(page.items, json));
}

/** Characters that are written down in one turn of the event loop. */
const charactersInOneTurn = 200_000;

/**
 * Entry by entry, so that others have their turns while a long list is written down. The brackets go round the first and
 * the last, which are short: round the whole, all of it would be copied once more.
 */
async function jsonArray(values: readonly object[], json: (value: object) => string): Promise<string> {
  if (values.length === 0) return '[]';
  const pause = createPause(charactersInOneTurn);
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
