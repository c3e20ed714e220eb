/** The requests of pages: a request is sent through the client of its API, or described as the call that does the same. */
import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch';
import { controlPrefix, servicePrefix } from '../../../../src/contract/prefix.ts';
import type { ControlClient, ServiceClient } from './clients.ts';
import type { FetchResult } from './errors.ts';

export interface RequestClients {
  readonly control: ControlClient;
  readonly service: ServiceClient;
}

/** Makes one request with one of the clients. */
export type ApiRequest<Data = unknown> = (clients: RequestClients, signal?: AbortSignal) => Promise<FetchResult<Data>>;

export interface HttpCall {
  readonly method?: string;
  /** Below the base URL: `/_iam/inbox`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

interface RequestInput {
  readonly params?: {
    readonly path?: Record<string, unknown>;
    readonly query?: Record<string, unknown>;
    readonly header?: Record<string, string | undefined>;
  };
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

const querySerializer = createQuerySerializer();

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The same clients, whose requests end with the signal. */
export function abortable({ control, service }: RequestClients, signal: AbortSignal): RequestClients {
  const withSignal = <Client extends object>(client: Client): Client => {
    const send = client as Record<string, (path: string, init?: RequestInput) => unknown>;
    const entries = methods.map((method) => [
      method,
      (path: string, init?: RequestInput) => send[method]?.(path, { ...init, signal }),
    ]);
    return Object.fromEntries(entries);
  };
  return { control: withSignal(control), service: withSignal(service) };
}

/** A client that returns what it is asked to send. */
function createDescriber(baseUrl: string) {
  const entries = methods.map((method) => {
    const describe = (template: string, { params = {}, body }: RequestInput = {}): HttpCall => ({
      method,
      path: createFinalURL(template, { baseUrl, params, querySerializer, pathSerializer: defaultPathSerializer }),
      headers: params.header,
      body,
    });
    return [method, describe] as const;
  });
  return Object.fromEntries(entries);
}

const describers = {
  control: createDescriber(controlPrefix),
  service: createDescriber(servicePrefix),
} as unknown as RequestClients;

export function describeRequest(request: ApiRequest): HttpCall {
  return request(describers) as unknown as HttpCall;
}
