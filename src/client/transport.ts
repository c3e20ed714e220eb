/** Sends one request over undici and reads the whole answer. The only file that touches the network. */
import type { buildConnector, Dispatcher } from 'undici';
import { NetworkError } from './errors.ts';
import type { OutgoingRequest } from './request.ts';
import { type ApiResponse, parseBody } from './response.ts';
import { dispatchRequest, Pool } from './undici.ts';

export interface Timeouts {
  /** Milliseconds until a connection stands. */
  readonly connect?: number | undefined;
  /** Milliseconds for the whole call, from sending to the last byte of the answer. */
  readonly total?: number | undefined;
}

/** Whom connections trust, and what they show; PEM texts. */
export interface TlsOptions {
  /** In place of the roots that Node comes with. */
  readonly ca?: string[];
  readonly cert?: string;
  readonly key?: string | undefined;
}

export interface Transport {
  send(request: OutgoingRequest): Promise<ApiResponse>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly origin: string;
  readonly timeouts?: Timeouts | undefined;
  /** Most connections at the same time. */
  readonly connections?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Opens connections another way, such as through a proxy; `tls` is for who makes it. */
  readonly connector?: buildConnector.connector | undefined;
  /** Takes the place of the client's own connections; whoever made it closes it. */
  readonly dispatcher?: Dispatcher | undefined;
  /** What else a call goes through, for the messages of failures. */
  readonly via?: string | undefined;
}

const defaultTimeouts = { connect: 5_000, total: 30_000 };

/** Opens connections to one origin, when the first request is sent. */
export function createTransport({
  origin,
  dispatcher,
  connections = 32,
  tls,
  connector,
  via,
  ...options
}: TransportOptions): Transport {
  const connect = options.timeouts?.connect ?? defaultTimeouts.connect;
  const total = options.timeouts?.total ?? defaultTimeouts.total;
  const pool =
    dispatcher ?? new Pool(origin, { connections, allowH2: false, connect: connector ?? { ...tls, timeout: connect } });
  const name = via === undefined ? origin : `${origin} (through ${via})`;
  return {
    send: (request) => send(pool, { origin, name }, total, request),
    close: async () => {
      if (!dispatcher) await pool.close();
    },
  };
}

interface Endpoint {
  readonly origin: string;
  /** As failures call it. */
  readonly name: string;
}

async function send(
  pool: Dispatcher,
  endpoint: Endpoint,
  total: number,
  request: OutgoingRequest,
): Promise<ApiResponse> {
  const { origin, name } = endpoint;
  const { signal, ...rest } = request;
  const limit = AbortSignal.timeout(total);
  try {
    const data = await dispatchRequest(pool, {
      origin,
      ...rest,
      method: rest.method as Dispatcher.HttpMethod,
      body: rest.body ?? null,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const headers = flattenHeaders(data.headers);
    const body = parseBody(await data.body.text(), headers['content-type']);
    return { status: data.statusCode, headers, body, requestId: headers['x-request-id'] };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw limit.aborted
      ? new NetworkError(`No answer from ${name} within ${total / 1000} s.`, 'TIMEOUT', cause)
      : createNetworkError(name, cause);
  }
}

function flattenHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries);
}

function createNetworkError(origin: string, cause: unknown): NetworkError {
  const code = errorCodeOf(cause);
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: `Nothing listens at ${origin}.`,
    ENOTFOUND: `The host of ${origin} is not known.`,
    EAI_AGAIN: `The host of ${origin} could not be looked up.`,
    UND_ERR_CONNECT_TIMEOUT: `No connection to ${origin} in time.`,
    UND_ERR_SOCKET: `The connection to ${origin} broke before the answer was complete.`,
    ECONNRESET: `The connection to ${origin} broke before the answer was complete.`,
  };
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new NetworkError(reasons[code] ?? `The call to ${origin} failed: ${detail}`, code, cause);
}

/** Where a host has several addresses Node wraps one error for each; the first tells the reason. */
function errorCodeOf(cause: unknown): string {
  const errors = cause instanceof AggregateError ? [cause, ...cause.errors] : [cause];
  const coded = errors.find((error): error is { code: string } => typeof error?.code === 'string');
  return coded?.code ?? 'NETWORK';
}
