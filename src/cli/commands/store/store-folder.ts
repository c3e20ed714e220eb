/** Shared by the `iam store` commands: the store folder, the offline store API and its errors. */
import path from 'node:path';
import type { OfflineStore } from '../../../server/store/maintenance/offline-store.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { CliError, usageError } from '../../errors.ts';

/** The exit code for a damaged store. */
export const damagedExitCode = 14;

export const dataOption = ['--data <folder>', 'store folder, as in `iam serve --data`'] as const;

/** Returns the folder of --data, or the default folder of `iam serve`. */
export function resolveStoreFolder({ manifest, environment }: Context, { data }: CommandOptions): string {
  const setting = manifest.settings.find(({ name }) => name === 'data');
  return path.resolve(String(data ?? (environment.variables[setting?.environment ?? ''] || setting?.default)));
}

/** Runs `work` with the offline store API of the server. @throws CliError if the store cannot be opened */
export async function withOfflineStore<Result>(work: (store: OfflineStore) => Promise<Result>): Promise<Result> {
  const offline = await import('../../../server/store/maintenance/open-offline-store.ts');
  try {
    return await work(await offline.openOfflineStore());
  } catch (error) {
    if (error instanceof offline.SettingError) throw usageError(`${error.message}.`);
    if (!(error instanceof offline.StoreOpenError)) throw error;
    const code = `STORE_${error.kind.toUpperCase().replaceAll('-', '_')}`;
    throw new CliError(error.message, { code, exitCode: offline.openExitCodes[error.kind] });
  }
}

/** Formats row counts by table; empty tables are omitted. */
export function formatRowCounts(tables: Readonly<Record<string, number>>): string {
  const nonEmpty = Object.entries(tables).filter(([, rows]) => rows > 0);
  return nonEmpty.length === 0 ? 'none' : nonEmpty.map(([table, rows]) => `${table} ${rows}`).join(', ');
}
