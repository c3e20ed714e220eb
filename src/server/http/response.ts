/**
 * Writes responses. Headers are collected and written at once with status and body: setting headers one by one in Node,
 * and Koa's own response handling, take longer than most operations.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createPause } from '../lib/event-loop-turns.ts';
import type { KoaContext } from './request-state.ts';

/** Sets a response header; replaces a header of the same spelling. */
export function setHeader(ctx: KoaContext, name: string, value: string): void {
  ctx.state.responseHeaders[name] = value;
}

export function setHeaders(ctx: KoaContext, headers: Readonly<Record<string, string>>): void {
  Object.assign(ctx.state.responseHeaders, headers);
}

/** Sends serialized JSON. @param bytes its length in UTF-8, if it is known */
export function writeJson(ctx: KoaContext, status: number, json: string, bytes?: number): void {
  writeText(ctx, status, { contentType: 'application/json; charset=utf-8', text: json, bytes });
}

/** Sends text or bytes of a content type. */
export function writeText(
  ctx: KoaContext,
  status: number,
  {
    contentType,
    text,
    bytes = Buffer.byteLength(text),
  }: { contentType: string; text: string | Uint8Array; bytes?: number | undefined },
): void {
  const { responseHeaders: headers } = ctx.state;
  ctx.state.responseBody = text;
  headers['Content-Type'] = contentType;
  headers['Content-Length'] = String(bytes);
  ctx.res.writeHead(status, headers);
  // As many bytes as characters means ASCII, which `latin1` copies without encoding it.
  ctx.res.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

/** Sends chunks as they are produced, with backpressure. @param check called before each chunk; throws to abort */
export async function writeChunks(
  ctx: KoaContext,
  status: number,
  { contentType, chunks }: { contentType: string; chunks: Iterable<Uint8Array> },
  check: () => Promise<void>,
): Promise<void> {
  ctx.res.writeHead(status, { ...ctx.state.responseHeaders, 'Content-Type': contentType });
  // After the headers are sent, aborting the response is the only signal of a failure.
  await pipeline(Readable.from(checkEach(chunks, check)), ctx.res).catch(() => ctx.res.destroy());
}

async function* checkEach(chunks: Iterable<Uint8Array>, check: () => Promise<void>): AsyncIterable<Uint8Array> {
  // A client that reads quickly causes no wait.
  const pause = createPause(1);
  for (const chunk of chunks) {
    await pause();
    await check();
    yield chunk;
  }
}

/** Sends a response without a body. */
export function writeEmpty(ctx: KoaContext, status: 204 | 304 = 204): void {
  ctx.res.writeHead(status, ctx.state.responseHeaders);
  ctx.res.end();
}
