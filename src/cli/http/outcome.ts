/**
 * What a failed request means for the server: nothing took effect, or a write may have. Every request of a command is sent
 * by `trackOutcomes`; exit-codes.ts and error-report.ts give the result its exit code.
 */
import type { BaseClient } from '../../client/create-client.ts';
import { ClientError, NetworkError } from '../../client/errors.ts';
import { type ApiResponse, findResponseError } from '../../client/response.ts';
import type { CallInput } from '../../client/types.ts';
import type { Manifest, ManifestOperation, ManifestRoute } from '../../contract/manifest-types.ts';
import { isWriteOperation, isWriteRequest } from '../config/safety.ts';
import { categoryOf, type ErrorTable, errorEntryOf, UnknownOutcomeError } from '../errors.ts';
import { isAnswerRejected, stillRefusedCode } from './network-failure.ts';
import {
  checkOfOperation,
  checkOfRoute,
  findReadOfTarget,
  isReplacedBy,
  type RequestValues,
  readPathValues,
} from './outcome-check.ts';
import { findUnreadable, promisedBy, UnreadableResponseError } from './promised-response.ts';
import { routeOfUrl } from './redact.ts';
import { busyStatuses, type RetryRules, startRetries } from './retry.ts';

export interface OutcomeDeps {
  readonly manifest: Manifest;
  /** Without them, each request is sent once. */
  readonly retries?: RetryRules | undefined;
}

/** What the transport has to know about a request. */
interface TrackedRequest {
  readonly isWrite: boolean;
  readonly isDelete: boolean;
  /** A repetition leaves the same state (RFC 9110, 9.2.2). */
  readonly isIdempotent: boolean;
  /** The command that shows whether it took effect. */
  check(): string;
  /** Whether the target has the state that the request was to make, after a repetition was rejected with this error. */
  isDone(rejection: ClientError): Promise<boolean>;
  /** The route that defines its response; undefined for a path that is not known. */
  readonly route: ManifestOperation | ManifestRoute | undefined;
  readonly signal: AbortSignal | undefined;
}

type Send = (onSent: () => void) => Promise<ApiResponse>;

/** Sends requests with their outcome: what may have taken effect fails with UnknownOutcomeError, anything else has not. */
export function trackOutcomes(client: BaseClient, deps: OutcomeDeps): BaseClient {
  return {
    ...client,
    call: (id, input = {}) => {
      const send: Send = (onSent) => client.call(id, { ...input, onSent });
      const request = trackOperation(client, deps.manifest, id, input);
      return deliver(deps, request, send);
    },
    raw: (method, path, input = {}) => {
      const send: Send = (onSent) => client.raw(method, path, { ...input, onSent });
      return deliver(deps, trackRaw(deps.manifest, method, path, input), send);
    },
  };
}

function trackOperation(client: BaseClient, manifest: Manifest, id: string, input: CallInput): TrackedRequest {
  const operation = manifest.operations.find((one) => one.id === id);
  return {
    isWrite: isWriteOperation(manifest, id),
    isDelete: operation?.method === 'DELETE',
    isIdempotent: operation?.idempotent === true,
    check: () => (operation ? checkOfOperation(manifest, operation, valuesOf(input)) : requestLogCheck),
    route: operation,
    isDone: async (rejection) => operation !== undefined && isTargetDone(client, manifest, operation, input, rejection),
    signal: input.signal,
  };
}

/** For an operation that the command does not know; the client rejects it. */
const requestLogCheck = 'iam requests list';

/** Their PUT can depend on the state before, as the clock that is advanced does. */
const relativeRoutes: readonly string[] = ['PUT /clock'];

function trackRaw(manifest: Manifest, method: string, path: string, input: CallInput): TrackedRequest {
  const route = routeOfUrl(manifest, method.toUpperCase(), path);
  const values = { ...(route && readPathValues(route.path, path)), ...valuesOf(input) };
  const check = () => {
    if (!route) return `iam api GET ${path.split('?')[0]}`;
    return 'id' in route ? checkOfOperation(manifest, route, values) : checkOfRoute(route, values);
  };
  const isDelete = /^delete$/i.test(method);
  const isRelative = route !== undefined && relativeRoutes.includes(`${route.method} ${route.path}`);
  const isIdempotent = !isRelative && /^(get|head|options|put|delete)$/i.test(method);
  return {
    isWrite: isWriteRequest(method, path),
    isDelete,
    isIdempotent,
    check,
    // The caller of a path can choose another type.
    route: Object.keys(input.headers ?? {}).some((name) => /^accept$/i.test(name)) ? undefined : route,
    isDone: async (rejection) => isDelete && categoryOf(manifest, rejection) === 'not-found',
    signal: input.signal,
  };
}

function valuesOf({ params, query, body }: CallInput): RequestValues {
  const fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  return { ...fields, ...query, ...params };
}

