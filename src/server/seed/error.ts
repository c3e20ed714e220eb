import { StandinError } from '../../contract/standin-error.ts';
import type { SeedIssue } from './issues.ts';

/** An invalid seed, or one that can't be applied. The message contains each problem. Nothing was applied. */
export class SeedError extends StandinError {
  override readonly name = 'SeedError';
  readonly code = 'SEED_INVALID';
  /** The problems by their paths in the document; empty if the text of a file could not be parsed. */
  readonly issues: readonly SeedIssue[];

  constructor(message: string, issues: readonly SeedIssue[] = []) {
    super(message);
    this.issues = issues;
  }
}

/** A problem of one entry of a seed, for `SeedEntries`. */
export class SeedProblem extends Error {
  override readonly name = 'SeedProblem';
  /** Relative to the entry. */
  readonly path: readonly PropertyKey[];

  constructor(message: string, path: readonly PropertyKey[] = []) {
    super(message);
    this.path = path;
  }
}
