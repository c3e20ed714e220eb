/** Turns any thrown error into a status and the error array. */

import { errorTable } from '../../contract/error-codes.ts';
import {
  type ErrorCode,
  type ErrorItem,
  IamError,
  implicitStatuses,
  resolveErrorStatus,
  retryLater,
} from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { listPipelineErrors } from '../../contract/operation-errors.ts';
import type { Log } from '../lib/log.ts';
import { OutcomeUnknownError, StoreBusyError, StoreUnavailableError } from '../store/store.ts';

export interface ErrorResponse {
  readonly status: number;
  readonly items: readonly ErrorItem[];
  readonly headers: Readonly<Record<string, string>>;
}

interface ErrorContext {
  readonly operation?: Operation<never> | undefined;
  readonly softErrors: boolean;
  readonly hasMalformedCredentials?: boolean | undefined;
  /** Whether the request committed a transaction: from then on, no failure means that nothing was changed. */
  readonly hasCommitted?: boolean | undefined;
  readonly requestId: string;
  readonly log: Log;
}

/** For an internal error, the response contains only the request id; the log contains the details. */
export function createErrorResponse(error: unknown, context: ErrorContext): ErrorResponse {
  const known = toIamError(error, context);
  const natural: number = errorTable[known.code].status;
  const status = context.operation ? resolveErrorStatus(known.code, context.operation.statuses) : natural;
  const items = status >= 500 ? appendRequestId(known.items, context.requestId) : known.items;
  const softStatus =
    context.hasMalformedCredentials === true && hasSoftErrors(context) ? 200 : softenStatus(status, context);
  return { status: softStatus, items, headers: buildHeaders(softStatus, known) };
}

function toIamError(error: unknown, { operation, requestId, hasCommitted, log }: ErrorContext): IamError {
  if (error instanceof IamError && (!operation || isDeclaredError(operation, error))) return error;
  if (hasCommitted === true) {
    log.error({ requestId, operation: operation?.id, err: error }, 'a request failed after it changed something');
    return new IamError([{ code: 'OUTCOME_UNKNOWN' }], { cause: error });
  }
  if (error instanceof StoreBusyError) {
    log.warn({ requestId, err: error }, 'other changes did not end in time');
    return retryLater('STORE_BUSY', 1);
  }
  if (error instanceof StoreUnavailableError) {
    log.error({ requestId, error: error.message }, 'the store rejects writes');
    return retryLater('STORE_UNAVAILABLE', 5);
  }
  if (error instanceof OutcomeUnknownError) {
    log.error({ requestId, operation: operation?.id, err: error }, 'the outcome of a request is unknown');
    return new IamError([{ code: 'OUTCOME_UNKNOWN' }]);
  }
  log.error({ requestId, operation: operation?.id, err: error }, 'a request failed');
  return new IamError([{ code: 'INTERNAL' }], { cause: error });
}

/** An operation returns only errors that it declares; any other error is a bug and returned as INTERNAL. */
function isDeclaredError(operation: Operation<never>, { code }: IamError): boolean {
  return (
    implicitStatuses.includes(errorTable[code].status) ||
    [...operation.errors, ...listPipelineErrors(operation)].includes(code)
  );
}

function appendRequestId(items: readonly ErrorItem[], requestId: string): ErrorItem[] {
  return items.map((item) => ({ ...item, message: `${item.message} Request id: ${requestId}` }));
}

/** With the setting soft-errors, failures that the interface documents under 200 return 200. */
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

/** Challenges to a caller whose credentials are valid (RFC 6750, 3.1; RFC 9470, 3). */
const challenges: { readonly [Code in ErrorCode]?: string } = {
  ROLE_MISSING: 'Bearer realm="iam", error="insufficient_scope"',
  MFA_MISSING: 'Bearer error="insufficient_user_authentication"',
};

function buildHeaders(status: number, error: IamError): Record<string, string> {
  const challenge = challenges[error.code] ?? (status === 401 ? 'Bearer realm="iam"' : undefined);
  const { 'WWW-Authenticate': own = challenge, ...others } = error.headers;
  // A response with status 200 has no challenge.
  return own === undefined || status === 200 ? others : { ...others, 'WWW-Authenticate': own };
}
