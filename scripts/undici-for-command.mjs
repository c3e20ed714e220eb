/**
 * The parts of undici that `iam` uses, by file: its index also loads fetch, WebSocket and mocks, which takes 80 ms more.
 * bundle.mjs resolves `undici` to this module for the command only. The version of undici is pinned.
 */
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

Dispatcher.prototype.request = request;

export { Agent, buildConnector };
