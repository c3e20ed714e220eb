/** Attackers from many sources and the owner of an account, on a separate server; the oracle verifies each step. */
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

/** Wrong passwords from one caller. */
export interface Guesses {
  readonly caller: string;
  readonly times: number;
}

const clientQuery = `clientId=${appClientId}`;

export class ThrottleScenario {
  readonly #server: TestServer;
  readonly #oracle = new ThrottleOracle();
  /** Elapsed seconds, regardless of steps of the clock. */
  #now = 0;
  #password = 'open sesame, please';
  #passwords = 0;
  #deviceTokenId = '';
  #deviceKey = '';
  #known = new Set<string>();
  /** How often each wrong password was verified against the hash. */
  readonly #verified = new Map<string, number>();
  /** How often the response to each implied a verification. */
  readonly #reported = new Map<string, number>();

  private constructor(server: TestServer) {
    this.#server = server;
    replacePasswords(server, {
      matches: async (secret, hash) => {
        this.#verified.set(secret, (this.#verified.get(secret) ?? 0) + 1);
        return secret === this.#password && hash !== undefined;
      },
    });
  }

  /** Creates a scenario in which `home` and a device are known sources of the owner. */
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

  /** Advances time, or sets the clock back, and makes the server read it. */
  async advance(seconds: number): Promise<void> {
    this.#server.clock.advance(seconds);
    this.#now += Math.max(0, seconds);
    await this.guess('another-name', { caller: '198.51.100.78', times: 1 });
  }

