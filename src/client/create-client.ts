import type { Manifest, ManifestOperation } from '../contract/manifest-types.ts';
import { buildClientAreas } from './client-areas.ts';
import { type AuthSession, type Credentials, createAuthSession, type TokenCache } from './credentials.ts';
import { InputError } from './errors.ts';
import { readEvents, type ServerSentEvent } from './event-stream.ts';
import {
  assertInput,
  buildOperationPath,
  buildQueryString,
  encodeBody,
  mergeHeaders,
  type OutgoingRequest,
  parseBaseUrl,
} from './request.ts';
import { type ApiResponse, asPage, assertSuccess } from './response.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';
import type { CallInput } from './types.ts';

export interface ClientOptions extends TransportOptions {
  /** With or without a path and a trailing slash. */
  readonly baseUrl: string;
  readonly credentials?: Credentials | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly tokenCache?: TokenCache | undefined;
  /** Called before each request, including logins; for tracing. The request contains secrets. A rejection prevents it. */
  readonly onRequest?: ((request: OutgoingRequest) => void | Promise<void>) | undefined;
  readonly onResponse?: ((response: ApiResponse) => void) | undefined;
}

/** The part of the client that does not depend on the set of operations. */
export interface BaseClient {
  /** Calls an operation by its id and returns the whole response. @throws ClientError for an error response. */
  call(id: string, input?: CallInput): Promise<ApiResponse>;
  /** Iterates over all items of a list and requests pages on demand. */
  items(id: string, input?: CallInput): AsyncGenerator<unknown, void, undefined>;
  /** Sends a request to a path under the base URL and returns the response, also an error response. */
  raw(method: string, path: string, input?: Omit<CallInput, 'params'>): Promise<ApiResponse>;
  /**
   * Reads a stream of server-sent events below the base URL until it ends or the signal is aborted.
   * @throws ClientError for an error response; NetworkError if the connection is lost
   */
  events(path: string, input?: Omit<CallInput, 'params' | 'body'>): AsyncGenerator<ServerSentEvent, void, undefined>;
  /** Closes the connections after pending requests complete. */
  close(): Promise<void>;
}

interface ClientDeps {
  readonly options: ClientOptions;
  readonly basePath: string;
  readonly transport: Transport;
  readonly session: AuthSession;
}

/** Creates a client from a manifest; `createClient` adds the types of the operations. */
export function createUntypedClient(options: ClientOptions, manifest: Manifest): BaseClient {
  const base = createBaseClient(options, manifest);
  return Object.assign(
    base,
    buildClientAreas(manifest.operations, (operation, input) =>
      unwrapResponse(operation, base.call(operation.id, input)),
    ),
  );
}

/** Creates a client without methods for the operations; they are called by id. */
export function createBaseClient(options: ClientOptions, manifest: Manifest): BaseClient {
  const byId = new Map(manifest.operations.map((operation) => [operation.id, operation]));
  const { origin, basePath } = parseBaseUrl(options.baseUrl, manifest.prefix);
  const transport = withTracing(createTransport(origin, options), options);
  const loginPath = `${basePath}${manifest.prefix}${findLogin(manifest).path}`;
  const anonymously = (id: string, input: CallInput) => base.call(id, { ...input, anonymous: true });
  const session = createAuthSession({ ...options, loginPath, transport, call: anonymously });
  const deps = { options, basePath, transport, session };
  const base: BaseClient = {
    call: (id, input = {}) => call(deps, `${basePath}${manifest.prefix}`, findOperationById(byId, id), input),
    items: (id, input = {}) => iterateItems(base, id, input),
    raw: (method, path, input = {}) => sendRaw(deps, method, path, input),
    events: (path, input = {}) => readEvents(() => sendRaw(deps, 'GET', path, input, true), input.signal),
    close: () => transport.close(),
  };
  return base;
}

