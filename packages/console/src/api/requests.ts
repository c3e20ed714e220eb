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
}

const querySerializer = createQuerySerializer();

/** A client that returns what it is asked to send. */
function createDescriber(baseUrl: string) {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => {
    const describe = (template: string, { params = {}, body }: RequestInput = {}): HttpCall => ({
      method,
      path: createFinalURL(template, { baseUrl, params, querySerializer, pathSerializer: defaultPathSerializer }),
      headers: params.header,
      body,
    });
    return [method, describe] as const;
  });
  return Object.fromEntries(methods);
}

const describers = {
  control: createDescriber(controlPrefix),
  service: createDescriber(servicePrefix),
} as unknown as RequestClients;

export function describeRequest(request: ApiRequest): HttpCall {
  return request(describers) as unknown as HttpCall;
}
