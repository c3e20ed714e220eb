import type { buildConnector, Dispatcher } from 'undici';
import type { Manifest, ManifestOperation } from '../contract/manifest-types.ts';
import { buildClientAreas } from './client-areas.ts';
import { type AuthSession, type Credentials, createAuthSession, type TokenCache } from './credentials.ts';
import { InputError } from './errors.ts';
import {
  buildOperationPath,
  buildQueryString,
  encodeBody,
  mergeHeaders,
  type OutgoingRequest,
  parseBaseUrl,
} from './request.ts';
import { type ApiResponse, asPage, assertSuccess } from './response.ts';
import { createTransport, type Timeouts, type TlsOptions, type Transport } from './transport.ts';
import type { AreasOf, CallInput } from './types.ts';

export interface ClientOptions {
  /** With or without a path and a slash at its end. */
  readonly baseUrl: string;
  readonly credentials?: Credentials | undefined;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeouts?: Timeouts | undefined;
  readonly connections?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Opens connections another way, such as through a proxy; `tls` is for who makes it. */
  readonly connector?: buildConnector.connector | undefined;
  readonly dispatcher?: Dispatcher | undefined;
  /** What else calls go through, for the messages of failures. */
  readonly via?: string | undefined;
  readonly tokenCache?: TokenCache | undefined;
  /** Called before each request leaves, login included; for tracing. Sees secrets. */
  readonly onRequest?: ((request: OutgoingRequest) => void) | undefined;
  readonly onResponse?: ((response: ApiResponse) => void) | undefined;
}

/** What a client can do whatever operations there are. */
export interface BaseClient {
  /** Calls an operation by its id and gives the whole answer. Throws ClientError where it is a failure. */
  call(id: string, input?: CallInput): Promise<ApiResponse>;
  /** All items of a list, page by page as they are consumed. */
  items(id: string, input?: CallInput): AsyncGenerator<unknown, void, undefined>;
  /** Sends to a path under the base URL and gives the answer as it is, also a failure. */
  raw(method: string, path: string, input?: Omit<CallInput, 'params'>): Promise<ApiResponse>;
  /** Ends the connections once the calls under way are done. */
  close(): Promise<void>;
}

export type ClientOf<Registry> = BaseClient & AreasOf<Registry>;

interface ClientDeps {
  readonly options: ClientOptions;
  readonly basePath: string;
  readonly transport: Transport;
  readonly session: AuthSession;
}

const loginId = 'client-identities.login';

/** Makes a client from a manifest; `createClient` gives it the types of this package's operations. */
export function createUntypedClient(options: ClientOptions, manifest: Manifest): BaseClient {
  const base = createBaseClient(options, manifest);
  return Object.assign(
    base,
    buildClientAreas(manifest.operations, (operation, input) =>
      unwrapResponse(operation, base.call(operation.id, input)),
    ),
  );
}

/** The same without the methods of the operations, for who calls them by their ids. */
export function createBaseClient(options: ClientOptions, manifest: Manifest): BaseClient {
  const byId = new Map(manifest.operations.map((operation) => [operation.id, operation]));
  const { origin, basePath } = parseBaseUrl(options.baseUrl, manifest.prefix);
  const transport = withTracing(createTransport({ ...options, origin }), options);
  const loginPath = `${basePath}${manifest.prefix}${byId.get(loginId)?.path ?? '/client-identities/login'}`;
  const anonymously = (id: string, input: CallInput) => base.call(id, { ...input, anonymous: true });
  const session = createAuthSession({ ...options, loginPath, transport, call: anonymously });
  const deps = { options, basePath, transport, session };
  const base: BaseClient = {
    call: (id, input = {}) => call(deps, `${basePath}${manifest.prefix}`, findOperationById(byId, id), input),
    items: (id, input = {}) => iterateItems(base, id, input),
    raw: (method, path, input = {}) => sendRaw(deps, method, path, input),
    close: () => transport.close(),
  };
  return base;
}

function withTracing(transport: Transport, { onRequest, onResponse }: ClientOptions): Transport {
  if (!onRequest && !onResponse) return transport;
  const send = async (request: OutgoingRequest) => {
    onRequest?.(request);
    const response = await transport.send(request);
    onResponse?.(response);
    return response;
  };
  return { ...transport, send };
}

function findOperationById(byId: ReadonlyMap<string, ManifestOperation>, id: string): ManifestOperation {
  const operation = byId.get(id);
  if (!operation) throw new InputError(`There is no operation ${id}.`);
  return operation;
}

async function call(
  deps: ClientDeps,
  prefix: string,
  operation: ManifestOperation,
  input: CallInput,
): Promise<ApiResponse> {
  const path = prefix + buildOperationPath(operation, input);
  const anonymous = input.anonymous ?? (operation.auth === 'none' && operation.id !== loginId);
  const isLogin = operation.id === loginId && !anonymous;
  const merged = isLogin ? { ...input, headers: mergeHeaders(deps.session.basic, input.headers) } : input;
  const response = await sendWithSession(deps, operation.method, path, { ...merged, anonymous: anonymous || isLogin });
  assertSuccess(response);
  return withHeaderValue(operation, response);
}

/** Where an answer has its one value in a header, that is what is in it. */
function withHeaderValue({ response: { header } }: ManifestOperation, response: ApiResponse): ApiResponse {
  return header ? { ...response, body: { [header.field]: response.headers[header.name.toLowerCase()] } } : response;
}

async function sendRaw(deps: ClientDeps, method: string, path: string, input: CallInput): Promise<ApiResponse> {
  if (!path.startsWith('/') || /[\s#]/.test(path))
    throw new InputError(`${JSON.stringify(path)} is no path: it starts with a slash and has no blanks.`);
  const query = buildQueryString(input.query);
  const target = deps.basePath + path + (path.includes('?') ? query.replace('?', '&') : query);
  return sendWithSession(deps, method.toUpperCase(), target, input);
}

async function sendWithSession(deps: ClientDeps, method: string, path: string, input: CallInput): Promise<ApiResponse> {
  const { headers: own, body } = encodeBody(input.body);
  const tag = input.ifMatch === undefined ? {} : { 'if-match': input.ifMatch };
  const merged = mergeHeaders({ accept: 'application/json' }, own, deps.options.headers, tag, input.headers);
  const hasOwnCredentials = 'authorization' in merged || 'x-api-key' in merged;
  const send = (headers: Readonly<Record<string, string>>) =>
    deps.transport.send({ method, path, headers, body, signal: input.signal });
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
