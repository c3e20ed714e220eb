/** Model-based test of the life cycle of a user: random events over HTTP, with checks of the state after each. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClientError } from '../../src/client/index.ts';
import type { CallInput } from '../../src/client/types.ts';
import { decryptMessageCode } from '../../src/server/messaging/messages.ts';
import { operations } from '../../src/server/operations/index.ts';
import { isFullRun, rounds } from '../effort.ts';
import { appClientId, startServer, type TestServer } from '../harness.ts';
import { nextState, type UserEvent, type UserState, userStates, userTransitions } from './user-lifecycle.ts';

const minute = 60;
const hour = 60 * minute;
/** One contact may get five codes in an hour; the last is reserved for the check at the end. */
const codesBefore = 4;
/** The number of failed logins that throttles a user. Other failures stay below it, including the check at the end. */
const failuresAllowed = 10;
const query = { clientId: appClientId };

type Level = Exclude<(typeof userStates)[UserState]['level'], undefined>;

/** One user, its state in the model, and its credentials. */
class Person {
  readonly server: TestServer;
  readonly userId: string;
  readonly email: string;
  state: UserState = 'unverified';
  password: string | undefined;
  passwords = 0;
  codes = 0;
  challengeId = '';
  /** When the last requested code expires: seconds. The end of the session voids it too. */
  codeUntil = 0;
  hasContact = false;
  /** Logins that failed since the last success. */
  failures = 0;
  /** Throttled also while it is locked or removed: the counts of failures do not depend on that. */
  isHeld = false;
  session: { readonly token: string; readonly issuedAt: number; readonly level: Level } | undefined;

  constructor(server: TestServer, userId: string) {
    this.server = server;
    this.userId = userId;
    this.email = `${userId}@example.com`;
  }

  /** The status of a request, also of an error that the client throws. */
  async status(id: string, input: CallInput): Promise<{ status: number; body: unknown }> {
    try {
      const { status, body } = await this.server.admin.call(id, { anonymous: true, ...input });
      return { status, body };
    } catch (error) {
      if (error instanceof ClientError) return { status: error.status, body: undefined };
      throw error;
    }
  }

  asItself(id: string, input: CallInput = {}) {
    return this.status(id, { ...input, headers: { authorization: `Bearer ${this.session?.token ?? 'none'}` } });
  }

  begin(token: string, level: Level): void {
    this.codeUntil = 0;
    this.session = { token, issuedAt: this.now(), level };
  }

  /** The level of the session of its token; undefined where the token expired, or there is no token. */
  level(): Level | undefined {
    return this.session && this.now() - this.session.issuedAt < hour ? this.session.level : undefined;
  }

  now(): number {
    return this.server.clock.now().getTime() / 1000;
  }

  async code(): Promise<string> {
    const { messages } = this.server.appContext.store;
    const sent = (await messages.find('to', this.email)).filter(({ sealedCode }) => sealedCode !== undefined);
    const last = sent.at(-1);
    return (last && decryptMessageCode(last, this.server.appContext.storeSecret)) ?? '';
  }

  async logIn(password = this.password ?? 'none at all'): Promise<number> {
    const authorization = `Basic ${Buffer.from(`${this.userId}:${password}`).toString('base64')}`;
    const { status, body } = await this.status('user-identities.login', { query, headers: { authorization } });
    if (status === 401) this.failures += 1;
    if (status !== 201) return status;
    this.failures = 0;
    this.begin((body as { accessToken: string }).accessToken, 'AUTH-BASIC');
    return status;
  }

  means() {
    const openCode = this.now() < this.codeUntil;
    return { password: this.password !== undefined, contact: this.hasContact, openCode };
  }

  newPassword(): string {
    this.passwords += 1;
    return `tangerine lighthouse ${this.passwords}`;
  }
}

const administer = ({ server }: Person, id: string, input: CallInput) => server.admin.call(id, input);
const byId = ({ userId }: Person) => ({ params: { id: userId } });

