/** What the commands of `iam store` share: the folder, the tools that work on its files, and their refusals. */
import path from 'node:path';
import type { StoreTools } from '../../server/store/json/offline.ts';
import type { Options } from '../leaf.ts';
import type { Context } from '../runtime/context.ts';
import { CliError } from '../runtime/failures.ts';
import type { StoreModule } from '../runtime/io.ts';
import { loadServer } from '../runtime/server-module.ts';

export const dataOption = ['--data <folder>', 'folder of the store, as of `iam serve --data`'] as const;

/** The folder that was named, or else the one that `iam serve` would take. */
export function folderOf({ manifest, environment }: Context, { data }: Options): string {
  const setting = manifest.settings.find(({ name }) => name === 'data');
  return path.resolve(String(data ?? (environment.variables[setting?.environment ?? ''] || setting?.default)));
}

/** Runs `work` with the server's own tools for files of stores. */
export async function withTools<Result>(
  { environment }: Context,
  work: (tools: StoreTools) => Promise<Result>,
): Promise<Result> {
  const load = environment.storeTools ?? (async () => (await loadServer('storeTools')) as StoreModule);
  const { openStoreTools, openExitCodes } = await load();
  try {
    return await work(await openStoreTools());
  } catch (error) {
    throw asCliError(error, openExitCodes);
  }
}

/** The reason for not opening a store, with the exit code that `iam serve` has for it. */
function asCliError(error: unknown, exitCodes: Readonly<Record<string, number>>): unknown {
  if (!(error instanceof Error) || error.name !== 'StoreOpenError') return error;
  const { kind } = error as Error & { readonly kind: string };
  const code = `STORE_${kind.toUpperCase().replaceAll('-', '_')}`;
  return new CliError(error.message, { code, exitCode: exitCodes[kind] ?? 1 });
}

/** Rows by table, in a few words: those tables that have any. */
export function rowsText(tables: Readonly<Record<string, number>>): string {
  const some = Object.entries(tables).filter(([, rows]) => rows > 0);
  return some.length === 0 ? 'none' : some.map(([table, rows]) => `${table} ${rows}`).join(', ');
}
