/**
 * The user lifecycle as a table: states, what each state allows, and transitions. docs/user-lifecycle.md is generated from it,
 * and a model-based test runs it against the API (test/model/user-lifecycle.test.ts).
 */

export type UserState =
  | 'unverified'
  | 'identified'
  | 'with password'
  | 'throttled'
  | 'MFA pending'
  | 'MFA verified'
  | 'locked'
  | 'removed';

export interface UserStateEntry {
  readonly meaning: string;
  /** The status of a login with the correct password: 201, 401 or 429. */
  readonly login: 201 | 401 | 429;
  /** Whether a request for recovery sends a code. */
  readonly recovery: boolean;
  /** The level of a session in this state; undefined if all its tokens are rejected. */
  readonly level: 'none' | 'AUTH-IDENTIFIED' | 'AUTH-BASIC' | 'AUTH-MFA' | undefined;
}

/** The states. MFA pending, MFA verified and throttled refer to one session or source. */
export const userStates: Readonly<Record<UserState, UserStateEntry>> = {
  unverified: {
    meaning: 'The user was created and has neither a verified contact nor a password.',
    login: 401,
    recovery: false,
    level: 'none',
  },
  identified: {
    meaning: 'The user has a verified contact but no password.',
    login: 401,
    recovery: true,
    level: 'AUTH-IDENTIFIED',
  },
  'with password': {
    meaning: 'The user has a password and logs in with it.',
    login: 201,
    recovery: true,
    level: 'AUTH-BASIC',
  },
  throttled: {
    meaning:
      'Ten logins under one name from one source failed within 15 minutes. Further logins from that source must wait. Existing sessions remain valid and can still use MFA.',
    login: 429,
    recovery: true,
    level: 'AUTH-BASIC',
  },
  'MFA pending': {
    meaning: 'A second-factor code was sent for this session.',
    login: 201,
    recovery: true,
    level: 'AUTH-BASIC',
  },
  'MFA verified': {
    meaning: 'The second factor was verified in this session less than 12 hours ago.',
    login: 201,
    recovery: true,
    level: 'AUTH-MFA',
  },
  locked: {
    meaning:
      'An administrator locked the user. Every request of the user is rejected from now on, including flows in progress.',
    login: 401,
    recovery: false,
    level: undefined,
  },
  removed: {
    meaning: 'The user was deleted with its sessions, factors, devices and memberships. Its ids are not reused.',
    login: 401,
    recovery: false,
    level: undefined,
  },
};

export type UserEvent =
  | 'an administrator sets a contact'
  | 'sets a password in its session'
  | 'resets the password with a code'
  | 'logs in'
  | 'fails ten logins'
  | 'waits and logs in'
  | 'requests MFA'
  | 'enters the code'
  | 'code expires'
  | 'logs in after 12 hours'
  | 'is locked'
  | 'is unlocked'
  | 'is removed';

export interface Transition {
  readonly event: UserEvent;
  /** Ids of the operations that cause the event. */
  readonly operations: readonly string[];
  readonly from: readonly UserState[];
  /** Additional condition; without it the request is rejected. */
  readonly needs?: 'an open code';
  /**
   * `same`: the state does not change. `derived`: `with password` if the user has one, else `identified` if a contact is
   * verified, else `unverified`.
   */
  readonly to: UserState | 'same' | 'derived';
}

const withPassword = ['with password', 'MFA pending', 'MFA verified'] as const;
/** Failed logins do not end sessions, so events that need only a session remain possible. */
const throttled = ['throttled'] as const;
const openStates = ['unverified', 'identified', ...withPassword, ...throttled] as const;

/** The transitions. An event without an entry for a state is rejected in that state and changes nothing. */
export const userTransitions: readonly Transition[] = [
  {
    event: 'an administrator sets a contact',
    operations: ['user-identities.update'],
    from: ['unverified'],
    to: 'identified',
  },
  {
    event: 'sets a password in its session',
    operations: ['user-identities.create-password'],
    from: ['identified'],
    to: 'with password',
  },
  {
    event: 'resets the password with a code',
    operations: ['user-identities.retrieve', 'user-identities.reset-password'],
    from: ['identified', ...withPassword, ...throttled],
    to: 'with password',
  },
  { event: 'logs in', operations: ['user-identities.login'], from: withPassword, to: 'with password' },
  {
    event: 'fails ten logins',
    operations: ['user-identities.login'],
    from: withPassword,
    to: 'throttled',
  },
  {
    event: 'waits and logs in',
    operations: ['user-identities.login'],
    from: throttled,
    to: 'with password',
  },
  {
    event: 'requests MFA',
    operations: ['user-identities.leverage-mfa'],
    from: ['with password', 'MFA pending'],
    to: 'MFA pending',
  },
  {
    event: 'requests MFA',
    operations: ['user-identities.leverage-mfa'],
    from: ['MFA verified', ...throttled],
    to: 'same',
  },
  {
    event: 'enters the code',
    operations: ['user-identities.fulfill-mfa'],
    from: ['MFA pending'],
    needs: 'an open code',
    to: 'MFA verified',
  },
  {
    event: 'enters the code',
    operations: ['user-identities.fulfill-mfa'],
    from: ['MFA verified', ...throttled],
    needs: 'an open code',
    to: 'same',
  },
  {
    event: 'code expires',
    operations: ['user-identities.fulfill-mfa'],
    from: ['MFA pending'],
    to: 'with password',
  },
  {
    event: 'logs in after 12 hours',
    operations: ['user-identities.login'],
    from: ['MFA verified'],
    to: 'with password',
  },
  { event: 'is locked', operations: ['user-identities.lock'], from: openStates, to: 'locked' },
  { event: 'is unlocked', operations: ['user-identities.unlock'], from: ['locked'], to: 'derived' },
  { event: 'is removed', operations: ['user-identities.remove'], from: [...openStates, 'locked'], to: 'removed' },
];

/** Properties of a user besides its state. */
export interface UserFacts {
  readonly password: boolean;
  readonly contact: boolean;
  /** A second-factor code of its session that is neither used nor expired. */
  readonly openCode: boolean;
}

/** The state after an event; undefined if the event is rejected. */
export function nextState(state: UserState, event: UserEvent, facts: UserFacts): UserState | undefined {
  const match = userTransitions.find((transition) => transition.event === event && transition.from.includes(state));
  if (match === undefined || (match.needs !== undefined && !facts.openCode)) return undefined;
  if (match.to === 'same') return state;
  return match.to === 'derived' ? deriveState(facts) : match.to;
}

function deriveState({ password, contact }: UserFacts): UserState {
  if (password) return 'with password';
  return contact ? 'identified' : 'unverified';
}
