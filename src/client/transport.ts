/** Sends requests with undici and reads whole responses. The only network access of the client. */
import { types } from 'node:util';
import type { Dispatcher } from 'undici';
import { NetworkError } from './errors.ts';
import type { OutgoingRequest } from './request.ts';
import { type ApiResponse, parseBody } from './response.ts';
import type { ClientDispatcher } from './types.ts';

export interface Timeouts {
  /** Milliseconds for opening a connection. */
  readonly connect?: number | undefined;
  /** Milliseconds for the whole request, until the last byte of the response; of a stream of events, until its first. */
  readonly total?: number | undefined;
}

/** Trusted CAs and client certificate, in PEM format. */
export interface TlsOptions {
  /** Replaces the root certificates of Node. */
  readonly ca?: string[];
  readonly cert?: string;
  readonly key?: string | undefined;
}

export interface Transport {
  send(request: OutgoingRequest): Promise<ApiResponse>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly timeouts?: Timeouts | undefined;
  /** Maximum number of concurrent connections. */
  readonly connections?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Replaces the connection pool of the client, which does not close it. It must apply `tls` itself. */
  readonly dispatcher?: ClientDispatcher | undefined;
  /** Name of an intermediary such as a proxy, for error messages. */
  readonly via?: string | undefined;
}

const defaultTimeouts = { connect: 5_000, total: 30_000 };

/** Creates a transport for one origin; it connects on the first request. */
export function createTransport(origin: string, options: TransportOptions): Transport {
  const { dispatcher, via } = options;
  const total = options.timeouts?.total ?? defaultTimeouts.total;
  const name = via === undefined ? origin : `${origin} (through ${via})`;
  let pool: Promise<Dispatcher> | undefined;
  let closed: Promise<void> | undefined;
  return {
    send: async (request) => {
      const open = () => (pool ??= openPool(origin, options));
      return send(dispatcher ?? (await open()), { origin, name }, total, request);
    },
    // A pool that is closed twice rejects.
    close: async () => (closed ??= pool?.then((opened) => opened.close())),
  };
}

/** Signals of older versions of jsdom have no reason. */
export function getAbortReason(signal: AbortSignal): unknown {
  return signal.reason ?? AbortSignal.abort().reason;
}

/** `AbortSignal.any` rejects the signals of an environment such as jsdom. It adds no listener to a signal that many requests share. */
function toNativeSignal(signal: AbortSignal): AbortSignal {
  if ((signal as object) instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const abort = () => controller.abort(getAbortReason(signal));
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

/** Loads undici with the first request, as loading it takes longer than a request. */
async function openPool(origin: string, { connections = 32, timeouts, tls }: TransportOptions): Promise<Dispatcher> {
  const { Pool } = await import('undici');
  const timeout = timeouts?.connect ?? defaultTimeouts.connect;
  return new Pool(origin, { connections, allowH2: false, connect: { ...tls, timeout } });
}

interface Endpoint {
  readonly origin: string;
  /** The name in error messages. */
  readonly name: string;
}

async function send(
  dispatcher: ClientDispatcher,
  endpoint: Endpoint,
  total: number,
  request: OutgoingRequest,
): Promise<ApiResponse> {
  const { origin, name } = endpoint;
  const { signal, isStream = false, onSent, ...rest } = request;
  let isSent = false;
  const observed = observeStart(dispatcher, () => {
    isSent = true;
    onSent?.();
  });
  const limit = AbortSignal.timeout(total);
  const controller = new AbortController();
  const abort = () => controller.abort(limit.reason);
  limit.addEventListener('abort', abort);
  try {
    const data = await observed.request({
      origin,
      ...rest,
      body: rest.body ?? null,
      signal: signal ? AbortSignal.any([toNativeSignal(signal), controller.signal]) : controller.signal,
    });
    const headers = flattenHeaders(data.headers);
    const isOpen = isStream && data.statusCode === 200;
    if (isOpen) limit.removeEventListener('abort', abort);
    const body = isOpen ? data.body : parseBody(await data.body.text(), headers['content-type']);
    return { status: data.statusCode, headers, body, requestId: headers['x-request-id'] };
  } catch (cause) {
    if (signal?.aborted) throw getAbortReason(signal);
    throw limit.aborted
      ? new NetworkError(`No response from ${name} within ${total / 1000} s.`, 'TIMEOUT', cause)
      : createNetworkError(name, cause, isSent);
  }
}

/** The part of undici's Dispatcher that every request passes through. */
interface RequestDispatcher extends ClientDispatcher {
  dispatch(options: unknown, handler: RequestHandler): unknown;
}

/** `onConnect` is called on an open connection before the request is written to it, unless it aborts the request. */
interface RequestHandler {
  onConnect(abort: (reason?: unknown) => void, context: unknown): unknown;
}

/** Calls `onStart` before a request is written. For a dispatcher without `dispatch`, that is now. */
function observeStart(dispatcher: ClientDispatcher, onStart: () => void): ClientDispatcher {
  if (!('dispatch' in dispatcher)) {
    onStart();
    return dispatcher;
  }
  const { dispatch } = dispatcher as RequestDispatcher;
  const observed: RequestDispatcher['dispatch'] = (options, handler) => {
    const { onConnect } = handler;
    handler.onConnect = (abort, context) => {
      let isAborted = false;
      const observedAbort = (reason?: unknown) => {
        isAborted = true;
        abort(reason);
      };
      onConnect.call(handler, observedAbort, context);
      if (!isAborted) onStart();
    };
    return dispatch.call(dispatcher, options, handler);
  };
  return Object.create(dispatcher, { dispatch: { value: observed } }) as ClientDispatcher;
}

function flattenHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries);
}

