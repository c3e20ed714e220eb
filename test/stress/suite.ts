/** What a suite of torture is: it tries for as long as it may, and tells what it found. */

export interface Suite {
  readonly name: string;
  /** One line: what must hold, whatever is done. */
  readonly about: string;
  run(budget: Budget): Promise<Finding[]>;
}

export interface Budget {
  /** Rounds count on from this seed, so that one round is repeated by `--seed ITS_SEED --count 1`. */
  readonly seed: number;
  /** Whether there is time left. */
  hasTimeLeft(): boolean;
  /** At most so many rounds. */
  readonly count: number;
  /** The last line goes into the summary; one that begins with "skipped: " says why nothing was tried. */
  log(line: string): void;
  readonly signal: AbortSignal;
  /** The defect that is planted, to see the suite find it. */
  readonly seededBug?: string | undefined;
}

export interface Finding {
  readonly problem: string;
  /** The command that shows it again. */
  readonly reproduce: string;
}

/** Whether another round may begin. At least one always may, or a short time would prove nothing. */
export function hasBudget({ count, signal, hasTimeLeft }: Budget, done: number): boolean {
  return !signal.aborted && done < count && (done === 0 || hasTimeLeft());
}

/**
 * Runs rounds, each with a seed of its own, until the budget is used up or something is found.
 * @returns what the rounds found, at most one finding a round, and how many rounds there were.
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

/** What is found only after the round that did it. */
export class DelayedError extends Error {
  readonly seed: number;

  constructor(cause: Error, seed: number) {
    super(cause.message, { cause });
    this.seed = seed;
  }
}

/** What a failed round tells. */
export function createFinding(suite: string, { seededBug }: Budget, seed: number, error: unknown): Finding {
  const bugOption = seededBug === undefined ? '' : ` --plant ${seededBug}`;
  return {
    problem: error instanceof Error ? error.message : String(error),
    reproduce: `npm run torture -- --only ${suite} --seed ${error instanceof DelayedError ? error.seed : seed} --count 1${bugOption}`,
  };
}