function withTracing(transport: Transport, { onRequest, onResponse }: ClientOptions): Transport {
  if (!onRequest && !onResponse) return transport;
  const send = async (request: OutgoingRequest) => {
    await onRequest?.(request);
    const response = await transport.send(request);
    onResponse?.(response);
    return response;
  };
  return { ...transport, send };
}

function findLogin({ operations }: Manifest): ManifestOperation {
  const login = operations.find(({ clientLogin }) => clientLogin);
  if (!login) throw new InputError('No operation logs clients in.');
  return login;
}

function findOperationById(byId: ReadonlyMap<string, ManifestOperation>, id: string): ManifestOperation {
  const operation = byId.get(id);
  if (!operation) throw new InputError(`Operation ${id} not found.`);
  return operation;
}

async function call(
  deps: ClientDeps,
  prefix: string,
  operation: ManifestOperation,
  input: CallInput,
): Promise<ApiResponse> {
  assertInput(operation, input);
  const path = prefix + buildOperationPath(operation, input);
  const anonymous = input.anonymous ?? (operation.auth === 'none' && !operation.clientLogin);
  const isLogin = operation.clientLogin === true && !anonymous;
  const merged = isLogin ? { ...input, headers: mergeHeaders(deps.session.basic, input.headers) } : input;
  const response = await sendWithSession(deps, operation.method, path, { ...merged, anonymous: anonymous || isLogin });
  assertSuccess(response);
  return withHeaderValue(operation, response);
}

/** Uses the value of the declared response header as the body. */
function withHeaderValue({ response: { header } }: ManifestOperation, response: ApiResponse): ApiResponse {
  return header ? { ...response, body: { [header.field]: response.headers[header.name.toLowerCase()] } } : response;
}

async function sendRaw(
  deps: ClientDeps,
  method: string,
  path: string,
  input: CallInput,
  isStream = false,
): Promise<ApiResponse> {
  if (!path.startsWith('/') || /[\s#]/.test(path))
    throw new InputError(
      `${JSON.stringify(path)} is not a valid path: it must start with a slash and contain no spaces.`,
    );
  const query = buildQueryString(input.query);
  const target = deps.basePath + path + (path.includes('?') ? query.replace('?', '&') : query);
  return sendWithSession(deps, method.toUpperCase(), target, input, isStream);
}

async function sendWithSession(
  deps: ClientDeps,
  method: string,
  path: string,
  input: CallInput,
  isStream = false,
): Promise<ApiResponse> {
  const { headers: bodyHeaders, body } = encodeBody(input.body);
  const tag = input.ifMatch === undefined ? {} : { 'if-match': input.ifMatch };
  const merged = mergeHeaders(
    { accept: isStream ? 'text/event-stream' : 'application/json' },
    bodyHeaders,
    deps.options.headers,
    tag,
    input.headers,
  );
  const hasOwnCredentials = 'authorization' in merged || 'x-api-key' in merged;
  const send = (headers: Readonly<Record<string, string>>) =>
    deps.transport.send({ method, path, headers, body, signal: input.signal, isStream, onSent: input.onSent });
  if (input.anonymous || hasOwnCredentials) return send(merged);
  const response = await send(mergeHeaders(merged, await deps.session.headers()));
  const [first] = Array.isArray(response.body) ? response.body : [];
  if (!deps.session.renew(String(first?.code))) return response;
  return send(mergeHeaders(merged, await deps.session.headers()));
}

async function* iterateItems(base: BaseClient, id: string, input: CallInput): AsyncGenerator<unknown, void, undefined> {
  let after: string | undefined;
  do {
    const page = asPage(
      await base.call(id, after === undefined ? input : { ...input, query: { ...input.query, after } }),
    );
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

async function unwrapResponse(operation: ManifestOperation, response: Promise<ApiResponse>): Promise<unknown> {
  const merged = await response;
  if (operation.response.page) return asPage(merged);
  return operation.response.status === 204 && !operation.response.header ? undefined : merged.body;
}
