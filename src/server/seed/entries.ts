/** Applies the entries of a seed one by one: counts what happens to each, and collects the problems with their paths. */
import { errorTable } from '../../contract/error-codes.ts';
import { IamError } from '../../contract/errors.ts';
import { createPause } from '../lib/event-loop-turns.ts';
import { DuplicateError } from '../store/store.ts';
import { SeedError, SeedProblem } from './error.ts';
import type { SeedIssue } from './issues.ts';
import type { SeedDocument } from './schema.ts';

export type SeedKind = Exclude<keyof SeedDocument, '$schema' | 'settings'>;

export type SeedOutcome = 'created' | 'updated' | 'unchanged';

/** Number of entries of one kind, by what happened to them. */
export type SeedCount = Record<SeedOutcome, number>;

/** The counts of each kind that the seed contains. */
export type SeedCounts = Partial<Record<SeedKind, SeedCount>>;

export interface SeedEntries {
  /**
   * Applies one step to each entry of a kind; all problems of a step are reported together. Later steps add to the
   * outcome of an entry. `assertOnce` compares the entries of the step. @throws SeedError after the last entry, if there was a problem.
   */
  each<Entry>(
    kind: SeedKind,
    entries: readonly Entry[] | undefined,
    apply: (entry: Entry, assertOnce: AssertOnce) => Promise<SeedOutcome>,
  ): Promise<void>;
  counts(): SeedCounts;
}

/** @throws SeedProblem at a field of an entry, if an entry before describes the same thing: one of them would have no effect. */
export type AssertOnce = (id: string, name: string, field: string) => void;

function createAssertOnce(): AssertOnce {
  const seen = new Set<string>();
  return (id, name, field) => {
    if (seen.has(id)) throw new SeedProblem(`${name} is defined twice`, [field]);
    seen.add(id);
  };
}

const outcomes: readonly SeedOutcome[] = ['unchanged', 'updated', 'created'];

export function createSeedEntries(): SeedEntries {
  const outcomesByKind = new Map<SeedKind, SeedOutcome[]>();
  return {
    async each(kind, entries, apply) {
      if (entries === undefined) return;
      const known = outcomesByKind.get(kind) ?? [];
      outcomesByKind.set(kind, known);
      const issues: SeedIssue[] = [];
      const pause = createPause();
      const assertOnce = createAssertOnce();
      for (const [index, entry] of entries.entries()) {
        await pause();
        try {
          known[index] = mergeOutcomes(known[index] ?? 'unchanged', await apply(entry, assertOnce));
        } catch (error) {
          issues.push(toIssue(error, [kind, index]));
        }
      }
      if (issues.length > 0) throw new SeedError(issues.map(({ message }) => `${kind}: ${message}`).join('\n'), issues);
    },
    counts: () => Object.fromEntries([...outcomesByKind].map(([kind, known]) => [kind, countOutcomes(known)])),
  };
}

/** The outcome of an entry to which both of these happened. */
export function mergeOutcomes(one: SeedOutcome, other: SeedOutcome): SeedOutcome {
  return outcomes[Math.max(outcomes.indexOf(one), outcomes.indexOf(other))] ?? one;
}

function countOutcomes(known: readonly SeedOutcome[]): SeedCount {
  const count = (outcome: SeedOutcome) => known.filter((one) => one === outcome).length;
  return { created: count('created'), updated: count('updated'), unchanged: count('unchanged') };
}

/** @throws every error that is no problem of the seed. */
function toIssue(error: unknown, path: readonly PropertyKey[]): SeedIssue {
  if (error instanceof SeedProblem) return { path: [...path, ...error.path], message: error.message };
  if (isRejection(error) || error instanceof DuplicateError) return { path, message: withoutStop(error.message) };
  throw error;
}

/** The messages of problems have no stop, as others follow them in a sentence. */
export function withoutStop(message: string): string {
  return message.replace(/\.$/, '');
}

/** Whether a rule rejected the seed, and not a server that is too busy. */
export function isRejection(error: unknown): error is IamError {
  return error instanceof IamError && errorTable[error.code].status < 500;
}
