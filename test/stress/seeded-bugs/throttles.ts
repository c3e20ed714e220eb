/** Defects of throttles, each of a kind that was seen: put around those of a running server. */
import type { LoginAttempt, LoginThrottle } from '../../../src/server/identity/login-throttle.ts';
import type { TestServer } from '../../harness.ts';

/** What each defect does, in the words of `--help`. */
export const throttleBugs = {
  'throttle-by-name': 'failed logins are counted by name alone, so that a stranger throttles the owner',
  'forget-known-sources': 'no source and no device is known',
  'evict-failures': 'failures make room for later ones, so that a throttle ends before its time',
  'unbounded-names': 'there is no budget over all sources for a name',
} as const;

/** Puts a defect around the throttle of user logins. */
export function seedThrottleBug({ appContext }: TestServer, seededBug: string | undefined): void {
  const { login } = appContext.throttles;
  const changed = rewriteAttempt(seededBug);
  if (!changed && seededBug !== 'evict-failures') return;
  let attempts = 0;
  const overrides: Partial<LoginThrottle> = {
    attempt(attempt, verify) {
      attempts += 1;
      if (seededBug === 'evict-failures' && attempts % 40 === 0) login.reset();
      return login.attempt(changed?.(attempt) ?? attempt, verify);
    },
  };
  Object.assign(appContext, { throttles: { ...appContext.throttles, login: { ...login, ...overrides } } });
}

function rewriteAttempt(seededBug: string | undefined): ((attempt: LoginAttempt) => LoginAttempt) | undefined {
  if (seededBug === 'throttle-by-name') return (attempt) => ({ ...attempt, caller: 'anyone' });
  if (seededBug === 'forget-known-sources') return (attempt) => ({ ...attempt, isKnown: false });
  return seededBug === 'unbounded-names' ? (attempt) => ({ ...attempt, isKnown: true }) : undefined;
}
