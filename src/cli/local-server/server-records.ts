/** Records of background servers: one private file per server with its process, URL and log. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../io/io.ts';
import { readFileIfExists, replacePrivateFile } from '../io/private-files.ts';
import { isProcessRunning, type RecordedProcess } from '../io/processes.ts';
import { findUserFile, getUserFile } from '../io/user-folders.ts';

type Variables = Environment['variables'];

export type StoreKind = 'file' | 'memory' | 'postgres';

export interface ServerRecord extends RecordedProcess {
  /** Unique per store folder; one name for all servers without a folder and with the same kind of store. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly url: string;
  readonly store: StoreKind;
  /** Store folder; present if the store is in files. */
  readonly data?: string | undefined;
  readonly log: string;
  /** Profile that contains the administrator's credentials. */
  readonly profile?: string | undefined;
  /** Stopped by `iam server stop`, in contrast to an unexpected exit. */
  readonly stopped?: boolean;
}

/** Returns the path of a server's record, log or lock file. */
export function getServerFile(name: string, kind: 'json' | 'log' | 'lock', variables: Variables): string {
  return getUserFile(variables, 'state', 'servers', `${name}.${kind}`);
}

/** Returns all records, most recently started first. */
export async function readServerRecords(variables: Variables): Promise<ServerRecord[]> {
  const folder = findUserFile(variables, 'state', ['servers']);
  if (folder === undefined) return [];
  const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.json'));
  const texts = await Promise.all(
    files.map((file) => readFileIfExists(getUserFile(variables, 'state', 'servers', file))),
  );
  return texts.flatMap((text) => parseRecord(text)).sort((one, other) => other.startedAt - one.startedAt);
}

/** Ignores damaged files, so that a wrong PID is never signalled. */
function parseRecord(text = ''): ServerRecord[] {
  try {
    const value = JSON.parse(text) as Partial<ServerRecord> | null;
    const isValid = Number.isSafeInteger(value?.pid) && Number(value?.pid) > 1 && typeof value?.identity === 'string';
    return isValid && typeof value.name === 'string' ? [value as ServerRecord] : [];
  } catch {
    return [];
  }
}

/** Writes a record and replaces the previous one. */
export async function writeServerRecord(record: ServerRecord, variables: Variables): Promise<void> {
  await replacePrivateFile(getServerFile(record.name, 'json', variables), `${JSON.stringify(record, null, 2)}\n`);
}

/** Whether the recorded process is still running. */
export async function isServerRunning(record: ServerRecord): Promise<boolean> {
  return record.stopped !== true && (await isProcessRunning(record));
}

export async function listRunningServers(variables: Variables): Promise<ServerRecord[]> {
  const records = await readServerRecords(variables);
  const states = await Promise.all(records.map(isServerRunning));
  return records.filter((_, at) => states[at]);
}

/** Whether a reference (name, URL, port or store folder) matches a server. */
export function matchesServer({ name, url, data }: ServerRecord, reference: string): boolean {
  const known = [name, url, new URL(url).port];
  return known.includes(reference.replace(/\/+$/, '')) || (data !== undefined && data === path.resolve(reference));
}
