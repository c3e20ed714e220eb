/** Tells refusals of the caller from other failures, by the status that the error table gives a code. */
import { type ErrorItem, errorTable } from '../../contract/errors.ts';

/** The status that a failure has by itself, whatever its operation answers it with. */
export function naturalStatus(errors: readonly ErrorItem[]): number | undefined {
  const [first] = errors;
  return first && (errorTable as Readonly<Record<string, { readonly status: number }>>)[first.code]?.status;
}

/** Whether a request was refused for its caller, the caller's roles or its rate. Recorded for reads as well. */
export function isRefusalOfCaller(errors: readonly ErrorItem[]): boolean {
  return [401, 403, 421, 429].includes(naturalStatus(errors) ?? 0);
}

/** Whether it was refused before the caller was authenticated. */
export function isRefusedCredential(errors: readonly ErrorItem[]): boolean {
  return [401, 429].includes(naturalStatus(errors) ?? 0);
}
