/** What the commands of `iam store` share: the folder, the tools that work on its files, and their refusals. */
import path from 'node:path';
import type { OfflineStore } from '../../server/store/json/offline-store.ts';
import type { CommandOptions } from '../command.ts';
import type { Context } from '../runtime/context.ts';
import { CliError } from '../runtime/errors.ts';
import type { StoreModule } from '../runtime/io.ts';
import { loadServerModule } from '../runtime/server-module.ts';

export const dataOption = ['--data <folder>', 'folder of the store, as of `iam serve --data`'] as const;

/** The folder that was named, or else the one that `iam serve` would take. */
export function resolveStoreFolder({ manifest, environment }: Context, { data }: CommandOptions): string {
  const setting = manifest.settings.find(({ name }) => name === 'data');
  return path.resolve(String(data ?? (environment.variables[setting?.environment ?? ''] || setting?.default)));
}

/** Runs `work` with the server's own tools for files of stores. */
export async function withStoreTools<Result>(
  { environment }: Context,
  work: (tools: OfflineStore) => Promise<Result>,
): Promise<Result> {
  const load = environment.storeTools ?? (async () => (await loadServerModule('storeTools')) as StoreModule);
  const { openStoreTools, openExitCodes } = await load();
  try {
    return await work(await openStoreTools());
  } catch (error) {
    throw toCliError(error, openExitCodes);
  }
}

/** The reason for not opening a store, with the exit code that `iam serve` has for it. */
function toCliError(error: unknown, exitCodes: Readonly<Record<string, number>>): unknown {
  if (!(error instanceof Error) || error.name !== 'StoreOpenError') return error;
  const { kind } = error as Error & { readonly kind: string };
  const code = `STORE_${kind.toUpperCase().replaceAll('-', '_')}`;
  return new CliError(error.message, { code, exitCode: exitCodes[kind] ?? 1 });
}

/** Rows by table, in a few words: those tables that have any. */
export function formatRowCounts(tables: Readonly<Record<string, number>>): string {
  const some = Object.entries(tables).filter(([, rows]) => rows > 0);
  return some.length === 0 ? 'none' : some.map(([table, rows]) => `${table} ${rows}`).join(', ');
}
