/** What applies of a set made on a server: a private file of lines in the user's state folder, one for each thing. */
import { createHash } from 'node:crypto';
import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { jsonText } from '../runtime/control-characters.ts';
import { readIfThere } from '../runtime/files.ts';
import type { Environment } from '../runtime/io.ts';
import { stateFolder } from '../runtime/state-folder.ts';
import type { Made } from './pruning.ts';

type Variables = Environment['variables'];

/** Where the record of a set on a server is kept. Not the cache: what is lost there can't be made again. */
export function recordPath(baseUrl: string, set: string, variables: Variables): string {
  const server = createHash('sha256').update(baseUrl.replace(/\/+$/, '')).digest('hex').slice(0, 16);
  return path.join(stateFolder(variables), 'sets', `${set}-${server}.jsonl`);
}

interface Line extends Made {
  readonly what: 'made' | 'gone';
}

/** Everything that was made and not removed since. Lines that a broken write left half are passed over. */
export async function readRecord(file: string): Promise<Made[]> {
  const found = new Map<string, Made>();
  for (const text of ((await readIfThere(file)) ?? '').split('\n')) {
    const line = parsed(text);
    if (!line) continue;
    const { what, kind, id, name } = line;
    if (what === 'made') found.set(`${kind} ${id}`, { kind, id, name });
    else found.delete(`${kind} ${id}`);
  }
  return [...found.values()];
}

function parsed(text: string): Line | undefined {
  try {
    const value = JSON.parse(text) as Partial<Line> | null;
    return typeof value?.id === 'string' && typeof value.kind === 'string' ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}

/** Adds a line for each. One write for a call, so that an interruption loses nothing that came before. */
export async function addToRecord(file: string, what: Line['what'], things: readonly Made[]): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const lines = things.map((thing) => `${jsonText({ what, ...thing })}\n`);
  await appendFile(file, lines.join(''), { mode: 0o600 });
}
