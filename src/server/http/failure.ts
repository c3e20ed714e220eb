/** The one function that turns whatever was thrown into a status and the error array. */
import {
  alwaysPossible,
  type ErrorItem,
  errorTable,
  IamError,
  retryLater,
  statusOnOperation,
} from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { answerableErrors } from '../../contract/operation-errors.ts';
import type { Log } from '../log.ts';
import { StoreUnavailableError } from '../store/store.ts';

export interface Failure {
  readonly status: number;
  readonly items: readonly ErrorItem[];
  readonly headers: Readonly<Record<string, string>>;
}

interface Place {
  readonly operation?: Operation<never> | undefined;
  readonly softErrors: boolean;
  readonly requestId: string;
  readonly log: Log;
}

/** A fault of the server says nothing to the caller but where to look; the log gets it all. */
export function failureOf(error: unknown, place: Place): Failure {
  const known = asIamError(error, place);
  const natural: number = errorTable[known.code].status;
  const status = place.operation ? statusOnOperation(known.code, place.operation.statuses) : natural;
  const items = status >= 500 ? withRequestId(known.items, place.requestId) : known.items;
  const answered = malformed.has(known) && isSoft(place) ? 200 : soften(status, place);
  return { status: answered, items, headers: headersFor(answered, known) };
}

const malformed = new WeakSet<IamError>();

/** A body that is no credential because it is no such body. With soft errors it is the 400 that it else would be. */
export function asMalformed(error: IamError): IamError {
  malformed.add(error);
  return error;
}

function asIamError(error: unknown, { operation, requestId, log }: Place): IamError {
  if (error instanceof StoreUnavailableError) {
    log.error({ requestId, error: error.message }, 'the store takes no writes');
    return retryLater('STORE_UNAVAILABLE', 5);
  }
  if (error instanceof IamError && (!operation || mayAnswer(operation, error))) return error;
  log.error({ requestId, operation: operation?.id, err: error }, 'a request failed');
  return new IamError([{ code: 'INTERNAL' }], { cause: error });
}

/** An operation answers only what it declares; anything else is a fault of the program and treated as one. */
function mayAnswer(operation: Operation<never>, { code }: IamError): boolean {
  return alwaysPossible.includes(errorTable[code].status) || declaredErrors(operation).has(code);
}

const declared = new WeakMap<object, ReadonlySet<string>>();

function declaredErrors(operation: Operation<never>): ReadonlySet<string> {
  const known = declared.get(operation) ?? new Set<string>(answerableErrors(operation).keys());
  declared.set(operation, known);
  return known;
}

function withRequestId(items: readonly ErrorItem[], requestId: string): ErrorItem[] {
  return items.map((item) => ({ ...item, message: `${item.message} Request id: ${requestId}` }));
}

/** With the setting soft-errors, the failures that the interface documents under 200 are answered so. */
function soften(status: number, place: Place): number {
  if (!isSoft(place)) return status;
  const softened = [400, 412, 422];
  if (softened.includes(status)) return 200;
  const { statuses = [] } = place.operation ?? {};
  return status === 404 && !softened.some((documented) => statuses.includes(documented)) ? 200 : status;
}

function isSoft({ operation, softErrors }: Place): boolean {
  return softErrors && operation?.softErrors === true;
}

function headersFor(status: number, error: IamError): Record<string, string> {
  const challenge =
    error.code === 'ROLE_MISSING' ? { 'WWW-Authenticate': 'Bearer realm="iam", error="insufficient_scope"' } : {};
  const fallback =
    status === 401 && !error.headers['WWW-Authenticate'] ? { 'WWW-Authenticate': 'Bearer realm="iam"' } : {};
  const { 'WWW-Authenticate': own, ...others } = { ...fallback, ...challenge, ...error.headers };
  // What is answered as a success asks for no credentials.
  return own === undefined || status === 200 ? others : { ...others, 'WWW-Authenticate': own };
}
