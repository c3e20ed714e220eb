/** API errors: how handlers throw them and how the service serializes them. The error table defines their texts. */

import type { ErrorDetails } from './error-body.ts';
import { type ErrorEntry, errorTable } from './error-codes.ts';
import { StandinError } from './standin-error.ts';

export type ErrorCode = keyof typeof errorTable;

/** Codes about a field, a query parameter, a header or a path parameter, which `details` names. */
export type FieldErrorCode = {
  [Code in ErrorCode]: (typeof errorTable)[Code]['category'] extends 'field' ? Code : never;
}[ErrorCode];

/** Every other code. */
export type PlainErrorCode = Exclude<ErrorCode, FieldErrorCode>;

/** One element of the error body. */
export interface ErrorItem {
  readonly code: ErrorCode;
  readonly message: string;
  /** The content of the message as data; absent if there is none. */
  readonly details?: ErrorDetails;
}

/** One error of a request. `message` replaces the text of the table with a specific one; it never contains a secret. */
export interface ApiErrorItem {
  readonly code: ErrorCode;
  readonly message?: string | undefined;
  readonly details?: ErrorDetails | undefined;
}

/** Why a request was rejected, for operators only: callers must not learn what exists. */
export interface ErrorReason {
  /** One sentence without secrets. */
  readonly text: string;
  /** The client or user that the credentials name, if it exists. */
  readonly clientId?: string | undefined;
  readonly userId?: string | undefined;
}

/** An error that the caller may see. Every other error becomes INTERNAL and exposes no details. */
export class IamError extends StandinError {
  override readonly name = 'IamError';
  readonly code: ErrorCode;
  readonly errors: readonly ApiErrorItem[];
  readonly headers: Readonly<Record<string, string>>;
  /** Private, so that neither the response nor a log that serializes the error contains it. */
  #reason: ErrorReason | (() => ErrorReason) | undefined;

  constructor(
    errors: readonly [ApiErrorItem, ...ApiErrorItem[]],
    options: { cause?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(errors[0].message ?? errorTable[errors[0].code].message, { cause: options.cause });
    this.code = errors[0].code;
    this.errors = errors;
    this.headers = options.headers ?? {};
  }

  /** Sets the reason. A function is evaluated only if the reason is read. */
  withReason(reason: ErrorReason | (() => ErrorReason)): this {
    this.#reason = reason;
    return this;
  }

  /** Takes over the reason of the error that this one replaces. */
  withReasonOf(earlier: IamError): this {
    this.#reason = earlier.#reason;
    return this;
  }

  /** The reason; undefined if none is set. */
  readReason(): ErrorReason | undefined {
    return typeof this.#reason === 'function' ? this.#reason() : this.#reason;
  }

  /** The serialized form. */
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

export function apiError(code: PlainErrorCode, message?: string, headers?: Readonly<Record<string, string>>): IamError {
  return new IamError([{ code, message }], headers ? { headers } : {});
}

export function detailedError(code: PlainErrorCode, details: ErrorDetails, message?: string): IamError {
  return new IamError([{ code, message, details }]);
}

/** Formats the path of a field for messages: `field`, `list[3].field`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text && '.'}${String(key)}`),
    '',
  );
}

/** Creates an error about a field, a parameter or a header, or about a combination of several. */
export function fieldError(code: FieldErrorCode, field: string | readonly string[], message?: string): IamError {
  return new IamError([{ code, message, details: typeof field === 'string' ? { field } : { fields: field } }]);
}

/** Creates an error for a request that can succeed later. Sets Retry-After to `seconds`. */
export function retryLater(
  code: PlainErrorCode,
  seconds: number,
  { message, details }: Omit<ApiErrorItem, 'code'> = {},
): IamError {
  return new IamError([{ code, message, details: { ...details, retryAfter: seconds } }], {
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Statuses that any operation may return without documenting them (interface rules for HTTP and for load). */
export const implicitStatuses: readonly number[] = [405, 408, 413, 415, 417, 421, 429, 431, 500, 503];

/** Errors of a body that is malformed or does not match its schema. */
export const bodyErrors: readonly ErrorCode[] = [
  'BODY_NOT_JSON',
  'BODY_TOO_DEEP',
  'BODY_TOO_COMPLEX',
  'FIELD_MISSING',
  'FIELD_UNKNOWN',
  'FIELD_REPEATED',
  'FIELD_TYPE',
  'FIELD_VALUE',
];

/** Replacements for a status that an operation does not document: the first documented one. 200 carries the error array. */
const fallbackStatuses = [422, 412, 400, 200, 401] as const;

/**
 * Returns the status of an error on an operation: that of the code if the operation documents it, otherwise the first
 * documented replacement. A missing role is 401 if 403 is not documented (interface, Authentication rule 1), and scope
 * that the caller cannot grant is 403 if 422 is not documented.
 */
export function resolveErrorStatus(code: ErrorCode, documented: readonly number[]): number {
  const natural: number = errorTable[code].status;
  if (documented.includes(natural) || implicitStatuses.includes(natural)) return natural;
  if (natural === 403 || code === 'CREDENTIALS_AMBIGUOUS') return 401;
  if (code === 'FIELD_VALUE' && documented.includes(400)) return 400;
  if (code === 'SCOPE_EXCEEDED' && documented.includes(403)) return 403;
  // A login without a token must not look like a success.
  const replacements =
    code === 'TOKEN_TOO_LONG' ? fallbackStatuses.filter((status) => status !== 200) : fallbackStatuses;
  return replacements.find((status) => documented.includes(status)) ?? 401;
}
