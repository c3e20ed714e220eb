/** Servers in the background: a private file for each, which says what was started and how to find it again. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../../runtime/io.ts';
import { readFileIfExists, replacePrivateFile } from '../../runtime/private-files.ts';
import { getStateFolder } from '../../runtime/state-folder.ts';
import { readProcessIdentity } from './processes.ts';

type Variables = Environment['variables'];

export interface ServerRecord {
  /** One server for each store, and one in memory. */
  readonly name: string;
  readonly pid: number;
  /** Tells its process from a later one with the same number. */
  readonly identity: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly url: string;
  /** Folder of its store; none where it is in memory. */
  readonly data?: string | undefined;
  readonly log: string;
  /** Profile that has the credentials of its administrator. */
  readonly profile?: string | undefined;
  /** It was stopped, and did not end by itself. */
  readonly stopped?: boolean;
}

/** What a server is called: by the folder of its store, of which there may be several with the same last word. */
export function serverNameOf(data: string | undefined): string {
  if (data === undefined) return 'memory';
  const word = path.basename(data).replaceAll(/[^A-Za-z0-9_-]/g, '') || 'store';
  return `${word.slice(0, 40)}-${createHash('sha256').update(data).digest('hex').slice(0, 8)}`;
}

/** Where what belongs to a server of that name is kept. */
export function getServerFile(name: string, kind: 'json' | 'log' | 'lock', variables: Variables): string {
  return path.join(getStateFolder(variables), 'servers', `${name}.${kind}`);
}

/** All that were ever started and not written over; the last started first. */
export async function readServerRecords(variables: Variables): Promise<ServerRecord[]> {
  const folder = path.dirname(getServerFile('any', 'json', variables));
  const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.json'));
  const texts = await Promise.all(files.map((file) => readFileIfExists(path.join(folder, file))));
  return texts.flatMap((text) => parseRecord(text)).sort((one, other) => other.startedAt - one.startedAt);
}

/** A file that somebody damaged tells of no server: none is ended on its word. */
function parseRecord(text = ''): ServerRecord[] {
  try {
    const value = JSON.parse(text) as Partial<ServerRecord> | null;
    const isSound = Number.isSafeInteger(value?.pid) && Number(value?.pid) > 1 && typeof value?.identity === 'string';
    return isSound && typeof value.name === 'string' ? [value as ServerRecord] : [];
  } catch {
    return [];
  }
}

/** Keeps a record in the place of the one before. */
export async function writeServerRecord(record: ServerRecord, variables: Variables): Promise<void> {
  await replacePrivateFile(getServerFile(record.name, 'json', variables), `${JSON.stringify(record, null, 2)}\n`);
}

/** Whether the very process that was started is there. */
export async function isServerRunning({ pid, identity, stopped }: ServerRecord): Promise<boolean> {
  return stopped !== true && (await readProcessIdentity(pid)) === identity;
}

/** Those that run. */
export async function listRunningServers(variables: Variables): Promise<ServerRecord[]> {
  const records = await readServerRecords(variables);
  const states = await Promise.all(records.map(isServerRunning));
  return records.filter((_, at) => states[at]);
}

/** Whether a server is meant by what was typed: its name, its URL, its port or the folder of its store. */
export function matchesServer({ name, url, data }: ServerRecord, reference: string): boolean {
  const known = [name, url, new URL(url).port];
  return known.includes(reference.replace(/\/+$/, '')) || (data !== undefined && data === path.resolve(reference));
}
