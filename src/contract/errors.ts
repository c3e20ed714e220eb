/** Failures as they are thrown and as they leave the service; what they say stands in the error table. */
import type { ErrorDetails } from './error-body.ts';
import type { ErrorEntry } from './error-entry.ts';
import { errorTable } from './error-table.ts';

export { errorTable } from './error-table.ts';

export type ErrorCode = keyof typeof errorTable;

/** Codes about a field, a query parameter, a header or a path parameter: they name it in `details`. */
export type FieldErrorCode = {
  [Code in ErrorCode]: (typeof errorTable)[Code]['category'] extends 'field' ? Code : never;
}[ErrorCode];

/** Every other code. */
export type PlainErrorCode = Exclude<ErrorCode, FieldErrorCode>;

/** One element of the error body: the only shape in which a failure leaves the service. */
export interface ErrorItem {
  readonly code: string;
  readonly message: string;
  /** What the message says, as data; absent where there is none. */
  readonly details?: ErrorDetails;
}

/** One fault of a call. `message` adds to the table's words what this call got wrong; never a secret value. */
export interface ApiErrorItem {
  readonly code: ErrorCode;
  readonly message?: string | undefined;
  readonly details?: ErrorDetails | undefined;
}

/** A failure that the caller may see. Everything else that is thrown is a fault of the server and says nothing. */
export class IamError extends Error {
  override readonly name = 'IamError';
  readonly code: ErrorCode;
  readonly errors: readonly ApiErrorItem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    errors: readonly [ApiErrorItem, ...ApiErrorItem[]],
    options: { cause?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(errors[0].message ?? errorTable[errors[0].code].message, { cause: options.cause });
    this.code = errors[0].code;
    this.errors = errors;
    this.headers = options.headers ?? {};
  }

  /** The wire form. */
  get items(): ErrorItem[] {
    return this.errors.map(itemOf);
  }
}

function itemOf({ code, message, details }: ApiErrorItem): ErrorItem {
  const entry: ErrorEntry = errorTable[code];
  const item = { code, message: message ?? entry.message };
  const data = withoutEmpty({ ...details, setting: details?.setting ?? entry.setting });
  return data ? { ...item, details: data } : item;
}

function withoutEmpty(details: ErrorDetails): ErrorDetails | undefined {
  const entries = Object.entries(details).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Shorthand for one fault. */
export function apiError(code: PlainErrorCode, message?: string, headers?: Readonly<Record<string, string>>): IamError {
  return new IamError([{ code, message }], headers ? { headers } : {});
}

/** An error with data for programs. */
export function detailedError(code: PlainErrorCode, details: ErrorDetails, message?: string): IamError {
  return new IamError([{ code, message, details }]);
}

/** An error about a field, a parameter or a header; about a choice or a combination where several are named. */
export function fieldError(code: FieldErrorCode, field: string | readonly string[], message?: string): IamError {
  return new IamError([{ code, message, details: typeof field === 'string' ? { field } : { fields: field } }]);
}

/** An error after which the same request can succeed; `seconds` go into Retry-After as well. */
export function retryLater(code: PlainErrorCode, seconds: number): IamError {
  return new IamError([{ code, details: { retryAfter: seconds } }], { headers: { 'Retry-After': String(seconds) } });
}

/** Statuses that any operation may give without listing them (rules of the interface for HTTP itself and for load). */
export const implicitStatuses: readonly number[] = [405, 408, 413, 415, 417, 421, 429, 431, 500, 503];

/** What may be wrong with a body, before anything is done with it. */
export const bodyErrors: readonly ErrorCode[] = [
  'BODY_NOT_JSON',
  'BODY_TOO_DEEP',
  'BODY_TOO_COMPLEX',
  'FIELD_MISSING',
  'FIELD_UNKNOWN',
  'FIELD_TYPE',
  'FIELD_VALUE',
];

/** Where a status is not documented for an operation, the first of these that is takes its place; 200 has the error array. */
const fallbackStatuses = [422, 412, 400, 200, 401] as const;

/**
 * The status with which an operation answers a failure: the code's own where the operation documents it, else the
 * first documented substitute. A missing role is 401 where 403 is not documented (interface, Authentication rule 1).
 */
export function resolveErrorStatus(code: ErrorCode, documented: readonly number[]): number {
  const natural: number = errorTable[code].status;
  if (documented.includes(natural) || implicitStatuses.includes(natural)) return natural;
  if (natural === 403 || code === 'CREDENTIALS_AMBIGUOUS') return 401;
  if (code === 'FIELD_VALUE' && documented.includes(400)) return 400;
  return fallbackStatuses.find((status) => documented.includes(status)) ?? 401;
}
