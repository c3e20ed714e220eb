/** Shared by the `iam store` commands: the store folder, the offline store API and its errors. */
import path from 'node:path';
import { singleQuote } from '../../../lib/shell-variables.ts';
import type { OfflineStore } from '../../../server/store/maintenance/offline-store.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { type FactTable, formatFactTable } from '../../request/confirm.ts';
import { convertStoreErrors } from './store-errors.ts';

export const damagedExitCode = 14;

export const dataOption = ['--data <folder>', 'store folder, as in `iam serve --data`'] as const;

/** Returns the folder of --data, or the default folder of `iam serve`. */
export function resolveStoreFolder({ manifest, environment }: Context, { data }: CommandOptions): string {
  const setting = manifest.settings.find(({ name }) => name === 'data');
  return path.resolve(String(data ?? (environment.variables[setting?.environment ?? ''] || setting?.default)));
}

/** The option that names this folder, for a command of a hint. */
export const dataWords = (folder: string): string => `--data ${singleQuote(folder)}`;

/** Runs `work` with the offline store API of the server. @throws CliError if the store cannot be opened */
export async function withOfflineStore<Result>(
  { environment }: Context,
  work: (store: OfflineStore) => Promise<Result>,
): Promise<Result> {
  const server = await import('../../../server/store/maintenance/open-offline-store.ts');
  const usageErrors = [server.SettingError];
  return convertStoreErrors(async () => work(await server.openOfflineStore(environment.variables)), {
    ...server,
    usageErrors,
  });
}

/** Prints a value for programs, and notices for people. */
export async function printOrNotice(
  { printer, notice }: Context,
  value: object,
  texts: readonly (string | FactTable)[],
): Promise<void> {
  if (!printer.isForPeople) return printer.value(value);
  const lines = texts.map((text) => (typeof text === 'string' ? [text] : formatFactTable(text)));
  notice(...(await Promise.all(lines)).flat());
}

/** The row counts by table, without empty tables. */
export function listNonEmpty(tables: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(tables).filter(([, rows]) => rows > 0));
}

/** Formats row counts by table; empty tables are omitted. */
export function formatRowCounts(tables: Readonly<Record<string, number>>): string {
  const nonEmpty = Object.entries(listNonEmpty(tables));
  return nonEmpty.length === 0 ? 'none' : nonEmpty.map(([table, rows]) => `${table} ${rows}`).join(', ');
}
