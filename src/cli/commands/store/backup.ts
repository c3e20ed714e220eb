/** `iam store backup` and `iam store restore`. */
import path from 'node:path';
import type { Command } from 'commander';
import type { BackupInfo } from '../../../server/store/maintenance/backup.ts';
import type { BackupTarget, OfflineStore } from '../../../server/store/maintenance/offline-store.ts';
import { addCommand, setAction } from '../../command.ts';
import { backupPath } from '../../config/safety.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { CliError, usageError } from '../../errors.ts';
import { assertConfirmed, type FactTable } from '../../request/confirm.ts';
import { callControlPlane, controlPlaneNote } from '../../request/control-plane.ts';
import { backupExistsError, resolveBackupTarget } from './backup-target.ts';
import {
  dataOption,
  formatRowCounts,
  listNonEmpty,
  printOrNotice,
  resolveStoreFolder,
  withOfflineStore,
} from './store-folder.ts';

export function addStoreBackup(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'backup', {
    title: 'Back up a store to one file',
    description: `Backs up a running server, or with --data the files of a store that no server has open. The backup contains the signing keys, which can be used to forge tokens; it is created with owner-only permissions. In a folder, the file is named by the time in UTC, such as iam-20261122T231500Z.json; a folder that does not exist is created if the path ends with a slash. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Back up the running server to a new file in a folder', command: '--to /backups/' },
      { title: 'Back up a stopped server', command: '--to before-upgrade.json --data data/store' },
      { title: 'Replace the previous backup', command: '--to latest.json --force' },
    ],
  })
    .option('--to <path>', 'output file, or folder for a new file')
    .option('--force', 'replace an existing file')
    .option(...dataOption);
  setAction(command, runtime, async (context, _, options) => {
    if (options.to === undefined)
      throw usageError('--to is required.', 'Name a file or folder for the backup with --to PATH.');
    const now = context.environment.now();
    const target = await resolveBackupTarget(String(options.to), now, options.force === true);
    const written = await (options.data === undefined
      ? backupServer(context, target)
      : backupFiles(context, options, target));
    if (!context.printer.isForPeople) return context.printer.value(written);
    context.printer.lines([written.file]);
    context.notice(`${formatFacts(written)}. The backup contains the signing keys: protect it like the store.`);
  });
}

async function backupServer(context: Context, target: BackupTarget) {
  const { body } = await callControlPlane(context, 'POST', backupPath);
  return saveBackup(context, target, (store) => store.saveBackup(Buffer.from(String(body)), target));
}

function backupFiles(context: Context, options: CommandOptions, target: BackupTarget) {
  return saveBackup(context, target, (store) => store.backup(resolveStoreFolder(context, options), target));
}

/** Also reports a file that another process created since the check. */
async function saveBackup<File>(
  context: Context,
  target: BackupTarget,
  save: (store: OfflineStore) => Promise<File | undefined>,
): Promise<File> {
  const written = await withOfflineStore(context, save);
  if (written === undefined) throw backupExistsError(target.file);
  return written;
}

function formatFacts({ sequence, writtenAt, tables }: BackupInfo): string {
  return `Commit ${sequence}, written at ${writtenAt}; rows: ${formatRowCounts(tables)}`;
}

export function addStoreRestore(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'restore', {
    title: 'Restore a store from a backup',
    description:
      'The restore is atomic, even if it is interrupted. Damaged backups and stores that a server has open are rejected. With --force, the files of an existing store are quarantined in its folder; none are deleted. Locks, session ends and revocations after the backup are undone.',
    effect: 'destructive',
    examples: [
      { title: 'Restore to a new folder', command: 'backup.json --data data/restored' },
      {
        title: 'Replace an existing store in a script',
        command: 'backup.json --data data/store --force --confirm store',
      },
    ],
  })
    .argument('<file>', 'Backup file')
    .option(...dataOption)
    .option('--force', 'quarantine the files of an existing store');
  setAction(command, runtime, (context, [file], options) =>
    withOfflineStore(context, async (store) => {
      const folder = resolveStoreFolder(context, options);
      const backup = await store.readBackup(path.resolve(String(file)));
      const facts = backup.info;
      const exists = await store.holdsStore(folder);
      if (exists && options.force !== true) throw storeExistsError(folder);
      const found = [...(exists ? [await describeReplaced(store, folder)] : []), describeBackup(facts)];
      if (options.dryRun === true)
        return printOrNotice(context, { folder, ...facts }, [...found, 'Dry run, nothing was changed.']);
      const question = `Quarantine the store in ${folder} and restore the backup?`;
      if (exists)
        await assertConfirmed(context, question, options, false, {
          ...{ requireName: true, name: path.basename(folder) },
          details: async () => found,
        });
      const { setAside } = await store.restore(backup, folder, exists);
      await printOrNotice(context, { folder, ...facts, setAside }, formatDone(folder, facts, setAside));
    }),
  );
}

/** What a restore replaces; a damaged store may have no readable figures. */
async function describeReplaced(store: OfflineStore, folder: string): Promise<FactTable> {
  const { sequence, tables = {}, sound } = await store.verify(folder);
  return {
    heading: `The store in ${folder}${sound ? '' : ' (damaged)'} contains:`,
    facts: sequence === undefined ? { rows: 'unknown (not readable)' } : { commit: sequence, ...listNonEmpty(tables) },
  };
}

function describeBackup({ sequence, writtenAt, tables }: BackupInfo): FactTable {
  return { heading: 'The backup contains:', facts: { commit: sequence, writtenAt, ...listNonEmpty(tables) } };
}

function formatDone(folder: string, { sequence }: BackupInfo, setAside: readonly string[]): string[] {
  const quarantined = setAside.length === 0 ? [] : [`Quarantined the previous files: ${setAside.join(', ')}.`];
  return [`Restored commit ${sequence} to ${folder}.`, ...quarantined];
}

function storeExistsError(folder: string): CliError {
  return new CliError(`${folder} already contains a store. Nothing was changed.`, {
    code: 'STORE_EXISTS',
    exitCode: 6,
    hint: 'Name another folder with --data, or quarantine the existing store with --force.',
  });
}
