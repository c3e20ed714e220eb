/** Calls to a system outside: bounded in time and size, following nothing, with whatever goes wrong as one failure. */
import type { Dispatcher } from 'undici';
import { type PlainErrorCode, retryLater } from '../../contract/errors.ts';
import type { Log } from '../log.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base URL, encoded, with its query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
}

export interface HttpResponse {
  readonly status: number;
  /** What the body says; undefined where there is none. */
  readonly json: unknown;
}

export interface HttpClient {
  /** @throws OutOfReach where no whole answer came in time, or one that can't be read. */
  request(call: HttpRequest): Promise<HttpResponse>;
}

export interface HttpClientOptions {
  readonly baseUrl: string;
  /** Milliseconds for a whole call, from connecting to the last byte. */
  readonly timeoutMs: number;
  /** Bytes that an answer may have at most. */
  readonly maxResponseBytes?: number;
}

/** A system outside that did not answer as it should. Its message never repeats what was sent or received. */
export class IntegrationUnavailableError extends Error {
  override readonly name = 'OutOfReach';
}

/** What a port throws in the place of `OutOfReach`; the log gets the reason. Other errors stay what they are. */
export function toUnavailableError(error: unknown, code: PlainErrorCode, log: Log): unknown {
  if (!(error instanceof IntegrationUnavailableError)) return error;
  log.warn({ code, reason: error.message }, 'a system outside did not answer');
  return retryLater(code, retryAfterSeconds);
}

const retryAfterSeconds = 5;
const connections = 32;
const defaultMaxResponseBytes = 65_536;

/** A system outside under one URL. Nothing is opened before the first call; each call has a connection of its own. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const base = options.baseUrl.replace(/\/+$/, '');
  let agent: Promise<Dispatcher> | undefined;
  return {
    async request(call) {
      agent ??= createAgent(options);
      const timeoutSignal = AbortSignal.timeout(options.timeoutMs);
      try {
        return await send(await agent, `${base}${call.path}`, call, timeoutSignal);
      } catch (error) {
        if (error instanceof IntegrationUnavailableError) throw error;
        throw new IntegrationUnavailableError(
          timeoutSignal.aborted ? `no answer within ${options.timeoutMs} ms` : describeCallError(error),
        );
      }
    },
  };
}

/** undici is loaded by the first who calls outside: most servers never do. */
async function createAgent({
  timeoutMs,
  maxResponseBytes: longestAnswer = defaultMaxResponseBytes,
}: HttpClientOptions): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  // A connection that is kept may be closed by the other side just when a change is sent on it, which then can't be sent again.
  return new Agent({ connections, pipelining: 0, maxResponseSize: longestAnswer, connect: { timeout: timeoutMs } });
}

async function send(
  agent: Dispatcher,
  url: string,
  { method, body }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { request } = await import('undici');
  const response = await request(url, {
    dispatcher: agent,
    method,
    signal,
    headers: { accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : null,
  });
  return { status: response.statusCode, json: parseJson(await response.body.text()) };
}

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new IntegrationUnavailableError('the answer is not JSON');
  }
}

function describeCallError(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string };
  return `the call failed: ${code ?? name ?? 'unknown'}`;
}
