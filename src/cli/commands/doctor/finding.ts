/** What a check of `iam doctor` found. */

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; empty where there is nothing. */
  readonly next: string;
}

/** All is well. */
export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, next: '' };
}

/** It works, and could be better. */
export function warn(check: string, detail: string, next: string): Finding {
  return { check, status: 'warn', detail, next };
}

/** It does not work. */
export function fail(check: string, detail: string, next: string): Finding {
  return { check, status: 'fail', detail, next };
}
