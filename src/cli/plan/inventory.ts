/** Record of the resources created by applies of a set: a private JSON lines file in the user's state folder. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { CliError, usageError } from '../errors.ts';
import { AppendFile } from '../io/append-file.ts';
import { jsonText } from '../io/control-characters.ts';
import { unwritableFileError } from '../io/file-errors.ts';
import type { Environment } from '../io/io.ts';
import { flushFolder, readFileIfExists, withFileLock } from '../io/private-files.ts';
import { getUserFile } from '../io/user-folders.ts';

type Variables = Environment['variables'];

type ManagedKind = 'group' | 'client' | 'apiKey' | 'corporateGroup' | 'customer' | 'membership';

/** A resource created by an apply, identified by its id; memberships by group and member. */
export interface ManagedResource {
  readonly kind: ManagedKind;
  readonly id: string;
  readonly name: string;
  /** The group of a membership. */
  readonly groupName?: string | undefined;
}

/** A creation whose request may have been sent, and whose outcome is not known. */
export interface PendingCreation {
  readonly kind: ManagedKind;
  /** What identifies the resource before it has an id; the id of a membership. */
  readonly key: string;
  readonly name: string;
  readonly groupName?: string | undefined;
  /** The fields of the request, to recognize the resource. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** It was found, but not as it was sent: another writer may have created it. */
  readonly unclear?: true;
}

/** What the record of a set says. */
export interface Inventory {
  readonly managed: readonly ManagedResource[];
  readonly pending: readonly PendingCreation[];
}

export const emptyInventory: Inventory = { managed: [], pending: [] };

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

/**
 * Runs an apply of a set while no other one of this user runs: each would send what the other one has just created, and note
 * what became of the requests of the other one.
 * @throws CliError (exit 75) if another one still runs after the time to wait
 */
export function withInventoryLock<Result>(
  file: string | undefined,
  milliseconds: number,
  work: () => Promise<Result>,
): Promise<Result> {
  if (file === undefined) return work();
  const lockFile = `${file}.lock`;
  const createError = () =>
    new CliError(`Another apply of this set is running: it holds ${lockFile}. Nothing was changed.`, {
      code: 'SET_IN_USE',
      exitCode: 75,
      hint: `Run the command again when the other one has ended${milliseconds > 0 ? '' : ', or wait for it with --max-wait SECONDS'}.`,
    });
  return withFileLock(lockFile, work, { milliseconds, createError });
}

/** A line of the record. */
export type InventoryEntry =
  /** The request is about to be sent. */
  | ({ readonly what: 'pending' } & PendingCreation)
  /** It was created, by the pending creation with this key. */
  | ({ readonly what: 'made'; readonly key: string } & ManagedResource)
  /** Nothing was created. */
  | { readonly what: 'dropped'; readonly kind: ManagedKind; readonly key: string }
  | ({ readonly what: 'gone' } & ManagedResource);

/** Reads the record. Skips partial lines of interrupted writes. */
export async function readInventory(file: string): Promise<Inventory> {
  const managed = new Map<string, ManagedResource>();
  const pending = new Map<string, PendingCreation>();
  for (const text of ((await readFileIfExists(file)) ?? '').split('\n')) {
    const entry = parseInventoryEntry(text);
    if (!entry) continue;
    const { kind } = entry;
    if (entry.what === 'pending') {
      const { what: _, ...creation } = entry;
      pending.set(`${kind} ${entry.key}`, creation);
    } else if (entry.what === 'made') {
      const { id, name, groupName } = entry;
      managed.set(`${kind} ${id}`, { kind, id, name, ...(groupName === undefined ? {} : { groupName }) });
    } else if (entry.what === 'gone') managed.delete(`${kind} ${entry.id}`);
    if (entry.what === 'made' || entry.what === 'dropped') pending.delete(`${kind} ${entry.key}`);
  }
  return { managed: [...managed.values()], pending: [...pending.values()] };
}

function parseInventoryEntry(text: string): InventoryEntry | undefined {
  try {
    const value = JSON.parse(text) as InventoryEntry | null;
    return typeof value?.kind === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The record of a set, open for an apply. */
export interface InventoryLog {
  /** Returns when the entries are durable. */
  append(...entries: readonly InventoryEntry[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens the record of a set; without a file nothing is recorded. @throws CliError if it cannot be written */
export async function openInventory(file: string | undefined): Promise<InventoryLog> {
  if (file === undefined) return { append: async () => undefined, close: async () => undefined };
  const log = await openLog(file);
  return {
    append: async (...entries) => {
      if (entries.length > 0) await log.append(entries.map((entry) => `${jsonText(entry)}\n`).join(''));
    },
    close: () => log.close(),
  };
}

async function openLog(file: string): Promise<AppendFile> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const log = await AppendFile.open(file, 'a');
    await flushFolder(path.dirname(file));
    // Ends the partial line of an interrupted write.
    await log.append('\n');
    return log;
  } catch (error) {
    throw error instanceof CliError ? error : unwritableFileError(file, error);
  }
}
