/** Strangers from many sources against the owner of an account, on a server of their own, each step judged by the oracle. */
import { appClientId, type TestServer } from '../../harness.ts';
import { createWrongCode, lastCode } from '../../server/operations/otp-inbox.ts';
import {
  type ApiResponse,
  basic,
  alice as person,
  post,
  postJson,
  replacePasswords,
} from '../../server/operations/user-identities/login-fixtures.ts';
import { forwardedFrom, logInFrom } from '../../server/operations/user-identities/sources.ts';
import { assertThat } from '../races/race.ts';
import { ThrottleOracle } from './oracle.ts';

export const names: readonly string[] = [person.userId, 'alice', person.userEmail, 'alice.smith'];
export const home = '192.0.2.1';

/** One or more wrong passwords of one caller. */
export interface Guesses {
  readonly caller: string;
  readonly times: number;
}

const clientQuery = `clientId=${appClientId}`;

export class ThrottleScenario {
  readonly #server: TestServer;
  readonly #oracle = new ThrottleOracle();
  /** Seconds that passed, whatever the clock was set to meanwhile. */
  #now = 0;
  #password = 'open sesame, please';
  #passwords = 0;
  #deviceTokenId = '';
  #deviceKey = '';
  #known = new Set<string>();
  /** How often each wrong password was compared. */
  readonly #verified = new Map<string, number>();
  /** How often each was answered as if it had been. */
  readonly #answered = new Map<string, number>();

  private constructor(server: TestServer) {
    this.#server = server;
    replacePasswords(server, {
      matches: async (secret, hash) => {
        this.#verified.set(secret, (this.#verified.get(secret) ?? 0) + 1);
        return secret === this.#password && hash !== undefined;
      },
    });
  }

  /** The owner is known at home, and has a device. */
  static async create(server: TestServer): Promise<ThrottleScenario> {
    const scenario = new ThrottleScenario(server);
    const { accessToken } = (await logInFrom(server, home, { name: 'alice' })).json as { accessToken: string };
    const headers = { ...forwardedFrom(home), authorization: `Bearer ${accessToken}` };
    const path = '/user-identities/me/associate-user-device';
    const { json } = await postJson(server, path, { deviceId: 'phone' }, headers);
    scenario.#deviceTokenId = (json as { deviceTokenId: string }).deviceTokenId;
    const [device] = await server.appContext.store.devices.list();
    scenario.#deviceKey = `device ${device?.deviceKey}`;
    scenario.#known = new Set([home, scenario.#deviceKey]);
    return scenario;
  }

  /** Time passes, or the clock is set back; the server reads it. */
  async advance(seconds: number): Promise<void> {
    this.#server.clock.advance(seconds);
    this.#now += Math.max(0, seconds);
    await this.guess('somebody', { caller: '198.51.100.78', times: 1 });
  }

