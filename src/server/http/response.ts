/**
 * Writes responses. Headers are collected and written at once with status and body: setting headers one by one in Node,
 * and Koa's own response handling, take longer than most operations.
 */
import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FaultBody } from '../../contract/testing/fault-effects.ts';
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
  const { responseHeaders: headers, bodyFault } = ctx.state;
  if (bodyFault) {
    writeFaultyBody(ctx, status, bodyFault, { contentType, text });
    return;
  }
  ctx.state.responseBody = text;
  headers['Content-Type'] = contentType;
  headers['Content-Length'] = String(bytes);
  ctx.res.writeHead(status, headers);
  // As many bytes as characters means ASCII, which `latin1` copies without encoding it.
  ctx.res.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

interface Content {
  readonly contentType: string;
  readonly text: string | Uint8Array;
}

/** The page of a gateway. */
export function formatErrorPage(status: number): Content {
  const title = `${status} ${STATUS_CODES[status] ?? 'Error'}`;
  const text = `<!doctype html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return { contentType: 'text/html; charset=utf-8', text };
}

/** Sends a page of HTML, nothing, half of the text, or half of it until the connection closes, in place of the content. */
function writeFaultyBody(ctx: KoaContext, status: number, fault: FaultBody, content: Content): void {
  const { contentType, text } = fault === 'html' ? formatErrorPage(status) : content;
  const bytes = Buffer.from(text as string);
  const sent = fault === 'html' ? bytes : bytes.subarray(0, fault === 'empty' ? 0 : bytes.length >> 1);
  const isCut = fault === 'cut';
  ctx.state.responseBody = sent.toString();
  ctx.res.writeHead(status, {
    ...ctx.state.responseHeaders,
    'Content-Type': contentType,
    'Content-Length': String(isCut ? bytes.length : sent.length),
  });
  if (isCut) ctx.res.write(sent, () => ctx.req.socket.destroy());
  else ctx.res.end(sent);
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
