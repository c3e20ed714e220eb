/** Levels of authentication, and the roles that they grant. */
import type { Session } from '../store/tables.ts';

export type AuthenticationLevel = Session['level'];

const mfaLifetimeSeconds = 12 * 3600;

/** Levels are cumulative. */
const levels: Readonly<Record<AuthenticationLevel, readonly string[]>> = {
  NONE: [],
  'AUTH-IDENTIFIED': ['AUTH-IDENTIFIED'],
  'AUTH-BASIC': ['AUTH-IDENTIFIED', 'AUTH-BASIC'],
  'AUTH-MFA': ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'],
};

/** The current level of a session: AUTH-MFA expires after 12 hours. */
export function computeLevel(session: Session, now: number): AuthenticationLevel {
  if (session.level !== 'AUTH-MFA') return session.level;
  return (session.mfaAt ?? 0) + mfaLifetimeSeconds > now ? 'AUTH-MFA' : 'AUTH-BASIC';
}

export function rolesOfLevel(level: AuthenticationLevel): readonly string[] {
  return levels[level];
}

/** Whether a role is an authentication level that one of these roles includes. */
export function isLevelUpTo(role: string, roles: ReadonlySet<string>): boolean {
  return Object.entries(levels).some(([level, included]) => roles.has(level) && included.includes(role));
}
