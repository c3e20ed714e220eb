/**
 * Transactions of several stores that insert the same key at once, without a look at it before. PostgreSQL fails all but
 * one with 23505. They run again, and find the key.
 */
import { systemClock } from '../../../src/server/lib/clock.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { systemStopwatch } from '../../../src/server/lib/stopwatch.ts';
import { systemTimer } from '../../../src/server/lib/timer.ts';
import { openPostgresStore } from '../../../src/server/store/postgres/open-postgres-store.ts';
import { DuplicateError, type Store } from '../../../src/server/store/store.ts';
import { group } from '../../server/store/rows.ts';
import { seedDriverBug } from './driver-bugs.ts';

const concurrentInserts = 4;

/** @returns a problem for each key that was not inserted once */
export async function insertSameKeys(
  databaseUrl: string,
  keys: readonly string[],
  seededBug: string | undefined,
): Promise<readonly string[]> {
  const restoreDriver = seededBug === undefined ? undefined : seedDriverBug(seededBug);
  const store = await openPostgresStore({
    databaseUrl,
    schema: 'unique_inserts',
    initialize: true,
    lanes: concurrentInserts,
    random: systemRandom,
    stopwatch: systemStopwatch,
    timer: systemTimer,
    clock: systemClock,
    replica: { name: 'unique-inserts', issuer: 'http://iam.example', isExclusive: true },
  });
  try {
    const problems: string[] = [];
    for (const key of keys) problems.push(...(await insertSameKey(store, key)));
    return problems;
  } finally {
    await store.close();
    restoreDriver?.();
  }
}

async function insertSameKey(store: Store, key: string): Promise<readonly string[]> {
  const insert = () => store.transaction(({ groups }) => groups.insert(group(key)));
  const outcomes = await Promise.allSettled(Array.from({ length: concurrentInserts }, insert));
  const rejections = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
  const unexpected = rejections.filter((error) => !(error instanceof DuplicateError));
  if (unexpected.length === 0 && rejections.length === concurrentInserts - 1) return [];
  const inserted = concurrentInserts - rejections.length;
  return [`${key} was inserted ${inserted} times; failures: ${unexpected.map(String).join(', ') || 'none'}`];
}
