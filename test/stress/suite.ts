/** The interface of a stress suite: it runs rounds within a budget and returns its findings. */

export interface Suite {
  readonly name: string;
  /** The invariant that the suite verifies, in one line. */
  readonly about: string;
  /** Runs only if it is named with `--only`. */
  readonly isOnDemand?: true;
  run(budget: Budget): Promise<Finding[]>;
}

export interface Budget {
  /** The seed of the first round; each round adds 1, so `--seed SEED --count 1` repeats a single round. */
  readonly seed: number;
  /** Whether there is time left. */
  hasTimeLeft(): boolean;
  /** Maximum number of rounds. */
  readonly count: number;
  /** Logs progress. The last line becomes the summary; the prefix "skipped: " marks a suite that did not run. */
  log(line: string): void;
  readonly signal: AbortSignal;
  /** A seeded bug that the suite must find. */
  readonly seededBug?: string | undefined;
  /** The number of servers, for suites that start several on one database. */
  readonly servers?: number | undefined;
}

export interface Finding {
  readonly problem: string;
  /** The command that reproduces the finding. */
  readonly reproduce: string;
}

/** Whether another round may start. The first one always may, so that a short time limit still tests something. */
export function hasBudget({ count, signal, hasTimeLeft }: Budget, done: number): boolean {
  return !signal.aborted && done < count && (done === 0 || hasTimeLeft());
}

/**
 * Runs rounds with consecutive seeds until the budget is used up or a round fails.
 * @returns the findings, at most one per round, and the number of rounds.
 */
export async function runRounds(
  suite: string,
  budget: Budget,
  round: (seed: number) => Promise<void>,
): Promise<{ findings: Finding[]; done: number }> {
  const findings: Finding[] = [];
  let done = 0;
  for (; hasBudget(budget, done) && findings.length === 0; done += 1) {
    const seed = budget.seed + done;
    await round(seed).catch((error: unknown) => void findings.push(createFinding(suite, budget, seed, error)));
    if (done > 0 && done % 1000 === 0) budget.log(`${done} rounds`);
  }
  return { findings, done };
}

/** A problem that a later round detects; `seed` is the seed of the round that caused it. */
export class DelayedError extends Error {
  readonly seed: number;

  constructor(cause: Error, seed: number) {
    super(cause.message, { cause });
    this.seed = seed;
  }
}

/** Turns the error of a failed round into a finding. */
export function createFinding(suite: string, { seededBug }: Budget, seed: number, error: unknown): Finding {
  const bugOption = seededBug === undefined ? '' : ` --bug ${seededBug}`;
  return {
    problem: error instanceof Error ? error.message : String(error),
    reproduce: `npm run stress -- --only ${suite} --seed ${error instanceof DelayedError ? error.seed : seed} --count 1${bugOption}`,
  };
}
