/** Shared by all parts of a seed: dependencies, and writes that leave unchanged rows alone. */

import type { Settings } from '../config/settings.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Store } from '../store/store.ts';
import type { TokenMeasure } from '../tokens/issue.ts';
import type { HashPassword } from '../users/passwords.ts';
import type { SeedOutcome } from './entries.ts';
import type { ReportHashes } from './passwords.ts';

export interface SeedDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newId'>;
  /** Hashes at full cost if missing. */
  readonly hash?: HashPassword | undefined;
  /** Without settings, passwords are hashed one by one, and hosts may be single labels. */
  readonly settings?: Pick<Settings, 'hashConcurrency' | 'testFeatures' | 'allowRemote'> | undefined;
  readonly reportHashes?: ReportHashes | undefined;
  /** Measures tokens. Their length is not checked if missing. */
  readonly issuer?: TokenMeasure | undefined;
}

/** Removes undefined values, so that an absent key does not overwrite the row's value. */
export function omitUndefined<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** Replaces a row only if it differs, so that applying a seed again writes nothing. */
export async function replaceIfChanged<R extends object>(
  before: R,
  after: R,
  replace: (row: R) => Promise<void>,
): Promise<SeedOutcome> {
  if (isSameRow(before, after)) return 'unchanged';
  await replace(after);
  return 'updated';
}

export function isSameRow(before: object, after: object): boolean {
  return JSON.stringify(sortEntries(before)) === JSON.stringify(sortEntries(after));
}

function sortEntries(row: object): [string, unknown][] {
  return Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
}
