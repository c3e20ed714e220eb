/** What applies of a set made on a server: a private file of lines in the user's state folder, one for each thing. */
import { createHash } from 'node:crypto';
import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { jsonText } from '../runtime/control-characters.ts';
import type { Environment } from '../runtime/io.ts';
import { readFileIfExists } from '../runtime/private-files.ts';
import { getStateFolder } from '../runtime/state-folder.ts';
import type { ManagedResource } from './prune.ts';

type Variables = Environment['variables'];

/** Where the record of a set on a server is kept. Not the cache: what is lost there can't be made again. */
export function buildRecordPath(baseUrl: string, set: string, variables: Variables): string {
  const server = createHash('sha256').update(baseUrl.replace(/\/+$/, '')).digest('hex').slice(0, 16);
  return path.join(getStateFolder(variables), 'sets', `${set}-${server}.jsonl`);
}

interface RecordLine extends ManagedResource {
  readonly what: 'made' | 'gone';
}

/** Everything that was made and not removed since. Lines that a broken write left half are passed over. */
export async function readRecord(file: string): Promise<ManagedResource[]> {
  const managed = new Map<string, ManagedResource>();
  for (const text of ((await readFileIfExists(file)) ?? '').split('\n')) {
    const line = parseRecordLine(text);
    if (!line) continue;
    const { what, kind, id, name } = line;
    if (what === 'made') managed.set(`${kind} ${id}`, { kind, id, name });
    else managed.delete(`${kind} ${id}`);
  }
  return [...managed.values()];
}

function parseRecordLine(text: string): RecordLine | undefined {
  try {
    const value = JSON.parse(text) as Partial<RecordLine> | null;
    return typeof value?.id === 'string' && typeof value.kind === 'string' ? (value as RecordLine) : undefined;
  } catch {
    return undefined;
  }
}

/** Adds a line for each. One write for a call, so that an interruption loses nothing that came before. */
export async function appendToRecord(
  file: string,
  what: RecordLine['what'],
  resources: readonly ManagedResource[],
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const lines = resources.map((resource) => `${jsonText({ what, ...resource })}\n`);
  await appendFile(file, lines.join(''), { mode: 0o600 });
}
