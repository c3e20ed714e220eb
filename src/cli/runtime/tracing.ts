/** Calls as lines on standard error. Bodies and credentials stay out: both can be secret. */

import type { OutgoingRequest } from '../../client/request.ts';
import type { ApiResponse } from '../../client/response.ts';
import { escapeControls } from './control-characters.ts';
import { resolveCredentials } from './credentials.ts';
import { type CurlCall, formatCurlCommand } from './curl.ts';
import type { Environment, Io } from './io.ts';
import { isLoggableHeader, redactPath } from './redact.ts';
import type { FindRequestFields } from './request-fields.ts';
import type { SettingSources } from './settings.ts';

export interface TracingOptions {
  /** A line for each call and each answer. */
  readonly verbose: boolean;
  /** The headers as well. */
  readonly debug: boolean;
  /** Each call as a line for curl. */
  readonly curl: boolean;
}

interface TraceDeps {
  readonly io: Io;
  readonly environment: Environment;
  readonly fieldsAt: FindRequestFields;
}

interface TracingHooks {
  onRequest?(request: OutgoingRequest): void;
  onResponse?(answer: ApiResponse): void;
}

/** What the client calls around each request. */
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
        `${label}< ${status} after ${now() - startedAt} ms, request ${escapeControls(requestId ?? 'without an id')}\n`,
      );
    },
  };
}

function formatRequestLine({ method, path, headers }: OutgoingRequest, withHeaders: boolean): string {
  const names = Object.keys(headers).map((name) => `${name}: ${isLoggableHeader(name) ? headers[name] : '(hidden)'}`);
  return `${method} ${path}${withHeaders ? ` {${names.join(', ')}}` : ''}`;
}

/** Prints a call that is not made, with the credentials that it would have. */
export function printCurl(
  { io, fieldsAt }: Omit<TraceDeps, 'environment'>,
  sources: SettingSources,
  call: CurlCall,
): void {
  const { kind } = resolveCredentials(sources);
  const credentials: Readonly<Record<string, string>> =
    kind === 'none' ? {} : kind === 'api-key' ? { 'x-api-key': '' } : { authorization: 'Bearer' };
  const type = call.body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { ...type, ...call.headers, ...credentials };
  io.stderr.write(`${formatCurlCommand({ ...call, headers }, fieldsAt(call.method, call.url))}\n`);
}
