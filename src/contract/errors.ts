/** Failures as they are thrown and as they leave the service; what they say stands in the error table. */
import { errorTable } from './error-table.ts';

export { errorTable } from './error-table.ts';

export type ErrorCode = keyof typeof errorTable;

/** One element of the error body: the only shape in which a failure leaves the service. */
export interface ErrorItem {
  readonly code: string;
  readonly message: string;
}

/** One fault of a call. `message` adds to the table's words what this call got wrong; never a secret value. */
export interface Fault {
  readonly code: ErrorCode;
  readonly message?: string | undefined;
}

/** A failure that the caller may see. Everything else that is thrown is a fault of the server and says nothing. */
export class IamError extends Error {
  override readonly name = 'IamError';
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    faults: readonly [Fault, ...Fault[]],
    options: { cause?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(faults[0].message ?? errorTable[faults[0].code].message, { cause: options.cause });
    this.code = faults[0].code;
    this.faults = faults;
    this.headers = options.headers ?? {};
  }

  /** The wire form. */
  get items(): ErrorItem[] {
    return this.faults.map(({ code, message }) => ({ code, message: message ?? errorTable[code].message }));
  }
}

/** Shorthand for one fault. */
export function fault(code: ErrorCode, message?: string, headers?: Readonly<Record<string, string>>): IamError {
  return new IamError([{ code, message }], headers ? { headers } : {});
}

/** Statuses that any operation may give without listing them (rules of the interface for HTTP itself and for load). */
export const alwaysPossible: readonly number[] = [405, 408, 413, 415, 417, 421, 429, 431, 500, 503];

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
const substitutes = [422, 412, 400, 200, 401] as const;

/**
 * The status with which an operation answers a failure: the code's own where the operation documents it, else the
 * first documented substitute. A missing role is 401 where 403 is not documented (interface, Authentication rule 1).
 */
export function statusOnOperation(code: ErrorCode, documented: readonly number[]): number {
  const natural: number = errorTable[code].status;
  if (documented.includes(natural) || alwaysPossible.includes(natural)) return natural;
  if (natural === 403 || code === 'CREDENTIALS_AMBIGUOUS') return 401;
  if (code === 'FIELD_VALUE' && documented.includes(400)) return 400;
  return substitutes.find((status) => documented.includes(status)) ?? 401;
}