/**
 * Whether a rejection proves that an attempt before was applied: a deleted object is absent; a replaced one has the values of
 * the body, whatever its ETag is now.
 */
export async function isTargetDone(
  client: BaseClient,
  manifest: Manifest,
  operation: ManifestOperation,
  { params, body, ifMatch, signal }: CallInput,
  rejection: ClientError,
): Promise<boolean> {
  const category = categoryOf(manifest, rejection);
  if (category === 'not-found') return operation.method === 'DELETE';
  const read = findReadOfTarget(manifest, operation);
  if (category !== 'changed' || ifMatch === undefined || !read) return false;
  try {
    return isReplacedBy((await client.call(read.id, { params, signal })).body, body, operation);
  } catch {
    // Nothing is known without the read.
    return false;
  }
}

/** The result of one attempt. A failure with a response is one that the server reported. */
interface Attempt {
  readonly response?: ApiResponse;
  readonly failure?: unknown;
  readonly isSent: boolean;
}

/** Sends a request, again while that is safe and allowed. @returns also the response of a rejection */
async function deliver(deps: OutcomeDeps, request: TrackedRequest, send: Send): Promise<ApiResponse> {
  const waitBeforeRetry = deps.retries && startRetries(deps.retries, request.signal);
  let unknown: UnknownOutcomeError | undefined;
  for (;;) {
    const { response, failure, isSent } = await attempt(deps, request, send);
    if (failure === undefined) return response as ApiResponse;
    // Of several attempts, one may have taken effect: a rejection of the last is no answer for the first.
    if (unknown && failure instanceof ClientError && (await request.isDone(failure))) return doneResponse;
    if (failure instanceof UnknownOutcomeError) unknown = failure;
    if (await waitBeforeRetry?.({ failure, isSent, isIdempotent: request.isIdempotent })) continue;
    if (unknown) throw unknown;
    if (response) return response;
    throw deps.retries?.maxWait.isChosen && isRefused(failure)
      ? new NetworkError(failure.message, stillRefusedCode, failure)
      : failure;
  }
}

function isRefused(failure: unknown): failure is NetworkError {
  return failure instanceof NetworkError && failure.code === 'ECONNREFUSED';
}

/** The response to a write whose repetition found its effect. */
const doneResponse: ApiResponse = { status: 204, headers: {}, body: undefined, requestId: undefined };

async function attempt(deps: OutcomeDeps, request: TrackedRequest, send: Send): Promise<Attempt> {
  let isSent = false;
  let response: ApiResponse | undefined;
  let failure: unknown;
  try {
    response = await send(() => {
      isSent = true;
    });
    failure = findResponseError(response) ?? (request.route && findUnreadable(response, promisedBy(request.route)));
  } catch (error) {
    failure = error;
  }
  if (failure === undefined) return { ...(response && { response }), isSent };
  const isUnknown = request.isWrite && isSent && mayHaveTakenEffect(deps.manifest, failure, request.signal);
  if (isUnknown) return { failure: toUnknownOutcome(request, failure), isSent };
  const isReported = !(failure instanceof UnreadableResponseError);
  return { ...(response && isReported && { response }), failure, isSent };
}

function toUnknownOutcome(request: TrackedRequest, failure: unknown): UnknownOutcomeError {
  const response = failure instanceof ClientError ? failure : undefined;
  const message = failure instanceof Error ? failure.message : 'Interrupted.';
  const { isDelete } = request;
  return new UnknownOutcomeError({ check: request.check(), isDelete, response, message, cause: failure });
}

/** Whether a write that was sent may have taken effect although it failed. */
export function mayHaveTakenEffect(table: ErrorTable, failure: unknown, signal?: AbortSignal): boolean {
  if (failure instanceof ClientError) return !saysNothingChanged(table, failure);
  if (failure instanceof NetworkError) return !isAnswerRejected(failure);
  return signal?.aborted === true && failure === signal.reason;
}

/**
 * Statuses below 500 with which a gateway can report a write that it sent on: it waited for the rest of the request, its
 * caller left (460 and 499), or it limits retries of its own.
 */
const ambiguousStatuses: readonly number[] = [408, 429, 460, 499];

/** The one decision: a known error of the service, or a gateway that rejected the request, as other statuses below 500 say. */
function saysNothingChanged(table: ErrorTable, failure: ClientError): boolean {
  if (failure instanceof UnreadableResponseError) return false;
  const { status, code, items } = failure;
  if (items.length === 0) return status >= 400 && status < 500 && !ambiguousStatuses.includes(status);
  const entry = errorEntryOf(table, code);
  // Of our own errors, only that of a bug does not say what happened before it.
  if (entry) return entry.category !== 'outcome-unknown' && entry.status !== 500;
  // The code of a newer server.
  return status < 500 || busyStatuses.includes(status);
}
