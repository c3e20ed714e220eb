/** Seeded bugs in the throttles of a running server; each is of a kind that has occurred. */
import type { LoginAttempt, LoginThrottle } from '../../../src/server/auth/login-throttle.ts';
import type { TestServer } from '../../harness.ts';

/** Descriptions of the bugs, as `--help` shows them. */
export const throttleBugs = {
  'throttle-by-name': 'failed logins are counted by name only, so that other sources throttle the owner',
  'ignore-known-sources': 'all sources and devices are treated as unknown',
  'evict-failures': 'failures are evicted by later ones, so that a throttle ends too early',
  'unbounded-names': 'a name has no failure budget over all sources',
} as const;

/** Wraps the throttle of user logins with the bug. */
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
  if (seededBug === 'ignore-known-sources') return (attempt) => ({ ...attempt, isKnown: false });
  return seededBug === 'unbounded-names' ? (attempt) => ({ ...attempt, isKnown: true }) : undefined;
}
