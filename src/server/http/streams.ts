/**
 * Answers that go on: text that is sent as it comes, for as long as somebody reads it. No more waits for a reader than
 * his connection holds: the next piece is asked for once the one before is on its way.
 */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { TextStream } from '../../contract/operation.ts';
import type { Log } from '../log.ts';
import type { Timer } from '../ports/timer.ts';
import { setHeader } from './answer.ts';

/** So often a sign of life is sent, and whoever has taken nothing since the one before is dropped. */
const heartbeatMs = 15_000;

interface Tools {
  readonly timer: Timer;
  readonly log: Log;
}

/** Begins the answer; the rest goes out by itself, until there is no more or nobody reads it. */
export function writeStream(ctx: Context, stream: TextStream, { timer, log }: Tools): void {
  const response = ctx.res;
  setHeader(ctx, 'Content-Type', stream.contentType);
  response.writeHead(200, ctx.state.headers);
  if (ctx.req.method === 'HEAD') return void response.end();
  // At once, so that the reader knows from when on he hears of everything.
  response.write(stream.heartbeat);
  const callOff = keepAlive(response, stream.heartbeat, timer);
  const giveUp = () => endNow(response);
  stream.over.addEventListener('abort', giveUp);
  pump(response, stream.pieces)
    .catch((error: unknown) => {
      log.error({ err: error }, 'a stream broke off');
      response.destroy();
    })
    .finally(() => {
      callOff();
      stream.over.removeEventListener('abort', giveUp);
    });
}

async function pump(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await taken(response);
  }
  endNow(response);
}

/** Whoever has not taken what was sent to him does not hold up a stop: he can go on where he was. */
function endNow(response: ServerResponse): void {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}

/** Resolves once the reader has taken what was written, or has gone. */
function taken(response: ServerResponse): Promise<void> {
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
function keepAlive(response: ServerResponse, heartbeat: string, timer: Timer): () => void {
  let isStuck = false;
  let callOff = timer.after(heartbeatMs, beat);
  function beat(): void {
    if (response.writableNeedDrain && isStuck) return void response.destroy();
    isStuck = response.writableNeedDrain;
    if (!isStuck) response.write(heartbeat);
    callOff = timer.after(heartbeatMs, beat);
  }
  const hasMoved = () => {
    isStuck = false;
  };
  response.on('drain', hasMoved);
  return () => {
    response.off('drain', hasMoved);
    callOff();
  };
}
