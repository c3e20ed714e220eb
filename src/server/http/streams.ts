/**
 * Answers that go on: text that is sent as it comes, for as long as somebody reads it. No more waits for a reader than
 * his connection holds: the next piece is asked for once the one before is on its way.
 */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { TextStream } from '../../contract/operation.ts';
import type { Timer } from '../integrations/timer.ts';
import type { Log } from '../log.ts';
import { setHeader } from './response.ts';

/** So often a sign of life is sent, and whoever has taken nothing since the one before is dropped. */
const heartbeatMs = 15_000;

interface StreamDeps {
  readonly timer: Timer;
  readonly log: Log;
}

/** Begins the answer; the rest goes out by itself, until there is no more or nobody reads it. */
export function writeStream(ctx: Context, stream: TextStream, { timer, log }: StreamDeps): void {
  const response = ctx.res;
  setHeader(ctx, 'Content-Type', stream.contentType);
  response.writeHead(200, ctx.state.headers);
  if (ctx.req.method === 'HEAD') return void response.end();
  // At once, so that the reader knows from when on he hears of everything.
  response.write(stream.heartbeat);
  const cancel = startHeartbeat(response, stream.heartbeat, timer);
  const endEarly = () => endStream(response);
  stream.closed.addEventListener('abort', endEarly);
  writePieces(response, stream.chunks)
    .catch((error: unknown) => {
      log.error({ err: error }, 'a stream broke off');
      response.destroy();
    })
    .finally(() => {
      cancel();
      stream.closed.removeEventListener('abort', endEarly);
    });
}

async function writePieces(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await waitForDrain(response);
  }
  endStream(response);
}

/** Whoever has not taken what was sent to him does not hold up a stop: he can go on where he was. */
function endStream(response: ServerResponse): void {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}

/** Resolves once the reader has taken what was written, or has gone. */
function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (response.destroyed) done();
  });
}

/** @returns what ends it. */
function startHeartbeat(response: ServerResponse, heartbeat: string, timer: Timer): () => void {
  let isStuck = false;
  let cancel = timer.after(heartbeatMs, beat);
  function beat(): void {
    if (response.writableNeedDrain && isStuck) return void response.destroy();
    isStuck = response.writableNeedDrain;
    if (!isStuck) response.write(heartbeat);
    cancel = timer.after(heartbeatMs, beat);
  }
  const hasMoved = () => {
    isStuck = false;
  };
  response.on('drain', hasMoved);
  return () => {
    response.off('drain', hasMoved);
    cancel();
  };
}
