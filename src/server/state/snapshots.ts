/** States that were kept under a name. They live in the memory of this process, and no longer. */
import { fault } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';
import type { Image } from './image.ts';

export interface Snapshot {
  readonly name: string;
  readonly createdAt: string;
  /** How many rows it holds. */
  readonly rows: number;
}

export interface Snapshots {
  /** Ordered by name. */
  list(): readonly Snapshot[];
  /** @throws IamError SNAPSHOT_EXISTS, TOO_MANY_SNAPSHOTS. */
  requireRoom(name: string, replace: boolean): void;
  /** @throws IamError SNAPSHOT_EXISTS, TOO_MANY_SNAPSHOTS. */
  keep(name: string, image: Image, replace: boolean): Snapshot;
  /** @throws IamError SNAPSHOT_NOT_FOUND. */
  imageOf(name: string): Image;
  /** @throws IamError SNAPSHOT_NOT_FOUND. */
  delete(name: string): void;
}

/** Each holds on to every row that was changed since. */
export const mostSnapshots = 50;

export function createSnapshots(clock: Clock): Snapshots {
  const kept = new Map<string, Snapshot & { readonly image: Image }>();

  function found(name: string) {
    const snapshot = kept.get(name);
    if (!snapshot) throw fault('SNAPSHOT_NOT_FOUND');
    return snapshot;
  }

  function requireRoom(name: string, replace: boolean): void {
    if (kept.has(name)) {
      if (!replace) throw fault('SNAPSHOT_EXISTS');
    } else if (kept.size >= mostSnapshots) throw fault('TOO_MANY_SNAPSHOTS');
  }

  return {
    list: () => [...kept.values()].map(shown).sort((a, b) => (a.name < b.name ? -1 : 1)),
    requireRoom,
    keep(name, image, replace) {
      requireRoom(name, replace);
      const rows = [...image.values()].reduce((sum, table) => sum + table.length, 0);
      const snapshot = { name, createdAt: clock.now().toISOString(), rows, image };
      kept.set(name, snapshot);
      return shown(snapshot);
    },
    imageOf: (name) => found(name).image,
    delete: (name) => void kept.delete(found(name).name),
  };
}

function shown({ name, createdAt, rows }: Snapshot): Snapshot {
  return { name, createdAt, rows };
}
