/** Named snapshots, in the memory of this process. */
import { apiError, detailedError } from '../../contract/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { DumpTables } from './dump.ts';

export interface Snapshot {
  readonly name: string;
  readonly createdAt: string;
  readonly rows: number;
}

export interface Snapshots {
  /** Ordered by name. */
  list(): readonly Snapshot[];
  /** @throws IamError SNAPSHOT_EXISTS, TOO_MANY_SNAPSHOTS. */
  assertRoom(name: string, replace: boolean): void;
  /** @throws IamError SNAPSHOT_EXISTS, TOO_MANY_SNAPSHOTS. */
  save(name: string, dump: DumpTables, replace: boolean): Snapshot;
  /** @param field the field of the request with the name, if it has several. @throws IamError SNAPSHOT_NOT_FOUND. */
  read(name: string, field?: string): DumpTables;
  /** @throws IamError SNAPSHOT_NOT_FOUND. */
  delete(name: string): void;
}

/** Limited, as each snapshot retains all rows that changed since. */
export const maxSnapshots = 50;

export function createSnapshots(clock: Clock): Snapshots {
  const snapshots = new Map<string, Snapshot & { readonly dump: DumpTables }>();

  function getSnapshot(name: string, field?: string) {
    const snapshot = snapshots.get(name);
    if (!snapshot) throw detailedError('SNAPSHOT_NOT_FOUND', { field });
    return snapshot;
  }

  function assertRoom(name: string, replace: boolean): void {
    if (snapshots.has(name)) {
      if (!replace) throw apiError('SNAPSHOT_EXISTS', `A snapshot ${JSON.stringify(name)} already exists.`);
    } else if (snapshots.size >= maxSnapshots) throw apiError('TOO_MANY_SNAPSHOTS');
  }

  return {
    list: () => [...snapshots.values()].map(toSnapshot).sort((a, b) => (a.name < b.name ? -1 : 1)),
    assertRoom,
    save(name, dump, replace) {
      assertRoom(name, replace);
      const rows = [...dump.values()].reduce((sum, table) => sum + table.length, 0);
      const snapshot = { name, createdAt: clock.now().toISOString(), rows, dump };
      snapshots.set(name, snapshot);
      return toSnapshot(snapshot);
    },
    read: (name, field) => getSnapshot(name, field).dump,
    delete: (name) => void snapshots.delete(getSnapshot(name).name),
  };
}

function toSnapshot({ name, createdAt, rows }: Snapshot): Snapshot {
  return { name, createdAt, rows };
}
