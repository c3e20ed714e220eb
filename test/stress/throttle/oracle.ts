/**
 * What throttles must allow, written a second time and as plainly as can be: every failure is kept in a list and looked at
 * again for each question. Time is in seconds.
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
  /** Failures that count for one caller under one name. */
  #own: Failure[] = [];
  /** Failures that count for the budget of a name. */
  #spent: Failure[] = [];

  recordFailure(failure: Failure): void {
    this.#own.push(failure);
    this.#spent.push(failure);
  }

  /** How many more attempts of this caller may fail under the name now. */
  ownLeft(name: string, caller: string, now: number): number {
    const { times, until, delay } = this.#replay(name, caller, now);
    if (until > now) return 0;
    return delay > 0 ? 1 : allowed - times.filter((at) => now - at <= 15 * minute).length;
  }

  /** How many more attempts of strangers may fail under the name now. */
  budgetLeft(name: string, now: number): number {
    let owed = 0;
    let last = 0;
    for (const { at } of this.#spent.filter((failure) => failure.name === name)) {
      owed = Math.min(Math.max(0, owed - (at - last)) + regain, budget * regain);
      last = at;
    }
    return budget - Math.ceil(Math.max(0, owed - (now - last)) / regain);
  }

  /** A right password of this caller under this name. */
  recordSuccess(name: string, caller: string): void {
    this.#own = this.#own.filter((failure) => failure.name !== name || failure.caller !== caller);
  }

  /** A login of the user who has these names. */
  recordLogin(names: readonly string[], caller: string): void {
    for (const name of names) this.recordSuccess(name, caller);
    this.#spent = this.#spent.filter(({ name }) => !names.includes(name));
  }

  /** A recovery or an unlock of the user who has these names. */
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
