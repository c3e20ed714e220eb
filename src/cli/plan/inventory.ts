/** Inventory of the resources created by applies of a set: a private JSON lines file in the user's state folder. */
import { createHash } from 'node:crypto';
import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from '../errors.ts';
import { jsonText } from '../io/control-characters.ts';
import { unwritableFileError } from '../io/file-errors.ts';
import type { Environment } from '../io/io.ts';
import { readFileIfExists } from '../io/private-files.ts';
import { getUserFile } from '../io/user-folders.ts';

type Variables = Environment['variables'];

/** A resource created by an apply, identified by its id; memberships by group and member. */
export interface ManagedResource {
  readonly kind: 'group' | 'client' | 'apiKey' | 'corporateGroup' | 'membership';
  readonly id: string;
  readonly name: string;
}

/** @throws CliError (exit 2) if a name, also one of a saved plan, would name a file in another folder */
export function assertSetName(set: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(set))
    throw usageError('A set name must have 1 to 64 letters, digits and . _ -');
}

/** Returns the path of a set's inventory. It is not in the cache, because it cannot be rebuilt. */
export function getInventoryPath(baseUrl: string, set: string, variables: Variables): string {
  assertSetName(set);
  const server = createHash('sha256').update(baseUrl.replace(/\/+$/, '')).digest('hex').slice(0, 16);
  return getUserFile(variables, 'state', 'sets', `${set}-${server}.jsonl`);
}

interface InventoryEntry extends ManagedResource {
  readonly what: 'made' | 'gone';
}

/** Returns the recorded resources that were not deleted since. Skips partial lines of interrupted writes. */
export async function readInventory(file: string): Promise<ManagedResource[]> {
  const managed = new Map<string, ManagedResource>();
  for (const text of ((await readFileIfExists(file)) ?? '').split('\n')) {
    const line = parseInventoryEntry(text);
    if (!line) continue;
    const { what, kind, id, name } = line;
    if (what === 'made') managed.set(`${kind} ${id}`, { kind, id, name });
    else managed.delete(`${kind} ${id}`);
  }
  return [...managed.values()];
}

function parseInventoryEntry(text: string): InventoryEntry | undefined {
  try {
    const value = JSON.parse(text) as Partial<InventoryEntry> | null;
    return typeof value?.id === 'string' && typeof value.kind === 'string' ? (value as InventoryEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** Appends one line per resource in a single write. */
export async function appendToInventory(
  file: string,
  what: InventoryEntry['what'],
  resources: readonly ManagedResource[],
): Promise<void> {
  const lines = resources.map((resource) => `${jsonText({ what, ...resource })}\n`);
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await appendFile(file, lines.join(''), { mode: 0o600 });
  } catch (error) {
    throw unwritableFileError(file, error);
  }
}
