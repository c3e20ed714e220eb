/** Distinguishes rejections of the caller from other errors, by the status of a code in the error table. */

import { errorTable } from '../../contract/error-codes.ts';
import type { ErrorItem } from '../../contract/errors.ts';

/** The status of the error table, independent of the statuses that the operation declares. */
export function getDefaultStatus(errors: readonly ErrorItem[]): number | undefined {
  const [first] = errors;
  return first && (errorTable as Readonly<Record<string, { readonly status: number }>>)[first.code]?.status;
}

/** Whether a request was rejected for its caller, the caller's roles or its rate. Recorded for reads as well. */
export function isCallerRejection(errors: readonly ErrorItem[]): boolean {
  return [401, 403, 421, 429].includes(getDefaultStatus(errors) ?? 0);
}

/** Whether it was rejected before the caller was authenticated. */
export function isAuthenticationRejection(errors: readonly ErrorItem[]): boolean {
  return [401, 429].includes(getDefaultStatus(errors) ?? 0);
}
