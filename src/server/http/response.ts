/**
 * The one way an answer goes out. Headers are gathered and written in one go with status and body: Node takes them apart
 * and together again for each that is set by itself, and Koa looks at every part of an answer once more, which takes
 * longer than all that most operations do.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';

/** Begins the headers of an answer. */
export function startResponse(ctx: Context, headers: Record<string, string>): void {
  ctx.state.headers = headers;
}

/** Adds a header to the answer, in the place of one of the same spelling. */
export function setHeader(ctx: Context, name: string, value: string): void {
  ctx.state.headers[name] = value;
}

export function setHeaders(ctx: Context, headers: Readonly<Record<string, string>>): void {
  Object.assign(ctx.state.headers, headers);
}

/** Ends the answer with JSON as it is. */
export function writeJson(ctx: Context, status: number, json: string): void {
  writeText(ctx, status, { contentType: 'application/json; charset=utf-8', text: json });
}

/** Ends the answer with text of some type. */
export function writeText(
  ctx: Context,
  status: number,
  { contentType, text }: { contentType: string; text: string | Uint8Array },
): void {
  const { headers } = ctx.state;
  ctx.state.answer = text;
  headers['Content-Type'] = contentType;
  const bytes = Buffer.byteLength(text);
  headers['Content-Length'] = String(bytes);
  ctx.res.writeHead(status, headers);
  // As many bytes as characters: it is ASCII, which is copied as it is where it need not be looked through again.
  ctx.res.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

/** Ends the answer with bytes as they are made; whoever reads slowly is waited for. */
export async function writeChunks(
  ctx: Context,
  status: number,
  { contentType, chunks }: { contentType: string; chunks: Iterable<Uint8Array> },
): Promise<void> {
  ctx.res.writeHead(status, { ...ctx.state.headers, 'Content-Type': contentType });
  // Once it has begun, an answer that breaks off is all that tells of a failure.
  await pipeline(Readable.from(chunks), ctx.res).catch(() => ctx.res.destroy());
}

/** Ends the answer without a body. */
export function writeEmpty(ctx: Context): void {
  ctx.res.writeHead(204, ctx.state.headers);
  ctx.res.end();
}
