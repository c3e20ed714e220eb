/** Calls as lines on standard error. Bodies and credentials stay out: both can be secret. */
import type { Answer } from '../../client/answer.ts';
import type { OutgoingRequest } from '../../client/request.ts';
import { escapeControls } from './control-characters.ts';
import { type CurlCall, curlCommand } from './curl.ts';
import type { Environment, Io } from './io.ts';
import { isOpenHeader, openPath } from './redact.ts';
import type { FindRequestFields } from './request-fields.ts';
import type { Sources } from './settings.ts';
import { signIn } from './sign-in.ts';

export interface Tracing {
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

interface Hooks {
  onRequest?(request: OutgoingRequest): void;
  onAnswer?(answer: Answer): void;
}

/** What the client calls around each request. */
export function traced({ io, environment: { now }, fieldsAt }: TraceDeps, tracing: Tracing, origin: string): Hooks {
  const { verbose, debug, curl } = tracing;
  if (!verbose && !debug && !curl) return {};
  const label = debug ? 'debug: ' : '';
  let startedAt = now();
  return {
    onRequest: (request) => {
      startedAt = now();
      const fields = fieldsAt(request.method, request.path);
      const path = openPath(request.path, fields.query);
      if (verbose || debug) io.stderr.write(`${label}> ${escapeControls(requestLine({ ...request, path }, debug))}\n`);
      if (curl) io.stderr.write(`${curlCommand({ ...request, url: origin + request.path }, fields)}\n`);
    },
    onAnswer: ({ status, requestId }) => {
      if (!verbose && !debug) return;
      io.stderr.write(
        `${label}< ${status} after ${now() - startedAt} ms, request ${escapeControls(requestId ?? 'without an id')}\n`,
      );
    },
  };
}

function requestLine({ method, path, headers }: OutgoingRequest, withHeaders: boolean): string {
  const names = Object.keys(headers).map((name) => `${name}: ${isOpenHeader(name) ? headers[name] : '(hidden)'}`);
  return `${method} ${path}${withHeaders ? ` {${names.join(', ')}}` : ''}`;
}

/** Prints a call that is not made, with the credentials that it would have. */
export function printCurl({ io, fieldsAt }: Omit<TraceDeps, 'environment'>, sources: Sources, call: CurlCall): void {
  const { kind } = signIn(sources);
  const credentials: Readonly<Record<string, string>> =
    kind === 'none' ? {} : kind === 'api-key' ? { 'x-api-key': '' } : { authorization: 'Bearer' };
  const type = call.body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { ...type, ...call.headers, ...credentials };
  io.stderr.write(`${curlCommand({ ...call, headers }, fieldsAt(call.method, call.url))}\n`);
}