function createNetworkError(origin: string, cause: unknown, isSent: boolean): NetworkError {
  // A dispatcher can explain its own failure, such as that of a proxy.
  if (cause instanceof NetworkError) return cause;
  const code = errorCodeOf(cause);
  const lost = `The connection to ${origin} was lost before the ${isSent ? 'response was complete' : 'request was sent'}.`;
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: `Connection refused by ${origin}.`,
    ENOTFOUND: `Host of ${origin} not found.`,
    EAI_AGAIN: `DNS lookup for ${origin} failed.`,
    UND_ERR_CONNECT_TIMEOUT: `Connection to ${origin} timed out.`,
    UND_ERR_SOCKET: lost,
    ECONNRESET: lost,
    EPIPE: lost,
    [notHttp]: `${origin} does not respond with HTTP.`,
    EHOSTUNREACH: `The host of ${origin} is unreachable.`,
    ENETUNREACH: `The network of ${origin} is unreachable.`,
    ERR_SSL_WRONG_VERSION_NUMBER: `${origin} does not respond with TLS.`,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: `${origin} does not respond with TLS.`,
    ERR_TLS_CERT_ALTNAME_INVALID: `The certificate of ${origin} is for another host name.`,
    CERT_HAS_EXPIRED: `The certificate of ${origin} has expired.`,
    CERT_NOT_YET_VALID: `The certificate of ${origin} is not valid yet.`,
    DEPTH_ZERO_SELF_SIGNED_CERT: `The certificate of ${origin} is self-signed.`,
  };
  const detail = types.isNativeError(cause) ? cause.message : String(cause);
  return new NetworkError(reasons[code] ?? `The request to ${origin} failed: ${detail}`, code, cause);
}

/** The code of undici's HTTPParserError, which has none. */
const notHttp = 'HPE_INVALID';

/** For a host with several addresses, Node wraps one error per address; returns the first code. */
function errorCodeOf(cause: unknown): string {
  const errors = cause instanceof AggregateError ? [cause, ...cause.errors] : [cause];
  if (cause instanceof Error && cause.name === 'HTTPParserError') return notHttp;
  const coded = errors.find((error): error is { code: string } => typeof error?.code === 'string');
  return coded?.code ?? 'NETWORK';
}
