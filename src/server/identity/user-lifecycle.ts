/**
 * The life of a user as a table: its states, what each may do, and which event leads where. docs/user-life.md is made
 * from it, and a model-based test walks it through the front door (test/server/identity/user-lifecycle.test.ts).
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
  /** What a login with the right password is answered: 201, 401 or 429. */
  readonly login: 201 | 401 | 429;
  /** Whether a code for a new password is sent when one is asked for. */
  readonly recovery: boolean;
  /** The level of a session that it begins in this state; undefined where none of its tokens is taken. */
  readonly level: 'none' | 'AUTH-IDENTIFIED' | 'AUTH-BASIC' | 'AUTH-MFA' | undefined;
}

/** The states. Those of one session, second proof pending and proven twice, are told for the session that it is about. */
export const userStates: Readonly<Record<UserState, UserStateEntry>> = {
  unverified: {
    meaning: 'Made, with no contact that anybody proved and without a password.',
    login: 401,
    recovery: false,
    level: 'none',
  },
  identified: {
    meaning: 'A contact is proven; there is no password yet.',
    login: 401,
    recovery: true,
    level: 'AUTH-IDENTIFIED',
  },
  'with password': {
    meaning: 'It has a password and logs in with it.',
    login: 201,
    recovery: true,
    level: 'AUTH-BASIC',
  },
  throttled: {
    meaning:
      'Ten logins failed within 15 minutes under one name from one source: further ones from there wait. It is no lock: its session goes on, with a second proof too.',
    login: 429,
    recovery: true,
    level: 'AUTH-BASIC',
  },
  'MFA pending': {
    meaning: 'A code for a second proof was sent for this session.',
    login: 201,
    recovery: true,
    level: 'AUTH-BASIC',
  },
  'MFA verified': {
    meaning: 'The second proof was given in this session, less than 12 hours ago.',
    login: 201,
    recovery: true,
    level: 'AUTH-MFA',
  },
  locked: {
    meaning: 'An administrator locked it: every way is closed from the next request on, what was begun included.',
    login: 401,
    recovery: false,
    level: undefined,
  },
  removed: {
    meaning: 'Gone with sessions, factors, devices and memberships. Its ids are not given out again.',
    login: 401,
    recovery: false,
    level: undefined,
  },
};

export type UserEvent =
  | 'an administrator sets a contact'
  | 'sets a password in its session'
  | 'resets the password by a code'
  | 'logs in'
  | 'fails ten logins'
  | 'waits and logs in'
  | 'requests MFA'
  | 'enters the code'
  | 'code expires'
  | '12 hours pass, and it logs in'
  | 'is locked'
  | 'is unlocked'
  | 'is removed';

export interface Transition {
  readonly event: UserEvent;
  /** Ids of the operations that bring it about. */
  readonly operations: readonly string[];
  readonly from: readonly UserState[];
  /** What the user has to have besides, so that it is not refused. */
  readonly needs?: 'an open code';
  /** `same`: the state stays. `by what it has`: `with password` where it has one, else `identified` where a contact is proven, else `unproven`. */
  readonly to: UserState | 'same' | 'derived';
}

const withPassword = ['with password', 'MFA pending', 'MFA verified'] as const;
/** A session is not ended by failed logins of others, so what needs none but the session stays possible. */
const throttled = ['throttled'] as const;
const openStates = ['unverified', 'identified', ...withPassword, ...throttled] as const;

/** What leads from a state to another. Where an event has no line for a state, it is refused there and changes nothing. */
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
    event: 'resets the password by a code',
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
    event: '12 hours pass, and it logs in',
    operations: ['user-identities.login'],
    from: ['MFA verified'],
    to: 'with password',
  },
  { event: 'is locked', operations: ['user-identities.lock'], from: openStates, to: 'locked' },
  { event: 'is unlocked', operations: ['user-identities.unlock'], from: ['locked'], to: 'derived' },
  { event: 'is removed', operations: ['user-identities.remove'], from: [...openStates, 'locked'], to: 'removed' },
];

/** What a user has beside its state. */
export interface UserFacts {
  readonly password: boolean;
  readonly contact: boolean;
  /** A code for a second proof of its session that was neither given nor expired. */
  readonly openCode: boolean;
}

/** Where an event leads from a state; undefined where it is refused. */
export function nextState(state: UserState, event: UserEvent, facts: UserFacts): UserState | undefined {
  const found = userTransitions.find((transition) => transition.event === event && transition.from.includes(state));
  if (found === undefined || (found.needs !== undefined && !facts.openCode)) return undefined;
  if (found.to === 'same') return state;
  return found.to === 'derived' ? deriveState(facts) : found.to;
}

function deriveState({ password, contact }: UserFacts): UserState {
  if (password) return 'with password';
  return contact ? 'identified' : 'unverified';
}