  /** One after the other: each is answered as the oracle says. */
  async guess(name: string, { caller, times }: Guesses): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      const expected = this.#remaining(name, caller) > 0 ? 401 : 429;
      const { status } = await this.#loginWrong(name, caller);
      assertThat(status === expected, `${caller} as ${name} was answered ${status}, not ${expected}`);
      if (status === 401) this.#fail(name, caller);
    }
    this.#assertVerified();
  }

  /** All at once: exactly as many are compared as may still fail. */
  async burst(typed: string, guesses: readonly Guesses[]): Promise<void> {
    const name = normalizeName(typed);
    const budget = this.#oracle.budgetLeft(name, this.#now);
    const failed = await this.#guessConcurrently(typed, guesses);
    const [strangers, known] = [
      guesses.filter(({ caller }) => !this.#isKnown(name, caller)),
      guesses.filter(({ caller }) => this.#isKnown(name, caller)),
    ];
    const most = ({ caller, times }: Guesses) => Math.min(times, this.#oracle.ownLeft(name, caller, this.#now));
    const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
    for (const guess of guesses)
      assertThat(
        countGuesses(failed, guess) <= most(guess),
        `${countGuesses(failed, guess)} of ${guess.caller} were compared`,
      );
    for (const guess of known)
      assertThat(
        countGuesses(failed, guess) === most(guess),
        `a known source was refused: ${guess.caller} as ${name}, ${countGuesses(failed, guess)} of ${most(guess)}`,
      );
    const compared = sum(strangers.map((guess) => countGuesses(failed, guess)));
    // What known sources fail meanwhile is taken from the same budget.
    const spent = sum(known.map(most));
    const wanted = sum(strangers.map(most));
    assertThat(
      compared <= Math.min(budget, wanted) && compared >= Math.min(Math.max(0, budget - spent), wanted),
      `${compared} of strangers as ${name} were compared, the budget was ${budget}`,
    );
    for (const guess of guesses)
      for (let each = 0; each < countGuesses(failed, guess); each += 1) this.#fail(name, guess.caller);
    this.#assertVerified();
  }

  /** The owner logs in: refused only for ten failures of its own, or as a stranger over the budget. */
  async logIn(name: string, place: string | 'device'): Promise<void> {
    const caller = place === 'device' ? this.#deviceKey : place;
    const isRefused = this.#remaining(name, caller) <= 0;
    const { status } = await this.#loginRight(name, place);
    assertThat(status === (isRefused ? 429 : 201), `the owner at ${caller} as ${name} was answered ${status}`);
    if (isRefused) return;
    this.#oracle.recordLogin(names.map(normalizeName), caller);
    this.#known.add(caller);
  }

  /** The same in the middle of a burst of strangers; an unlock afterwards, since who came first is not known. */
  async logInAmid(name: string, place: string | 'device', guesses: readonly Guesses[]): Promise<void> {
    const caller = place === 'device' ? this.#deviceKey : place;
    const isServed = this.#isKnown(name, caller) && this.#oracle.ownLeft(normalizeName(name), caller, this.#now) > 0;
    const limit = new Map(
      guesses.map((guess) => [guess.caller, this.#oracle.ownLeft(normalizeName(name), guess.caller, this.#now)]),
    );
    const [failed, answer] = await Promise.all([this.#guessConcurrently(name, guesses), this.#loginRight(name, place)]);
    if (isServed)
      assertThat(answer.status === 201, `amid strangers the owner at ${caller} was answered ${answer.status}`);
    for (const guess of guesses)
      assertThat(
        countGuesses(failed, guess) <= (limit.get(guess.caller) ?? 0),
        `${guess.caller} had too many compared`,
      );
    if (answer.status === 201) this.#known.add(caller);
    await this.unlock();
    this.#verified.clear();
    this.#answered.clear();
  }

  async unlock(): Promise<void> {
    await this.#server.admin.userIdentities.unlock({ body: { userId: person.userId } });
    this.#oracle.clear(names.map(normalizeName));
  }

  /** Strangers ask for codes and guess them, until they are refused. */
  async attackRecovery(callers: readonly string[]): Promise<void> {
    const attack = async (caller: string) => {
      await this.#requestCode(caller);
      for (let guess = 0; guess < 7; guess += 1) {
        const { status } = await this.#reset('000000', caller);
        assertThat(status === 412 || status === 429, `a guessed code was answered ${status}`);
      }
    };
    await Promise.all(callers.map(attack));
  }

  /** Whatever strangers did, the owner's way back is open at home. */
  async recover(): Promise<void> {
    assertThat((await this.#requestCode(home)).status === 201, 'the owner gets no code at home');
    const code = await lastCode(this.#server, person.userEmail);
    const wrong = await this.#reset(createWrongCode(code), home);
    assertThat(wrong.status === 412, `a mistyped code of the owner was answered ${wrong.status}`);
    this.#passwords += 1;
    const next = `tangerine lighthouse ${this.#passwords}`;
    const { status } = await this.#reset(code, home, next);
    assertThat(status === 201, `the recovery of the owner was answered ${status}`);
    this.#password = next;
    this.#known = new Set([home]);
    this.#oracle.clear(names.map(normalizeName));
  }

  /** A right secret is accepted amid wrong ones, from wherever they come. */
  async guessSecrets(caller: string): Promise<void> {
    const { clientId, clientSecret } = await this.#server.makeClient();
    const login = (secret: string) =>
      post(this.#server, '/client-identities/login', {
        ...forwardedFrom(caller),
        authorization: basic(clientId, secret),
      });
    const secrets = Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? clientSecret : 'wrong'));
    const answers = await Promise.all(secrets.map(login));
    const refused = answers.filter(({ status }, at) => at % 3 === 0 && status !== 200);
    assertThat(refused.length === 0, `a right secret was answered ${refused[0]?.status}`);
  }

  #isKnown(name: string, caller: string): boolean {
    return names.map(normalizeName).includes(normalizeName(name)) && this.#known.has(caller);
  }

  #remaining(name: string, caller: string): number {
    const own = this.#oracle.ownLeft(normalizeName(name), caller, this.#now);
    return this.#isKnown(name, caller) ? own : Math.min(own, this.#oracle.budgetLeft(normalizeName(name), this.#now));
  }

  #fail(name: string, caller: string): void {
    this.#oracle.recordFailure({ name: normalizeName(name), caller, at: this.#now });
    const secret = buildGuess(name, caller);
    this.#answered.set(secret, (this.#answered.get(secret) ?? 0) + 1);
  }

  /** What was compared, and what was answered as compared, are the same. */
  #assertVerified(): void {
    for (const [secret, times] of this.#answered)
      assertThat(this.#verified.get(secret) === times, `"${secret}" was compared ${this.#verified.get(secret)} times`);
  }

  #loginWrong(name: string, caller: string): Promise<ApiResponse> {
    return logInFrom(this.#server, caller, { name, secret: buildGuess(name, caller) });
  }

  #loginRight(name: string, place: string | 'device'): Promise<ApiResponse> {
    const secret = this.#password;
    if (place !== 'device') return logInFrom(this.#server, place, { name, secret });
    return logInFrom(this.#server, '198.51.100.77', { name, secret, deviceTokenId: this.#deviceTokenId });
  }

  /** @returns the callers whose password was compared, once for each time. */
  async #guessConcurrently(name: string, guesses: readonly Guesses[]): Promise<string[]> {
    const calls = guesses.flatMap(({ caller, times }) => Array.from({ length: times }, () => caller));
    const answers = await Promise.all(calls.map((caller) => this.#loginWrong(name, caller)));
    const other = answers.find(({ status }) => status !== 401 && status !== 429);
    assertThat(other === undefined, `a wrong password was answered ${other?.status}`);
    return calls.filter((_, at) => answers[at]?.status === 401);
  }

  #requestCode(caller: string): Promise<ApiResponse> {
    return postJson(
      this.#server,
      `/user-identities/retrieve-identity?${clientQuery}`,
      { userName: 'alice' },
      forwardedFrom(caller),
    );
  }

  #reset(validationCode: string, caller: string, newPassword = 'a window in the roof'): Promise<ApiResponse> {
    const body = { username: 'alice', validationCode, newPassword };
    return postJson(this.#server, `/user-identities/reset-password?${clientQuery}`, body, forwardedFrom(caller));
  }
}

const countGuesses = (callers: readonly string[], { caller }: Guesses) =>
  callers.filter((each) => each === caller).length;
const normalizeName = (name: string) => name.toLowerCase();
const buildGuess = (name: string, caller: string) => `guess of ${caller} as ${normalizeName(name)}`;

/** Seconds in which a name regains one attempt. */
export const regainSeconds = 15 * 60;
