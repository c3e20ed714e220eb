/** Copies a closed store in a folder into a database, and back. */

import type { Random } from '../../lib/random.ts';
import type { Stopwatch } from '../../lib/stopwatch.ts';
import type { Timer } from '../../lib/timer.ts';
import { listRows } from '../file/checkpoint-format.ts';
import type { Disk } from '../file/disk.ts';
import type { Layout } from '../file/layout.ts';
import { inspect } from '../file/recovery.ts';
import { awaitContents, replaceStore } from '../file/replacement.ts';
import { StoreOpenError } from '../open-error.ts';
import type { StoredRow } from '../table-shape.ts';
import { digestRows, type RowsDigest } from './digest.ts';

export interface DatabaseTarget {
  /** One URL or several, separated by commas. */
  readonly databaseUrl: string;
  readonly schema: string;
}

export interface CopyDeps {
  readonly disk: Disk;
  /** The system clock: it is compared with that of the database. */
  now(): Date;
  readonly random: Random;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
}

/** The caller holds the lock of the folder. @throws StoreOpenError; then nothing was changed */
export async function copyToDatabase(layout: Layout, to: DatabaseTarget, deps: CopyDeps): Promise<RowsDigest> {
  const { recovered } = await inspect(deps.disk, layout);
  const rows = materialize(listRows(recovered.base));
  const expected = digestRows(rows);
  const { withExclusiveDatabase } = await import('../postgres/open-postgres-store.ts');
  const { writeDatabaseRows } = await import('../postgres/setup/copy-rows.ts');
  await withExclusiveDatabase({ ...to, ...deps, clock: deps, initialize: true, replacesCopy: true }, (connections) =>
    writeDatabaseRows(rows, { ...deps, connections }, (written) => assertSame(digestRows(written), expected)),
  );
  return expected;
}

/**
 * The caller holds the lock of the folder, which contains no store. If the process is killed, no server starts on the folder
 * until the copy is repeated. @throws StoreOpenError
 */
export async function copyToFolder(
  from: DatabaseTarget,
  layout: Layout,
  deps: CopyDeps,
  writtenAt: string,
): Promise<RowsDigest> {
  // Before the rows are read, which can take minutes.
  const isNew = await awaitContents({ ...deps, layout });
  const { withExclusiveDatabase } = await import('../postgres/open-postgres-store.ts');
  const { readDatabaseRows } = await import('../postgres/setup/copy-rows.ts');
  const options = { ...from, ...deps, clock: deps, initialize: false };
  const rows = await withExclusiveDatabase(options, readDatabaseRows).catch(async (error: unknown) => {
    if (isNew) await deps.disk.remove(layout.marker);
    throw error;
  });
  const tables = materialize(rows);
  const expected = digestRows(tables);
  // Sequence 0 would mark the store as fresh.
  await replaceStore({ ...deps, layout }, { sequence: 1, epoch: 1, writtenAt, tables });
  const { recovered } = await inspect(deps.disk, layout);
  assertSame(digestRows(listRows(recovered.base)), expected);
  return expected;
}

function materialize(rows: ReadonlyMap<string, Iterable<StoredRow>>): Map<string, readonly StoredRow[]> {
  return new Map([...rows].map(([name, table]) => [name, [...table]]));
}

function assertSame(written: RowsDigest, expected: RowsDigest): void {
  if (written.digest !== expected.digest)
    throw new StoreOpenError('io', 'The copy differs from its source. Do not use it, and report this as a bug.');
}
