/**
 * Streaming responses: sends text as it becomes available, until the client disconnects. The next chunk is read only after
 * the previous one is written, so that no more is buffered than the connection accepts.
 */
import type { ServerResponse } from 'node:http';
import type { TextStream } from '../../contract/operation.ts';
import type { Log } from '../lib/log.ts';
import type { Timer } from '../lib/timer.ts';
import type { KoaContext } from './request-state.ts';
import { setHeader } from './response.ts';

/** Heartbeat interval; a client that has read nothing since the previous heartbeat is disconnected. */
const heartbeatMs = 15_000;

interface StreamDeps {
  readonly timer: Timer;
  readonly log: Log;
  /** Called before each chunk and each heartbeat. @returns what is sent instead, as the last chunk; undefined to go on. */
  findEnd(): Promise<string | undefined>;
}

/** Starts the response; the rest is written in the background until the stream ends or the client disconnects. */
export function writeStream(ctx: KoaContext, stream: TextStream, { timer, log, findEnd }: StreamDeps): void {
  const response = ctx.res;
  setHeader(ctx, 'Content-Type', stream.contentType);
  response.writeHead(200, ctx.state.responseHeaders);
  if (ctx.req.method === 'HEAD') return void response.end();
  // Sent immediately, so that the client knows from when on it receives everything.
  response.write(stream.heartbeat);
  const fail = (error: unknown) => {
    log.error({ err: error }, 'a stream failed');
    response.destroy();
  };
  const cancel = startHeartbeat(response, () => void beat(response, stream, findEnd).catch(fail), timer);
  // The chunks end by themselves, after what is left.
  const endEarly = () => void (response.writableNeedDrain && response.destroy());
  stream.closed.addEventListener('abort', endEarly);
  writeChunks(response, stream, findEnd)
    .catch(fail)
    .finally(() => {
      cancel();
      stream.closed.removeEventListener('abort', endEarly);
    });
}

/** A client that has not read what was sent does not delay a stop: it can resume where it was. */
async function writeChunks(
  response: ServerResponse,
  { chunks, closed }: TextStream,
  findEnd: StreamDeps['findEnd'],
): Promise<void> {
  for await (const chunk of chunks) {
    const end = await findEnd();
    if (response.destroyed || response.writableEnded) return;
    if (end !== undefined) return void response.end(end);
    if (response.write(chunk)) continue;
    if (closed.aborted) break;
    await waitForDrain(response);
  }
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}

/** Resolves when the client has read what was written, or has disconnected. */
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

async function beat(
  response: ServerResponse,
  { heartbeat }: TextStream,
  findEnd: StreamDeps['findEnd'],
): Promise<void> {
  const end = await findEnd();
  if (response.destroyed || response.writableEnded) return;
  if (end === undefined) response.write(heartbeat);
  else response.end(end);
}

/** @returns a function that stops the heartbeat. */
function startHeartbeat(response: ServerResponse, beat: () => void, timer: Timer): () => void {
  let isStuck = false;
  let cancel = timer.after(heartbeatMs, onTime);
  function onTime(): void {
    if (response.writableNeedDrain && isStuck) return void response.destroy();
    isStuck = response.writableNeedDrain;
    if (!isStuck) beat();
    cancel = timer.after(heartbeatMs, onTime);
  }
  const onDrain = () => {
    isStuck = false;
  };
  response.on('drain', onDrain);
  return () => {
    response.off('drain', onDrain);
    cancel();
  };
}