/** Performs an event. @returns whether it was accepted. */
const actions: Readonly<Record<UserEvent, (person: Person) => Promise<boolean>>> = {
  'an administrator sets a contact': async (person) => {
    await administer(person, 'user-identities.update', { ...byId(person), body: { userEmail: person.email } });
    person.hasContact = true;
    return true;
  },
  'sets a password in its session': async (person) => {
    const newPassword = person.newPassword();
    const { status } = await person.asItself('user-identities.create-password', { body: { newPassword } });
    if (status === 201) person.password = newPassword;
    return status === 201;
  },
  'resets the password with a code': async (person) => {
    person.codes += 1;
    await person.status('user-identities.retrieve', { query, body: { userName: person.userId } });
    const body = { username: person.userId, validationCode: await person.code(), newPassword: person.newPassword() };
    const { status } = await person.status('user-identities.reset-password', { query, body });
    if (status !== 201) return false;
    person.password = body.newPassword;
    person.session = undefined;
    person.isHeld = false;
    person.failures = 0;
    return true;
  },
  'logs in': async (person) => (await person.logIn()) === 201,
  'fails ten logins': async (person) => {
    while (person.failures < failuresAllowed) expect(await person.logIn('wrong password')).toBe(401);
    expect(await person.logIn('wrong password')).toBe(429);
    person.isHeld = true;
    return true;
  },
  'waits and logs in': async (person) => {
    person.server.clock.advance(31);
    person.isHeld = false;
    return (await person.logIn()) === 201;
  },
  'requests MFA': async (person) => {
    person.codes += 1;
    const { status, body } = await person.asItself('user-identities.leverage-mfa', { body: {} });
    if (status !== 201) return false;
    person.challengeId = (body as { challengeId: string }).challengeId;
    person.codeUntil = person.now() + 10 * minute;
    return true;
  },
  'enters the code': async (person) => {
    const body = { challengeId: person.challengeId, token: await person.code() };
    const { status, body: response } = await person.asItself('user-identities.fulfill-mfa', { body });
    if (status === 201) person.begin((response as { accessToken: string }).accessToken, 'AUTH-MFA');
    return status === 201;
  },
  'code expires': async (person) => {
    person.server.clock.advance(10 * minute);
    const body = { challengeId: person.challengeId, token: await person.code() };
    expect(await person.asItself('user-identities.fulfill-mfa', { body })).not.toMatchObject({ status: 201 });
    return true;
  },
  'logs in after 12 hours': async (person) => {
    person.server.clock.advance(12 * hour);
    return (await person.logIn()) === 201;
  },
  'is locked': async (person) => {
    await administer(person, 'user-identities.lock', { body: { userId: person.userId } });
    person.session = undefined;
    return true;
  },
  'is unlocked': async (person) => {
    await administer(person, 'user-identities.unlock', { body: { userId: person.userId } });
    person.isHeld = false;
    person.failures = 0;
    return true;
  },
  'is removed': async (person) => {
    await administer(person, 'user-identities.remove', byId(person));
    person.session = undefined;
    return true;
  },
};

/** What a user can try in any state; others perform the rest, or time passes. */
const tries: ReadonlySet<UserEvent> = new Set([
  'sets a password in its session',
  'resets the password with a code',
  'logs in',
  'requests MFA',
  'enters the code',
]);
const withCode: ReadonlySet<UserEvent> = new Set(['resets the password with a code', 'requests MFA']);

/** The levels of the session that an event of the user requires. */
const levelsFor: Partial<Record<UserEvent, readonly Level[]>> = {
  'sets a password in its session': ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'],
  'requests MFA': ['AUTH-BASIC', 'AUTH-MFA'],
  'enters the code': ['AUTH-BASIC', 'AUTH-MFA'],
};

/** The state after the event; undefined if it is rejected. */
function stateAfter(person: Person, event: UserEvent): UserState | undefined {
  const level = person.level();
  const hasMeans = levelsFor[event] === undefined || (level !== undefined && levelsFor[event].includes(level));
  return hasMeans ? nextState(person.state, event, person.means()) : undefined;
}

/** Whether the event happens or is tried here, within the limits of codes and failures. */
function isPossible(person: Person, event: UserEvent): boolean {
  if (withCode.has(event) && person.codes >= codesBefore) return false;
  if (event === 'logs in' && person.failures >= failuresAllowed - 2) return false;
  return tries.has(event) || stateAfter(person, event) !== undefined;
}

async function step(person: Person, event: UserEvent): Promise<void> {
  if (!isPossible(person, event)) return;
  const before = person.state;
  const next = stateAfter(person, event);
  const accepted = await actions[event](person);
  expect({ before, event, accepted }).toEqual({ before, event, accepted: next !== undefined });
  person.state = next ?? before;
  if (logins.has(event) && accepted) expect(person.level()).toBe(userStates[person.state].level);
}

/** After these the session is one that the model describes. */
const logins: ReadonlySet<UserEvent> = new Set(['logs in', 'waits and logs in', 'logs in after 12 hours']);

/** What the user's token grants, from the least to the most; none of it changes anything. */
async function checkRights(person: Person): Promise<void> {
  const statuses = [
    (await person.asItself('user-identities.get', byId(person))).status,
    (await person.asItself('user-identities.create-password', { body: { newPassword: 'short' } })).status,
    (await person.asItself('user-identities.factors.list')).status,
    (await person.asItself('user-identities.factors.remove', { params: { id: 'no-such-factor' } })).status,
  ];
  expect({ state: person.state, statuses }).toEqual({
    state: person.state,
    statuses: expectedStatuses(person.level(), person),
  });
}

