/** The typed client of the service: `createClient({ baseUrl, credentials }).groups.addRole({ params, body })`. */
import { manifest } from '../contract/manifest.ts';
import { type BaseClient, type ClientOptions, createUntypedClient } from './create-client.ts';
import type { IamOperations, ListItems } from './operation-types.ts';
import type { CallInput } from './types.ts';

export { StandinError } from '../contract/standin-error.ts';
export type { BaseClient, ClientOptions } from './create-client.ts';
export {
  type AnonymousCall,
  basicAuthorization,
  type ClientSecretCredentials,
  type Credentials,
  type TokenCache,
  type TokenSource,
} from './credentials.ts';
export {
  ClientError,
  type ClientErrorCode,
  type ClientErrorDetails,
  type ClientErrorItem,
  InputError,
  NetworkError,
} from './errors.ts';
export type * from './operation-types.ts';
export type { OutgoingRequest } from './request.ts';
export { type ApiResponse, asPage, type ResponseHeaders } from './response.ts';
export type { Timeouts, TlsOptions, TransportOptions } from './transport.ts';
export type { CallInput, CallOptions, ClientDispatcher, ResultPage, Scalar } from './types.ts';

/** A client with a method for every operation of the service. */
export interface IamClient extends BaseClient, IamOperations {
  items<Id extends keyof ListItems>(id: Id, input?: CallInput): AsyncGenerator<ListItems[Id], void, undefined>;
}

/** Creates a client; it connects on its first request. */
export function createClient(options: ClientOptions): IamClient {
  return createUntypedClient(options, manifest) as IamClient;
}
