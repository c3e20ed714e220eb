/**
 * Whether a history is linearizable: whether its operations have an order in which each takes effect between request and
 * response, and which the model allows. The search of Wing and Gong (1993) with the memory of Lowe (2017) for
 * configurations that have no order.
 */
import type { History, Model, Operation } from './history.ts';

type Judged = Pick<History, 'model' | 'initial' | 'operations'>;

export function isLinearizable({ model, initial, operations }: Judged): boolean {
  const sorted = [...operations].sort((one, other) => one.start - other.start);
  return new Search(model, sorted).find(initial);
}

/**
 * Returns the shortest beginning of a history that is not linearizable; undefined if all are. What was under way at its
 * end has an unknown outcome there.
 */
export function findViolation(history: Judged): readonly Operation[] | undefined {
  if (isLinearizable(history)) return undefined;
  const { operations } = history;
  const ends = operations
    .map(({ end }) => end)
    .filter(Number.isFinite)
    .sort((one, other) => one - other);
  const beginnings = ends.map((until) => takeUntil(operations, until));
  return beginnings.find((beginning) => !isLinearizable({ ...history, operations: beginning })) ?? operations;
}

function takeUntil(operations: readonly Operation[], until: number): Operation[] {
  return operations
    .filter(({ start }) => start <= until)
    .map((each) => (each.end <= until ? each : { ...each, output: undefined, end: Number.POSITIVE_INFINITY }));
}

class Search {
  readonly #model: Model;
  /** In the order of their requests. */
  readonly #answered: readonly Operation[];
  readonly #unknown: readonly Operation[];
  readonly #isAnsweredDone: boolean[];
  readonly #isUnknownDone: boolean[];
  readonly #failed = new Set<string>();

  constructor(model: Model, sorted: readonly Operation[]) {
    this.#model = model;
    this.#answered = sorted.filter(({ output }) => output !== undefined);
    this.#unknown = sorted.filter(({ output }) => output === undefined);
    this.#isAnsweredDone = this.#answered.map(() => false);
    this.#isUnknownDone = this.#unknown.map(() => false);
  }

  /** Whether the answered operations from `first` on that are not done have an order from this state on. */
  find(state: string, first = 0): boolean {
    let from = first;
    while (this.#isAnsweredDone[from]) from += 1;
    if (from === this.#answered.length) return true;
    const { next, firstEnd } = this.#listNext(from);
    const configuration = `${from} ${next} ${this.#isUnknownDone.map(Number).join('')} ${state}`;
    if (this.#failed.has(configuration)) return false;
    const isFound =
      next.some((at) => this.#tryOne(this.#answered, this.#isAnsweredDone, at, state, from)) ||
      this.#unknown.some(
        ({ start }, at) => start <= firstEnd && this.#tryOne(this.#unknown, this.#isUnknownDone, at, state, from),
      );
    if (!isFound) this.#failed.add(configuration);
    return isFound;
  }

  /** The answered ones that no other one precedes: they began before the first of all responses. */
  #listNext(from: number): { readonly next: readonly number[]; readonly firstEnd: number } {
    let firstEnd = Number.POSITIVE_INFINITY;
    const next: number[] = [];
    for (let at = from; at < this.#answered.length; at += 1) {
      const { start, end } = this.#answered[at] as Operation;
      if (start > firstEnd) break;
      if (this.#isAnsweredDone[at]) continue;
      next.push(at);
      firstEnd = Math.min(firstEnd, end);
    }
    return { next, firstEnd };
  }

  #tryOne(operations: readonly Operation[], isDone: boolean[], at: number, state: string, from: number): boolean {
    if (isDone[at]) return false;
    const next = this.#model.step(state, operations[at] as Operation);
    if (next === undefined) return false;
    isDone[at] = true;
    const isFound = this.find(next, from);
    isDone[at] = false;
    return isFound;
  }
}
