/**
 * The parts of undici that the client needs, by their own files: its index loads fetch, websockets and mocks too,
 * which more than doubles the start of a program that makes one call.
 */
import type { buildConnector, Dispatcher, Pool as PoolClass } from 'undici';
// @ts-expect-error undici gives types for its index only
import untypedRequest from 'undici/lib/api/api-request.js';
// @ts-expect-error undici gives types for its index only
import untypedConnector from 'undici/lib/core/connect.js';
// @ts-expect-error undici gives types for its index only
import untypedPool from 'undici/lib/dispatcher/pool.js';

type Request = (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;

export const createConnector = untypedConnector as typeof buildConnector;

export const Pool = untypedPool as typeof PoolClass;

/** `dispatcher.request(options)`, which undici only adds to a dispatcher when its index is loaded. */
export function dispatchRequest(
  dispatcher: Dispatcher,
  options: Dispatcher.RequestOptions,
): Promise<Dispatcher.ResponseData> {
  return (untypedRequest as Request).call(dispatcher, options);
}
