import type { buildConnector, Dispatcher } from 'undici';
import type { Manifest, ManifestOperation } from '../contract/manifest-types.ts';
import { type Answer, asPage, assertSuccess } from './answer.ts';
import { areas } from './areas.ts';
import { type Credentials, createSession, type Session, type TokenCache } from './credentials.ts';
import { InputError } from './errors.ts';
import { encodeBody, joinHeaders, type OutgoingRequest, operationPath, queryString, readBaseUrl } from './request.ts';
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
  readonly onAnswer?: ((answer: Answer) => void) | undefined;
}

/** What a client can do whatever operations there are. */
export interface BaseClient {
  /** Calls an operation by its id and gives the whole answer. Throws ClientError where it is a failure. */
  call(id: string, input?: CallInput): Promise<Answer>;
  /** All items of a list, page by page as they are consumed. */
  items(id: string, input?: CallInput): AsyncGenerator<unknown, void, undefined>;
  /** Sends to a path under the base URL and gives the answer as it is, also a failure. */
  raw(method: string, path: string, input?: Omit<CallInput, 'params'>): Promise<Answer>;
  /** Ends the connections once the calls under way are done. */
  close(): Promise<void>;
}

export type ClientOf<Registry> = BaseClient & AreasOf<Registry>;

interface Parts {
  readonly options: ClientOptions;
  readonly basePath: string;
  readonly transport: Transport;
  readonly session: Session;
}

const loginId = 'client-identities.login';

/** Makes a client from a manifest; `createClient` gives it the types of this package's operations. */
export function createUntypedClient(options: ClientOptions, manifest: Manifest): BaseClient {
  const base = createBaseClient(options, manifest);
  return Object.assign(
    base,
    areas(manifest.operations, (operation, input) => result(operation, base.call(operation.id, input))),
  );
}

/** The same without the methods of the operations, for who calls them by their ids. */
export function createBaseClient(options: ClientOptions, manifest: Manifest): BaseClient {
  const byId = new Map(manifest.operations.map((operation) => [operation.id, operation]));
  const { origin, basePath } = readBaseUrl(options.baseUrl, manifest.prefix);
  const transport = traced(createTransport({ ...options, origin }), options);
  const loginPath = `${basePath}${manifest.prefix}${byId.get(loginId)?.path ?? '/client-identities/login'}`;
  const anonymously = (id: string, input: CallInput) => base.call(id, { ...input, anonymous: true });
  const session = createSession({ ...options, loginPath, transport, call: anonymously });
  const parts = { options, basePath, transport, session };
  const base: BaseClient = {
    call: (id, input = {}) => call(parts, `${basePath}${manifest.prefix}`, operationOf(byId, id), input),
    items: (id, input = {}) => items(base, id, input),
    raw: (method, path, input = {}) => raw(parts, method, path, input),
    close: () => transport.close(),
  };
  return base;
}

function traced(transport: Transport, { onRequest, onAnswer }: ClientOptions): Transport {
  if (!onRequest && !onAnswer) return transport;
  const send = async (request: OutgoingRequest) => {
    onRequest?.(request);
    const answer = await transport.send(request);
    onAnswer?.(answer);
    return answer;
  };
  return { ...transport, send };
}

function operationOf(byId: ReadonlyMap<string, ManifestOperation>, id: string): ManifestOperation {
  const operation = byId.get(id);
  if (!operation) throw new InputError(`There is no operation ${id}.`);
  return operation;
}

async function call(parts: Parts, prefix: string, operation: ManifestOperation, input: CallInput): Promise<Answer> {
  const path = prefix + operationPath(operation, input);
  const anonymous = input.anonymous ?? (operation.auth === 'none' && operation.id !== loginId);
  const isLogin = operation.id === loginId && !anonymous;
  const given = isLogin ? { ...input, headers: joinHeaders(parts.session.basic, input.headers) } : input;
  const answer = await sendWithSession(parts, operation.method, path, { ...given, anonymous: anonymous || isLogin });
  assertSuccess(answer);
  return withHeaderValue(operation, answer);
}

/** Where an answer has its one value in a header, that is what is in it. */
function withHeaderValue({ response: { header } }: ManifestOperation, answer: Answer): Answer {
  return header ? { ...answer, body: { [header.field]: answer.headers[header.name.toLowerCase()] } } : answer;
}

async function raw(parts: Parts, method: string, path: string, input: CallInput): Promise<Answer> {
  if (!path.startsWith('/') || /[\s#]/.test(path))
    throw new InputError(`${JSON.stringify(path)} is no path: it starts with a slash and has no blanks.`);
  const query = queryString(input.query);
  const target = parts.basePath + path + (path.includes('?') ? query.replace('?', '&') : query);
  return sendWithSession(parts, method.toUpperCase(), target, input);
}

async function sendWithSession(parts: Parts, method: string, path: string, input: CallInput): Promise<Answer> {
  const { headers: own, body } = encodeBody(input.body);
  const tag = input.ifMatch === undefined ? {} : { 'if-match': input.ifMatch };
  const given = joinHeaders({ accept: 'application/json' }, own, parts.options.headers, tag, input.headers);
  const hasOwnCredentials = 'authorization' in given || 'x-api-key' in given;
  const send = (headers: Readonly<Record<string, string>>) =>
    parts.transport.send({ method, path, headers, body, signal: input.signal });
  if (input.anonymous || hasOwnCredentials) return send(given);
  const answer = await send(joinHeaders(given, await parts.session.headers()));
  const [first] = Array.isArray(answer.body) ? answer.body : [];
  if (!parts.session.renew(String(first?.code))) return answer;
  return send(joinHeaders(given, await parts.session.headers()));
}

async function* items(base: BaseClient, id: string, input: CallInput): AsyncGenerator<unknown, void, undefined> {
  let after: string | undefined;
  do {
    const page = asPage(
      await base.call(id, after === undefined ? input : { ...input, query: { ...input.query, after } }),
    );
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

async function result(operation: ManifestOperation, answer: Promise<Answer>): Promise<unknown> {
  const given = await answer;
  if (operation.response.page) return asPage(given);
  return operation.response.status === 204 && !operation.response.header ? undefined : given.body;
}
