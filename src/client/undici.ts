/**
 * Imports parts of undici by file. The index also loads fetch, WebSocket and mocks, which more than doubles the startup time
 * of a program that sends one request.
 */
import type { buildConnector, Dispatcher, Pool as PoolClass } from 'undici';
// @ts-expect-error undici has types for its index only
import untypedRequest from 'undici/lib/api/api-request.js';
// @ts-expect-error undici has types for its index only
import untypedConnector from 'undici/lib/core/connect.js';
// @ts-expect-error undici has types for its index only
import untypedPool from 'undici/lib/dispatcher/pool.js';

type Request = (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;

export const createConnector = untypedConnector as typeof buildConnector;

export const Pool = untypedPool as typeof PoolClass;

/** `dispatcher.request(options)`, which undici adds to dispatchers only when its index is loaded. */
export function dispatchRequest(
  dispatcher: Dispatcher,
  options: Dispatcher.RequestOptions,
): Promise<Dispatcher.ResponseData> {
  return (untypedRequest as Request).call(dispatcher, options);
}
