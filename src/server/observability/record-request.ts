/** Records and counts each request. This is the hot path: nothing is parsed or redacted here. */
import type { IncomingMessage } from 'node:http';
import { type ErrorItem, IamError } from '../../contract/errors.ts';
import { controlPrefix } from '../../contract/prefix.ts';
import { readCorrelation } from '../http/correlation.ts';
import { hasConsoleHeader } from '../http/fetch-metadata.ts';
import type { RequestState } from '../http/request-state.ts';
import type { Clock } from '../lib/clock.ts';
import { isConsoleRead } from './console-requests.ts';
import type { Observability } from './observability.ts';
import { receiveRefusedBody } from './refused-body.ts';
import { type BodyState, type CredentialKind, joinHeaders, type RequestLogRecord } from './request-log.ts';

const belowControl = `${controlPrefix}/`;
const noErrors: readonly ErrorItem[] = [];
/** Paths that programs poll: recording them would evict everything else. */
const ignoredPaths = new Set(['/healthz', '/readyz', '/metrics', controlPrefix]);

function isRecordedPath(path: string): boolean {
  return !ignoredPaths.has(path) && !path.startsWith(belowControl);
}

/** The index leads browsers to the console, which polls it without credentials. */
function isIndexForConsole({ path, request }: RequestState, status: number | undefined): boolean {
  return path === '/' && (status === 302 || hasConsoleHeader(request.headers));
}

/** Requests to the control plane are not recorded: otherwise reading the log would change it. */
export function recordRequest(
  record: RequestState,
  outcome: { readonly actor: string; readonly status: number | undefined },
  observability: Observability,
  clock: Clock,
): void {
  const { request, path, operation, errors = noErrors, responseBody } = record;
  const { actor, status } = outcome;
  if (!isRecordedPath(path) || isIndexForConsole(record, status)) return;
  const now = observability.stopwatch.now();
  const duration = now - (record.startedAt ?? now);
  const consoleUse = record.isFromConsole ? (isConsoleRead(record) ? 'read' : 'write') : undefined;
  // Looking at a service changes no measure of it.
  if (consoleUse !== 'read') {
    if (operation && status !== undefined) observability.coverage.count(operation, status, errors, duration);
    observability.series.add({ duration, status, isLogin: isLogin(operation) });
  }
  const entry: RequestLogRecord = {
    sequence: 0,
    consoleUse,
    requestId: record.requestId,
    correlation: readCorrelation(request.headers),
    at: clock.now().getTime(),
    duration,
    method: request.method ?? '',
    path,
    search: record.query,
    operation,
    caller: record.caller,
    actor,
    status,
    errors,
    headerText: joinHeaders(request.rawHeaders),
    responseHeaders: record.responseHeaders,
    body: record.body,
    bodyLength: measureBody(record.body, request),
    bodyState: readBodyState(record),
    response: typeof responseBody === 'string' ? responseBody : undefined,
    responseLength: responseBody?.length ?? 0,
    fault: record.fault,
    flow: record.flow,
    testToken: observability.testTokens.find(request.headers.authorization),
    credential: errors === noErrors ? undefined : detectCredential(record),
    reason: record.thrown instanceof IamError ? record.thrown.readReason() : undefined,
  };
  observability.requestLog.add(entry);
  if (observability.readsRefusedBodies) receiveRefusedBody(record, entry);
}

/** Whether a successful request issues a token for credentials, as the declaration says. */
function isLogin(operation: RequestState['operation']): boolean {
  return operation?.audit.kind === 'authentication' && 'secret' in operation.response && !!operation.response.secret;
}

/** The Content-Length, or for a chunked body the length of its JSON. */
function measureBody(body: unknown, { headers }: IncomingMessage): number {
  return Number(headers['content-length']) || (body === undefined ? 0 : JSON.stringify(body).length);
}

function readBodyState({ request, body, errors = noErrors }: RequestState): BodyState {
  if (body !== undefined) return 'read';
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (length === '0' && encoding === undefined) return 'none';
  if (errors.some(({ code }) => code === 'BODY_TOO_LARGE')) return 'too-long';
  return request.readableDidRead || errors.some(({ code }) => code === 'CONTENT_TYPE_UNSUPPORTED')
    ? 'not-json'
    : 'not-read';
}

/** The authentication method of a rejected request; never its credentials. */
function detectCredential({ request, operation, query }: RequestState): CredentialKind {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  if (authorization !== undefined) {
    const [scheme = ''] = authorization.trim().toLowerCase().split(' ');
    return scheme === 'basic' || scheme === 'bearer' ? scheme : 'other';
  }
  if (apiKey !== undefined) return 'api-key';
  if (operation?.request.clientInBody) return 'body';
  return operation?.auth === 'client-id' && /(^|&)clientId=/.test(query) ? 'client-id' : 'none';
}
