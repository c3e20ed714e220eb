/**
 * The parts of undici that the product uses, by file: its index also loads fetch, WebSocket and mocks, which takes 80 ms more.
 * bundle.mjs resolves `undici` to this module. The version of undici is pinned.
 */
import requestMethod from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';

Dispatcher.prototype.request = requestMethod;

/** That of Node and of any undici in the process, such as one for a proxy. */
const globalDispatcher = Symbol.for('undici.globalDispatcher.1');

/** Without the checks of the index. */
function request(url, { dispatcher = globalThis[globalDispatcher] ?? new Agent({ pipelining: 0 }), ...options }) {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({ method: 'GET', ...options, origin, path: pathname + search });
}

export { Agent, buildConnector, Pool, request };
