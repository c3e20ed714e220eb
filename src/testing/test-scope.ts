/** The context of a test in node:test or vitest, which runs functions when the test has finished, passed or failed. */

export type TestScope =
  | { after(work: () => Promise<void>): void }
  | { onTestFinished(work: () => Promise<void>): void };

/** Whether a value is the context of a test, and not an object of options. */
export function isTestScope(value: object): value is TestScope {
  return findRegistration(value) !== undefined;
}

/** Runs `work` when the test has finished. */
export function runAfterTest(scope: TestScope, work: () => Promise<void>): void {
  findRegistration(scope)?.(work);
}

function findRegistration(value: object): ((work: () => Promise<void>) => void) | undefined {
  const { after, onTestFinished } = (value ?? {}) as Partial<Record<'after' | 'onTestFinished', unknown>>;
  const register = typeof after === 'function' ? after : onTestFinished;
  return typeof register === 'function' ? (work) => void register.call(value, work) : undefined;
}