function expectedStatuses(level: Level | undefined, { password }: Person): number[] {
  const passwordStatus = password === undefined ? 422 : 412;
  switch (level) {
    case undefined:
      return [401, 401, 401, 401];
    case 'none':
      return [200, 403, 403, 403];
    case 'AUTH-IDENTIFIED':
      return [200, passwordStatus, 403, 403];
    case 'AUTH-BASIC':
      return [200, passwordStatus, 200, 403];
    case 'AUTH-MFA':
      return [200, passwordStatus, 200, 404];
  }
}

/** The logins and recovery of the state. Both change something, so this is the last check. */
async function checkLoginAndRecovery(person: Person): Promise<void> {
  const { login, recovery } = userStates[person.state];
  const { messages } = person.server.appContext.store;
  const sent = async () => (await messages.find('to', person.email)).length;
  const before = await sent();
  const response = await person.status('user-identities.retrieve', { query, body: { userName: person.userId } });
  expect(response.status).toBe(201);
  expect({ state: person.state, sent: (await sent()) - before }).toEqual({
    state: person.state,
    sent: recovery ? 1 : 0,
  });
  const expected = person.isHeld ? 429 : login;
  expect({ state: person.state, login: await person.logIn() }).toEqual({ state: person.state, login: expected });
}

async function signUp(server: TestServer, count: number, isVerified: boolean): Promise<Person> {
  const person = new Person(server, `person-${count}`);
  const body = { userId: person.userId, userName: person.userId, userEmail: person.email };
  if (isVerified) {
    person.codes += 1;
    await person.status('user-identities.identification', { query, body: { userEmail: person.email } });
    person.state = 'identified';
    person.hasContact = true;
  }
  const token = isVerified ? { token: await person.code() } : {};
  const created = await person.status('user-identities.create', { query, body: { ...body, ...token } });
  expect(created.status).toBe(201);
  person.begin((created.body as { accessToken: string }).accessToken, isVerified ? 'AUTH-IDENTIFIED' : 'none');
  return person;
}

test('names existing operations and states', () => {
  const events = new Set(userTransitions.map(({ event }) => event));
  expect([...events].sort()).toEqual(Object.keys(actions).sort());
  for (const id of userTransitions.flatMap(({ operations: ids }) => ids)) expect(operations).toHaveProperty([id]);
});

const signedIn: readonly UserEvent[] = ['sets a password in its session', 'logs in'];
const withMfa: readonly UserEvent[] = [...signedIn, 'requests MFA', 'enters the code'];

/** How a user with a verified contact reaches each state. */
const paths: readonly (readonly UserEvent[])[] = [
  [],
  ['sets a password in its session'],
  signedIn,
  [...signedIn, 'requests MFA'],
  [...signedIn, 'requests MFA', 'code expires'],
  withMfa,
  [...signedIn, 'fails ten logins'],
  ['is locked'],
  [...withMfa, 'is locked', 'is unlocked'],
  ['is removed'],
];
/** Further paths to the same states. */
const detours: readonly (readonly UserEvent[])[] = [
  [...signedIn, 'requests MFA', 'logs in'],
  [...withMfa, 'requests MFA'],
  ['sets a password in its session', 'fails ten logins'],
  [...signedIn, 'requests MFA', 'fails ten logins'],
  [...withMfa, 'fails ten logins'],
  [...signedIn, 'fails ten logins', 'is locked'],
];

test('accepts and rejects each event in each state', async () => {
  await using server = await startServer();
  const reached = new Set<UserState>();
  let count = 0;
  /** @returns the events that are possible at the end. */
  const live = async (isVerified: boolean, events: readonly UserEvent[]): Promise<UserEvent[]> => {
    count += 1;
    const person = await signUp(server, count, isVerified);
    for (const event of events) await step(person, event);
    reached.add(person.state);
    const possible = (Object.keys(actions) as UserEvent[]).filter((event) => isPossible(person, event));
    await checkRights(person);
    await checkLoginAndRecovery(person);
    return possible;
  };
  for (const event of await live(false, [])) await live(false, [event]);
  for (const path of [...paths, ...(isFullRun ? detours : [])])
    for (const event of await live(true, path)) await live(true, [...path, event]);
  expect([...reached].sort()).toEqual(Object.keys(userStates).sort());
});

test('accepts and rejects random events in any order', async () => {
  await using server = await startServer();
  const events = fc.constantFrom(...(Object.keys(actions) as UserEvent[]));
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(events, { minLength: 1, maxLength: 14 }), async (isVerified, events) => {
      count += 1;
      const person = await signUp(server, count, isVerified);
      await checkRights(person);
      for (const event of events) {
        await step(person, event);
        await checkRights(person);
      }
      await checkLoginAndRecovery(person);
    }),
    { numRuns: rounds(100) },
  );
});
