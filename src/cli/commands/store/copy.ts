/** `iam store copy`: moves a store between a folder and a database. */
import path from 'node:path';
import type { Command } from 'commander';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { addDatabaseOptions, readDatabase } from './database-options.ts';
import { formatRowCounts, withOfflineStore } from './store-folder.ts';

const databaseWord = 'postgres';

export function addStoreCopy(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'copy', {
    title: 'Copy a store from a folder to PostgreSQL, or back',
    description:
      'Copies everything, also signing keys and sessions, so tokens stay valid. No server may use either store. The target must be empty: a folder without a store, or a schema without rows. An interrupted copy to a database leaves nothing behind. The word postgres stands for the database of --database-url, or of IAM_DATABASE_URL, which may contain a password.',
    effect: 'write',
    examples: [
      { title: 'Move to a database', command: '--from data/store --to postgres' },
      { title: 'Move back to a new folder', command: '--from postgres --to data/copied' },
    ],
  })
    .option('--from <store>', 'folder of a store, or postgres')
    .option('--to <store>', 'new folder, or postgres');
  addDatabaseOptions(command);
  setAction(command, runtime, (context, _, options) => copy(context, options));
}

async function copy(context: Context, options: CommandOptions): Promise<void> {
  const [from, to] = [options.from, options.to].map((value) => (value === undefined ? '' : String(value)));
  if (!from || !to || (from === databaseWord) === (to === databaseWord))
    throw usageError(
      '--from and --to are required; one is a folder, the other is postgres.',
      'For example: iam store copy --from data/store --to postgres',
    );
  const database = await readDatabase(context, options);
  const folder = path.resolve(from === databaseWord ? to : from);
  if (options.dryRun === true) return context.notice(`Dry run, nothing was changed: would copy ${from} to ${to}.`);
  const copied = await withOfflineStore(context, (store) =>
    from === databaseWord ? store.copyToFolder(database, folder) : store.copyToDatabase(folder, database),
  );
  if (!context.printer.isForPeople) return context.printer.value({ from, to, ...copied });
  context.notice(`Copied ${from} to ${to}. Rows: ${formatRowCounts(copied.tables)}. SHA-256 of both: ${copied.digest}`);
}
