/** Short-lived cache of names from the server: one private file per server and caller. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { maxTextBytes, readTextFileSync } from '../../lib/text-file.ts';
import type { Environment } from '../io/io.ts';
import { findUserFile } from '../io/user-folders.ts';
import type { TableRow } from '../output/table.ts';

/** Milliseconds until a cached list expires. */
export const cacheTtlMs = 30_000;

/** Max characters of one file, and max number of files. */
export const maxFileLength = 500_000;
export const maxFiles = 16;

interface Entry {
  readonly at: number;
  readonly rows: readonly TableRow[];
}

export interface NameCache {
  /** Returns the rows of a list; undefined if not cached or expired. */
  read(list: string): readonly TableRow[] | undefined;
  /** Stores the rows of a list. Write errors are ignored. */
  write(list: string, rows: readonly TableRow[]): void;
}

/** Creates the cache of a caller and server, identified by `owner`. */
export function createNameCache(owner: readonly unknown[], { variables, now, random }: Environment): NameCache {
  const key = createHash('sha256').update(JSON.stringify(owner)).digest('hex').slice(0, 32);
  const file = findUserFile(variables, 'cache', ['completion', `${key}.json`]);
  if (file === undefined) return { read: () => undefined, write: () => undefined };
  const folder = path.dirname(file);
  return {
    read: (list) => readFreshEntries(file, now())[list]?.rows,
    write: (list, rows) => {
      const text = serializeEntries({ ...readFreshEntries(file, now()), [list]: { at: now(), rows } }, list);
      if (text !== undefined) replaceCacheFile(folder, file, text, random);
    },
  };
}

/** The unexpired lists of a file; empty if the file is damaged. */
function readFreshEntries(file: string, now: number): Readonly<Record<string, Entry>> {
  try {
    const entries = Object.entries(JSON.parse(readTextFileSync(file, maxTextBytes)) as Record<string, Entry>);
    return Object.fromEntries(entries.filter(([, { at, rows }]) => now >= at && now - at < cacheTtlMs && isRows(rows)));
  } catch {
    return {};
  }
}

function isRows(rows: unknown): boolean {
  return Array.isArray(rows) && rows.every((row) => typeof row === 'object' && row !== null);
}

/** Serializes the list with the others, alone if that is too long, or not at all. */
function serializeEntries(entries: Readonly<Record<string, Entry>>, list: string): string | undefined {
  return [entries, { [list]: entries[list] }]
    .map((one) => JSON.stringify(one))
    .find(({ length }) => length <= maxFileLength);
}

/** Not flushed: losing the cache is harmless, and the user is waiting. */
function replaceCacheFile(folder: string, file: string, text: string, random: () => number): void {
  const temporary = `${file}.${random().toString(36).slice(2)}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (readdirSync(folder).length >= maxFiles) for (const name of readdirSync(folder)) removeCacheFile(folder, name);
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    removeCacheFile(path.dirname(temporary), path.basename(temporary));
  }
}

/** Errors are ignored: a folder that is not writable has no cache to remove. */
function removeCacheFile(folder: string, name: string): void {
  try {
    rmSync(path.join(folder, name), { force: true });
  } catch {}
}
