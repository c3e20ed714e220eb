/** Result of one `iam doctor` check. */

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** Next step for the user; empty if there is none. */
  readonly next: string;
}

/** A check that passed. */
export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, next: '' };
}

/** A check that passed with a warning. */
export function warn(check: string, detail: string, next: string): Finding {
  return { check, status: 'warn', detail, next };
}

/** A check that failed. */
export function fail(check: string, detail: string, next: string): Finding {
  return { check, status: 'fail', detail, next };
}
