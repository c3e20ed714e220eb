/**
 * The life of a user as a table: its states, what each may do, and which event leads where. docs/user-life.md is made
 * from it, and a model-based test walks it through the front door (test/server/identity/user-life.test.ts).
 */

export type UserState =
  | 'unproven'
  | 'identified'
  | 'with password'
  | 'held back'
  | 'second proof pending'
  | 'proven twice'
  | 'locked'
  | 'removed';

export interface StateEntry {
  readonly meaning: string;
  /** What a login with the right password is answered: 201, 401 or 429. */
  readonly login: 201 | 401 | 429;
  /** Whether a code for a new password is sent when one is asked for. */
  readonly recovery: boolean;
  /** The roles of its level, in a token of its last session; undefined where such a token is not taken. */
  readonly level: 'none' | 'AUTH-IDENTIFIED' | 'AUTH-BASIC' | 'AUTH-MFA' | undefined;
}

/** The states. Those of one session, second proof pending and proven twice, are told for the session that it is about. */
export const userStates: Readonly<Record<UserState, StateEntry>> = {
  unproven: {
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
  'held back': {
    meaning: 'Ten logins failed within 15 minutes: further ones wait. Sessions go on, and a lock it is not.',
    login: 429,
    recovery: true,
    level: 'AUTH-BASIC',
  },
  'second proof pending': {
    meaning: 'A code for a second proof was sent for this session.',
    login: 201,
    recovery: true,
    level: 'AUTH-BASIC',
  },
  'proven twice': {
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
  | 'asks for a second proof'
  | 'gives the code'
  | 'lets the code expire'
  | '12 hours pass, and it logs in'
  | 'is locked'
  | 'is unlocked'
  | 'is removed';

export interface Transition {
  readonly event: UserEvent;
  /** Ids of the operations that bring it about. */
  readonly operations: readonly string[];
  readonly from: readonly UserState[];
  /** `by password`: `with password` where it has one, else `identified`. */
  readonly to: UserState | 'by password';
}

const withPassword = ['with password', 'second proof pending', 'proven twice'] as const;
const open = ['unproven', 'identified', ...withPassword, 'held back'] as const;

/** What leads from a state to another. Where an event has no line for a state, it is refused there and changes nothing. */
export const userLife: readonly Transition[] = [
  {
    event: 'an administrator sets a contact',
    operations: ['user-identities.update'],
    from: ['unproven'],
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
    from: ['identified', ...withPassword],
    to: 'with password',
  },
  { event: 'logs in', operations: ['user-identities.login'], from: withPassword, to: 'with password' },
  {
    event: 'fails ten logins',
    operations: ['user-identities.login'],
    from: ['with password'],
    to: 'held back',
  },
  {
    event: 'waits and logs in',
    operations: ['user-identities.login'],
    from: ['held back'],
    to: 'with password',
  },
  {
    event: 'asks for a second proof',
    operations: ['user-identities.leverage-mfa'],
    from: ['with password'],
    to: 'second proof pending',
  },
  {
    event: 'gives the code',
    operations: ['user-identities.fulfill-mfa'],
    from: ['second proof pending'],
    to: 'proven twice',
  },
  {
    event: 'lets the code expire',
    operations: ['user-identities.fulfill-mfa'],
    from: ['second proof pending'],
    to: 'with password',
  },
  {
    event: '12 hours pass, and it logs in',
    operations: ['user-identities.login'],
    from: ['proven twice'],
    to: 'with password',
  },
  { event: 'is locked', operations: ['user-identities.lock'], from: open, to: 'locked' },
  { event: 'is unlocked', operations: ['user-identities.unlock'], from: ['locked'], to: 'by password' },
  { event: 'is removed', operations: ['user-identities.remove'], from: [...open, 'locked'], to: 'removed' },
];

/** Where an event leads from a state; undefined where it is refused. */
export function nextState(state: UserState, event: UserEvent, hasPassword: boolean): UserState | undefined {
  const to = userLife.find((transition) => transition.event === event && transition.from.includes(state))?.to;
  return to === 'by password' ? (hasPassword ? 'with password' : 'identified') : to;
}
