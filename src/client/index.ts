/** The typed client of the service: `createClient({ baseUrl, credentials }).groups.addRole({ params, body })`. */
import { manifest } from '../contract/manifest.ts';
import type { operations } from '../server/operations/index.ts';
import { type ClientOf, type ClientOptions, createUntypedClient } from './create-client.ts';

export type { BaseClient, ClientOf, ClientOptions } from './create-client.ts';
export {
  type AnonymousCall,
  basicAuthorization,
  type ClientSecretCredentials as ClientPair,
  type Credentials,
  type TokenCache,
  type TokenSource,
} from './credentials.ts';
export { ClientError, type ClientErrorItem, type ErrorDetails, InputError, NetworkError } from './errors.ts';
export { type ApiResponse, asPage } from './response.ts';
export type { Timeouts } from './transport.ts';
export type { CallInput, CallOptions, InputOf, ResultOf, ResultPage } from './types.ts';

/** A client with a method for every operation of the service. */
export type IamClient = ClientOf<typeof operations>;

/** Creates a client; it connects on its first request. */
export function createClient(options: ClientOptions): IamClient {
  return createUntypedClient(options, manifest) as IamClient;
}
