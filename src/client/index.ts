/** The typed client of the service: `createClient({ baseUrl, credentials }).groups.addRole({ params, body })`. */
import { manifest } from '../contract/manifest.ts';
import type { operations } from '../server/operations/index.ts';
import { type ClientOf, type ClientOptions, createUntypedClient } from './create-client.ts';

export { type Answer, asPage } from './answer.ts';
export type { BaseClient, ClientOf, ClientOptions } from './create-client.ts';
export {
  type AnonymousCall,
  basicAuthorization,
  type ClientPair,
  type Credentials,
  type TokenCache,
  type TokenSource,
} from './credentials.ts';
export { ClientError, type ErrorDetails, type ErrorItem, InputError, NetworkError } from './errors.ts';
export type { Timeouts } from './transport.ts';
export type { CallInput, CallOptions, InputOf, ResultOf, ResultPage } from './types.ts';

/** A client with a method for every operation of the service. */
export type IamClient = ClientOf<typeof operations>;

/** Makes a client; it connects with its first call. */
export function createClient(options: ClientOptions): IamClient {
  return createUntypedClient(options, manifest) as IamClient;
}