  /** Sends guesses sequentially; each response must match the oracle. */
  async guess(name: string, { caller, times }: Guesses): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      const expected = this.#remaining(name, caller) > 0 ? 401 : 429;
      const { status } = await this.#loginWrong(name, caller);
      assertThat(status === expected, `${caller} as ${name} got ${status} instead of ${expected}`);
      if (status === 401) this.#fail(name, caller);
    }
    this.#assertVerified();
  }

  /** Sends guesses concurrently; exactly as many are verified as may still fail. */
  async burst(typed: string, guesses: readonly Guesses[]): Promise<void> {
    const name = normalizeName(typed);
    const budget = this.#oracle.budgetLeft(name, this.#now);
    const failed = await this.#guessConcurrently(typed, guesses);
    const [unknown, known] = [
      guesses.filter(({ caller }) => !this.#isKnown(name, caller)),
      guesses.filter(({ caller }) => this.#isKnown(name, caller)),
    ];
    const maxFailures = ({ caller, times }: Guesses) => Math.min(times, this.#oracle.ownLeft(name, caller, this.#now));
    const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
    for (const guess of guesses)
      assertThat(
        countGuesses(failed, guess) <= maxFailures(guess),
        `${countGuesses(failed, guess)} guesses of ${guess.caller} were verified`,
      );
    for (const guess of known)
      assertThat(
        countGuesses(failed, guess) === maxFailures(guess),
        `a known source was throttled: ${guess.caller} as ${name}, ${countGuesses(failed, guess)} of ${maxFailures(guess)}`,
      );
    const verified = sum(unknown.map((guess) => countGuesses(failed, guess)));
    // Failures of known sources count for the same budget.
    const spent = sum(known.map(maxFailures));
    const possible = sum(unknown.map(maxFailures));
    assertThat(
      verified <= Math.min(budget, possible) && verified >= Math.min(Math.max(0, budget - spent), possible),
      `${verified} guesses of unknown sources as ${name} were verified, the budget was ${budget}`,
    );
    for (const guess of guesses)
      for (let each = 0; each < countGuesses(failed, guess); each += 1) this.#fail(name, guess.caller);
    this.#assertVerified();
  }

  /** The owner logs in; throttled only after ten failures from the same source, or from an unknown one over the budget. */
  async logIn(name: string, source: string | 'device'): Promise<void> {
    const caller = source === 'device' ? this.#deviceKey : source;
    const isThrottled = this.#remaining(name, caller) <= 0;
    const { status } = await this.#loginRight(name, source);
    assertThat(status === (isThrottled ? 429 : 201), `the owner at ${caller} as ${name} got ${status}`);
    if (isThrottled) return;
    this.#oracle.recordLogin(names.map(normalizeName), caller);
    this.#known.add(caller);
  }

  /** Logs in during a burst of guesses; unlocks afterwards, as the order of the requests is unknown. */
  async logInDuringBurst(name: string, source: string | 'device', guesses: readonly Guesses[]): Promise<void> {
    const caller = source === 'device' ? this.#deviceKey : source;
    const mustSucceed = this.#isKnown(name, caller) && this.#oracle.ownLeft(normalizeName(name), caller, this.#now) > 0;
    const limit = new Map(
      guesses.map((guess) => [guess.caller, this.#oracle.ownLeft(normalizeName(name), guess.caller, this.#now)]),
    );
    const [failed, response] = await Promise.all([
      this.#guessConcurrently(name, guesses),
      this.#loginRight(name, source),
    ]);
    if (mustSucceed)
      assertThat(response.status === 201, `during a burst the owner at ${caller} got ${response.status}`);
    for (const guess of guesses)
      assertThat(
        countGuesses(failed, guess) <= (limit.get(guess.caller) ?? 0),
        `too many guesses of ${guess.caller} were verified`,
      );
    if (response.status === 201) this.#known.add(caller);
    await this.unlock();
    this.#verified.clear();
    this.#reported.clear();
  }

  async unlock(): Promise<void> {
    await this.#server.admin.userIdentities.unlock({ body: { userId: person.userId } });
    this.#oracle.clear(names.map(normalizeName));
  }

  /** Attackers request codes and guess them until they are throttled. */
  async attackRecovery(callers: readonly string[]): Promise<void> {
    const attack = async (caller: string) => {
      await this.#requestCode(caller);
      for (let guess = 0; guess < 7; guess += 1) {
        const { status } = await this.#reset('000000', caller);
        assertThat(status === 412 || status === 429, `a guessed code returned ${status}`);
      }
    };
    await Promise.all(callers.map(attack));
  }

  /** Verifies that the owner can recover the account at home, regardless of attacks. */
  async recover(): Promise<void> {
    assertThat((await this.#requestCode(home)).status === 201, 'the owner received no code at home');
    const code = await lastCode(this.#server, person.userEmail);
    const wrong = await this.#reset(createWrongCode(code), home);
    assertThat(wrong.status === 412, `a mistyped code of the owner returned ${wrong.status}`);
    this.#passwords += 1;
    const next = `tangerine lighthouse ${this.#passwords}`;
    const { status } = await this.#reset(code, home, next);
    assertThat(status === 201, `the recovery of the owner returned ${status}`);
    this.#password = next;
    this.#known = new Set([home]);
    this.#oracle.clear(names.map(normalizeName));
  }

  /** Verifies that a correct client secret is accepted among wrong ones from the same source. */
  async guessSecrets(caller: string): Promise<void> {
    const { clientId, clientSecret } = await this.#server.makeClient();
    const login = (secret: string) =>
      post(this.#server, '/client-identities/login', {
        ...forwardedFrom(caller),
        authorization: basic(clientId, secret),
      });
    const secrets = Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? clientSecret : 'wrong'));
    const responses = await Promise.all(secrets.map(login));
    const rejected = responses.filter(({ status }, at) => at % 3 === 0 && status !== 200);
    assertThat(rejected.length === 0, `a correct secret returned ${rejected[0]?.status}`);
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
    this.#reported.set(secret, (this.#reported.get(secret) ?? 0) + 1);
  }

  /** Verifies that responses and verifications agree. */
  #assertVerified(): void {
    for (const [secret, times] of this.#reported)
      assertThat(this.#verified.get(secret) === times, `"${secret}" was verified ${this.#verified.get(secret)} times`);
  }

  #loginWrong(name: string, caller: string): Promise<ApiResponse> {
    return logInFrom(this.#server, caller, { name, secret: buildGuess(name, caller) });
  }

  #loginRight(name: string, source: string | 'device'): Promise<ApiResponse> {
    const secret = this.#password;
    if (source !== 'device') return logInFrom(this.#server, source, { name, secret });
    return logInFrom(this.#server, '198.51.100.77', { name, secret, deviceTokenId: this.#deviceTokenId });
  }

  /** @returns the caller of each verified guess. */
  async #guessConcurrently(name: string, guesses: readonly Guesses[]): Promise<string[]> {
    const calls = guesses.flatMap(({ caller, times }) => Array.from({ length: times }, () => caller));
    const responses = await Promise.all(calls.map((caller) => this.#loginWrong(name, caller)));
    const other = responses.find(({ status }) => status !== 401 && status !== 429);
    assertThat(other === undefined, `a wrong password returned ${other?.status}`);
    return calls.filter((_, at) => responses[at]?.status === 401);
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

/** Seconds after which the budget of a name regains one attempt. */
export const regainSeconds = 15 * 60;
