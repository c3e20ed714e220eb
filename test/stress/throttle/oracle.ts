/**
 * A second, simple implementation of the login throttle: stores all failures and replays them for each query.
 * Times are in seconds.
 */

const minute = 60;
const allowed = 10;
const budget = 100;
const regain = 15 * minute;

interface Failure {
  readonly name: string;
  readonly caller: string;
  readonly at: number;
}

export class ThrottleOracle {
  /** Failures that count for a caller and a name. */
  #own: Failure[] = [];
  /** Failures that count for the budget of a name, over all unknown sources. */
  #spent: Failure[] = [];

  recordFailure(failure: Failure): void {
    this.#own.push(failure);
    this.#spent.push(failure);
  }

  /** Returns how many more attempts of this caller may fail for the name. */
  ownLeft(name: string, caller: string, now: number): number {
    const { times, until, delay } = this.#replay(name, caller, now);
    if (until > now) return 0;
    return delay > 0 ? 1 : allowed - times.filter((at) => now - at <= 15 * minute).length;
  }

  /** Returns how many more attempts of unknown sources may fail for the name. */
  budgetLeft(name: string, now: number): number {
    let owed = 0;
    let last = 0;
    for (const { at } of this.#spent.filter((failure) => failure.name === name)) {
      owed = Math.min(Math.max(0, owed - (at - last)) + regain, budget * regain);
      last = at;
    }
    return budget - Math.ceil(Math.max(0, owed - (now - last)) / regain);
  }

  /** Clears the failures of a caller for a name after a correct password. */
  recordSuccess(name: string, caller: string): void {
    this.#own = this.#own.filter((failure) => failure.name !== name || failure.caller !== caller);
  }

  /** Clears the failures of a caller for all names of a user, and their budgets, after a login. */
  recordLogin(names: readonly string[], caller: string): void {
    for (const name of names) this.recordSuccess(name, caller);
    this.#spent = this.#spent.filter(({ name }) => !names.includes(name));
  }

  /** Clears all failures for the names of a user after a recovery or an unlock. */
  clear(names: readonly string[]): void {
    this.#own = this.#own.filter(({ name }) => !names.includes(name));
    this.#spent = this.#spent.filter(({ name }) => !names.includes(name));
  }

  #replay(name: string, caller: string, now: number) {
    let state = { times: [] as number[], until: 0, delay: 0 };
    const isOver = (at: number) => at - Math.max(state.times.at(-1) ?? 0, state.until) > 15 * minute;
    for (const failure of this.#own.filter((each) => each.name === name && each.caller === caller)) {
      if (isOver(failure.at)) state = { times: [], until: 0, delay: 0 };
      state.times.push(failure.at);
      const recent = state.times.filter((at) => failure.at - at <= 15 * minute).length;
      if (state.delay === 0 && recent < allowed) continue;
      state.delay = state.delay === 0 ? 30 : Math.min(2 * state.delay, 15 * minute);
      state.until = failure.at + state.delay;
    }
    return isOver(now) ? { times: [], until: 0, delay: 0 } : state;
  }
}
