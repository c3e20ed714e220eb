/** Names from the server, kept for some seconds so that the next key finds them at once: a private file for each server and caller. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../runtime/io.ts';
import { getUserFolder } from '../runtime/profile.ts';
import type { Row } from './rows.ts';

/** Milliseconds for which a list is taken as it was. */
export const cacheTtlMs = 30_000;

/** Most that one file may hold, in characters, and how many files there may be. */
export const maxFileLength = 500_000;
export const maxFiles = 16;

interface Entry {
  readonly at: number;
  readonly rows: readonly Row[];
}

export interface NameCache {
  /** The rows of a list, where they are fresh. */
  read(list: string): readonly Row[] | undefined;
  /** Keeps the rows of a list. What can't be written is asked for again. */
  write(list: string, rows: readonly Row[]): void;
}

/** The cache of one caller of one server, whom `owner` tells from all others. */
export function createNameCache(owner: readonly unknown[], { variables, now, random }: Environment): NameCache {
  const key = createHash('sha256').update(JSON.stringify(owner)).digest('hex').slice(0, 32);
  const folder = path.join(getUserFolder(variables, 'cache'), 'completion');
  const file = path.join(folder, `${key}.json`);
  return {
    read: (list) => readFreshEntries(file, now())[list]?.rows,
    write: (list, rows) => {
      const text = serializeEntries({ ...readFreshEntries(file, now()), [list]: { at: now(), rows } }, list);
      if (text !== undefined) replaceCacheFile(folder, file, text, random);
    },
  };
}

/** All that one file holds and that still counts; nothing where it was damaged. */
function readFreshEntries(file: string, now: number): Readonly<Record<string, Entry>> {
  try {
    const entries = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Entry>);
    return Object.fromEntries(entries.filter(([, { at, rows }]) => now >= at && now - at < cacheTtlMs && isRows(rows)));
  } catch {
    return {};
  }
}

function isRows(rows: unknown): boolean {
  return Array.isArray(rows) && rows.every((row) => typeof row === 'object' && row !== null);
}

/** With all others, alone where that is too much, not at all where even that is. */
function serializeEntries(entries: Readonly<Record<string, Entry>>, list: string): string | undefined {
  return [entries, { [list]: entries[list] }]
    .map((one) => JSON.stringify(one))
    .find(({ length }) => length <= maxFileLength);
}

/** Unlike a token this may be lost with the power, so it is not flushed: somebody is waiting. */
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

/** Where nothing can be written, nothing has to be removed either. */
function removeCacheFile(folder: string, name: string): void {
  try {
    rmSync(path.join(folder, name), { force: true });
  } catch {}
}
