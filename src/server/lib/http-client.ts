/** HTTP client for external systems: limits time and size, follows no redirects, and throws one type of error. */
import type { Dispatcher } from 'undici';
import { type PlainErrorCode, retryLater } from '../../contract/errors.ts';
import { parseJson } from '../../lib/json-text.ts';
import type { Log } from './log.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the base URL, encoded, with the query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
}

export interface HttpResponse {
  readonly status: number;
  /** The parsed body; undefined if it is empty. */
  readonly json: unknown;
}

export interface HttpClient {
  /** @throws IntegrationUnavailableError if no complete and valid response arrives in time. */
  request(request: HttpRequest): Promise<HttpResponse>;
}

export interface HttpClientOptions {
  readonly baseUrl: string;
  /** Timeout of a request in milliseconds, from connecting to the last byte. */
  readonly timeoutMs: number;
}

/** An external system did not respond correctly. The message never contains what was sent or received. */
export class IntegrationUnavailableError extends Error {
  override readonly name = 'IntegrationUnavailableError';
}

/** Converts an IntegrationUnavailableError to an API error and logs the reason. Returns other errors unchanged. */
export function toUnavailableError(error: unknown, code: PlainErrorCode, log: Log): unknown {
  if (!(error instanceof IntegrationUnavailableError)) return error;
  log.warn({ code, reason: error.message }, 'an external system is unavailable');
  return retryLater(code, retryAfterSeconds);
}

const retryAfterSeconds = 5;
const connections = 32;
const maxResponseSize = 65_536;

/** Creates a client for one base URL. Opens nothing before the first request; each request uses a separate connection. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const base = options.baseUrl.replace(/\/+$/, '');
  let agent: Promise<Dispatcher> | undefined;
  return {
    async request(request) {
      agent ??= createAgent(options);
      const timeoutSignal = AbortSignal.timeout(options.timeoutMs);
      try {
        return await send(await agent, `${base}${request.path}`, request, timeoutSignal);
      } catch (error) {
        if (error instanceof IntegrationUnavailableError) throw error;
        throw new IntegrationUnavailableError(
          timeoutSignal.aborted ? `no response within ${options.timeoutMs} ms` : describeRequestError(error),
        );
      }
    },
  };
}

/** Loads undici on the first request: most servers use no external system. */
async function createAgent({ timeoutMs }: HttpClientOptions): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  // No keep-alive: the server may close a reused connection while a change is being sent, which cannot be retried safely.
  return new Agent({ connections, pipelining: 0, maxResponseSize, connect: { timeout: timeoutMs } });
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
  return { status: response.statusCode, json: parseBody(await response.body.text()) };
}

/** @throws IntegrationUnavailableError, also for repeated members */
function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    throw new IntegrationUnavailableError('the response is not JSON');
  }
}

function describeRequestError(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string };
  return `the request failed: ${code ?? name ?? 'unknown'}`;
}
