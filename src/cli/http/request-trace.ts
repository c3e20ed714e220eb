/** Logs requests on standard error, without bodies and credentials. */

import type { OutgoingRequest } from '../../client/request.ts';
import type { ApiResponse } from '../../client/response.ts';
import { resolveCredentials } from '../auth/credentials.ts';
import type { CliSettings } from '../config/settings.ts';
import { escapeControls } from '../io/control-characters.ts';
import type { Environment, Io } from '../io/io.ts';
import { type CurlCall, formatCurlCommand } from './curl.ts';
import type { FindRequestFields } from './redact.ts';
import { isLoggableHeader, redactPath } from './redact.ts';

export interface TracingOptions {
  /** One line per request and response. */
  readonly verbose: boolean;
  /** Also the headers. */
  readonly debug: boolean;
  /** Each request as a curl command. */
  readonly curl: boolean;
}

interface TraceDeps {
  readonly io: Io;
  readonly environment: Environment;
  readonly fieldsAt: FindRequestFields;
}

interface TracingHooks {
  onRequest?(request: OutgoingRequest): void;
  onResponse?(response: ApiResponse): void;
}

/** Creates the hooks that log requests and responses. */
export function createTracingHooks(
  { io, environment: { now }, fieldsAt }: TraceDeps,
  tracing: TracingOptions,
  origin: string,
): TracingHooks {
  const { verbose, debug, curl } = tracing;
  if (!verbose && !debug && !curl) return {};
  const label = debug ? 'debug: ' : '';
  let startedAt = now();
  return {
    onRequest: (request) => {
      startedAt = now();
      const fields = fieldsAt(request.method, request.path);
      const path = redactPath(request.path, fields.query);
      if (verbose || debug)
        io.stderr.write(`${label}> ${escapeControls(formatRequestLine({ ...request, path }, debug))}\n`);
      if (curl) io.stderr.write(`${formatCurlCommand({ ...request, url: origin + request.path }, fields)}\n`);
    },
    onResponse: ({ status, requestId }) => {
      if (!verbose && !debug) return;
      io.stderr.write(
        `${label}< ${status} after ${now() - startedAt} ms, request ${escapeControls(requestId ?? 'without id')}\n`,
      );
    },
  };
}

function formatRequestLine({ method, path, headers }: OutgoingRequest, withHeaders: boolean): string {
  const names = Object.keys(headers).map((name) => `${name}: ${isLoggableHeader(name) ? headers[name] : '(hidden)'}`);
  return `${method} ${path}${withHeaders ? ` {${names.join(', ')}}` : ''}`;
}

/** Prints a request that is not sent as a curl command, with its credentials as variables. */
export function printCurl(
  { io, fieldsAt }: Omit<TraceDeps, 'environment'>,
  settings: CliSettings,
  call: CurlCall,
): void {
  const { kind } = resolveCredentials(settings);
  const credentials: Readonly<Record<string, string>> =
    kind === 'none' ? {} : kind === 'api-key' ? { 'x-api-key': '' } : { authorization: 'Bearer' };
  const type = call.body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { ...type, ...call.headers, ...credentials };
  io.stderr.write(`${formatCurlCommand({ ...call, headers }, fieldsAt(call.method, call.url))}\n`);
}
