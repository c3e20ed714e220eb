/** The one function that turns whatever was thrown into a status and the error array. */
import {
  type ErrorItem,
  errorTable,
  IamError,
  implicitStatuses,
  resolveErrorStatus,
  retryLater,
} from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { listOperationErrors } from '../../contract/operation-errors.ts';
import type { Log } from '../log.ts';
import { StoreUnavailableError } from '../store/store.ts';

export interface ErrorResponse {
  readonly status: number;
  readonly items: readonly ErrorItem[];
  readonly headers: Readonly<Record<string, string>>;
}

interface ErrorContext {
  readonly operation?: Operation<never> | undefined;
  readonly softErrors: boolean;
  readonly requestId: string;
  readonly log: Log;
}

/** A fault of the server says nothing to the caller but where to look; the log gets it all. */
export function createErrorResponse(error: unknown, context: ErrorContext): ErrorResponse {
  const known = toIamError(error, context);
  const natural: number = errorTable[known.code].status;
  const status = context.operation ? resolveErrorStatus(known.code, context.operation.statuses) : natural;
  const items = status >= 500 ? appendRequestId(known.items, context.requestId) : known.items;
  const softStatus = malformedErrors.has(known) && hasSoftErrors(context) ? 200 : softenStatus(status, context);
  return { status: softStatus, items, headers: buildHeaders(softStatus, known) };
}

const malformedErrors = new WeakSet<IamError>();

/** A body that is no credential because it is no such body. With soft errors it is the 400 that it else would be. */
export function markMalformed(error: IamError): IamError {
  malformedErrors.add(error);
  return error;
}

function toIamError(error: unknown, { operation, requestId, log }: ErrorContext): IamError {
  if (error instanceof StoreUnavailableError) {
    log.error({ requestId, error: error.message }, 'the store takes no writes');
    return retryLater('STORE_UNAVAILABLE', 5);
  }
  if (error instanceof IamError && (!operation || isDeclaredError(operation, error))) return error;
  log.error({ requestId, operation: operation?.id, err: error }, 'a request failed');
  return new IamError([{ code: 'INTERNAL' }], { cause: error });
}

/** An operation answers only what it declares; anything else is a fault of the program and treated as one. */
function isDeclaredError(operation: Operation<never>, { code }: IamError): boolean {
  return implicitStatuses.includes(errorTable[code].status) || listDeclaredErrors(operation).has(code);
}

const declaredByOperation = new WeakMap<object, ReadonlySet<string>>();

function listDeclaredErrors(operation: Operation<never>): ReadonlySet<string> {
  const known = declaredByOperation.get(operation) ?? new Set<string>(listOperationErrors(operation).keys());
  declaredByOperation.set(operation, known);
  return known;
}

function appendRequestId(items: readonly ErrorItem[], requestId: string): ErrorItem[] {
  return items.map((item) => ({ ...item, message: `${item.message} Request id: ${requestId}` }));
}

/** With the setting soft-errors, the failures that the interface documents under 200 are answered so. */
function softenStatus(status: number, context: ErrorContext): number {
  if (!hasSoftErrors(context)) return status;
  const softened = [400, 412, 422];
  if (softened.includes(status)) return 200;
  const { statuses = [] } = context.operation ?? {};
  return status === 404 && !softened.some((documented) => statuses.includes(documented)) ? 200 : status;
}

function hasSoftErrors({ operation, softErrors }: ErrorContext): boolean {
  return softErrors && operation?.softErrors === true;
}

function buildHeaders(status: number, error: IamError): Record<string, string> {
  const challenge =
    error.code === 'ROLE_MISSING' ? { 'WWW-Authenticate': 'Bearer realm="iam", error="insufficient_scope"' } : {};
  const fallback =
    status === 401 && !error.headers['WWW-Authenticate'] ? { 'WWW-Authenticate': 'Bearer realm="iam"' } : {};
  const { 'WWW-Authenticate': own, ...others } = { ...fallback, ...challenge, ...error.headers };
  // What is answered as a success asks for no credentials.
  return own === undefined || status === 200 ? others : { ...others, 'WWW-Authenticate': own };
}
