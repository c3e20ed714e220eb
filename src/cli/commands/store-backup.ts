/** `iam store backup` and `restore`. */
import path from 'node:path';
import type { Command } from 'commander';
import type { BackupInfo } from '../../server/store/json/backup.ts';
import { addCommand, type CommandOptions, setAction } from '../command.ts';
import { callControlPlane, controlPlaneNote } from '../control-plane.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { CliError, usageError } from '../runtime/errors.ts';
import { backupPath } from '../runtime/safety.ts';
import { assertConfirmed } from '../send.ts';
import { dataOption, formatRowCounts, resolveStoreFolder, withStoreTools } from './store-folder.ts';

/** Adds `store backup`. */
export function addStoreBackup(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'backup', {
    title: 'Writes everything into one file, of a running server or of a stopped one',
    description: `The file holds the signing keys: whoever has it can make tokens. It is made for its owner alone; keep it so. With --data it is made from the files of a store that no server has open. ${controlPlaneNote}`,
    effect: 'read',
    examples: [
      { title: 'Of the running server, every night under a new name', command: '--to /backups' },
      { title: 'Of a server that is stopped', command: '--to before-upgrade.json --data data/store' },
    ],
  })
    .option('--to <path>', 'file, which is replaced, or folder, in which a new file is made')
    .option(...dataOption);
  setAction(command, runtime, async (context, _, options) => {
    if (options.to === undefined)
      throw usageError('Where is the backup to go?', 'Name a file or a folder with --to PATH.');
    const to = path.resolve(String(options.to));
    const written = await (options.data === undefined ? backupServer(context, to) : backupFiles(context, options, to));
    if (!context.printer.isForPeople) return context.printer.value(written);
    context.printer.lines([written.file]);
    context.notice(`${formatFacts(written)}. It holds the signing keys: keep it as safe as the store.`);
  });
}

async function backupServer(context: Context, to: string) {
  const { body } = await callControlPlane(context, 'POST', backupPath);
  return withStoreTools(context, (tools) => tools.saveBackup(Buffer.from(String(body)), to));
}

function backupFiles(context: Context, options: CommandOptions, to: string) {
  return withStoreTools(context, (tools) => tools.backup(resolveStoreFolder(context, options), to));
}

function formatFacts({ sequence, writtenAt, tables }: BackupInfo): string {
  return `Commit ${sequence}, taken at ${writtenAt}; rows: ${formatRowCounts(tables)}`;
}

/** Adds `store restore`. */
export function addStoreRestore(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'restore', {
    title: 'Makes a store of a backup',
    description:
      'All of it or nothing, also where it is broken off. A damaged backup is refused, and a store that a server has open always is. With --force the files of a store that is there are set aside in its folder; none is deleted. What was locked, ended or revoked after the backup is in force again.',
    effect: 'destructive',
    examples: [
      { title: 'Into a new folder', command: 'backup.json --data data/restored' },
      {
        title: 'In the place of a store, in a script',
        command: 'backup.json --data data/store --force --confirm store',
      },
    ],
  })
    .argument('<file>', 'What `iam store backup` wrote')
    .option(...dataOption)
    .option('--force', 'set aside the store that is there');
  setAction(command, runtime, (context, [file], options) =>
    withStoreTools(context, async (tools) => {
      const [backup, folder] = [path.resolve(String(file)), resolveStoreFolder(context, options)];
      const facts = await tools.readBackup(backup);
      const isThere = await tools.holdsStore(folder);
      if (isThere && options.force !== true) throw storeExistsError(folder);
      if (options.dryRun === true)
        return printOrNotice(context, { folder, ...facts }, `Not done: ${formatFacts(facts)}.`);
      const severity = { requireName: true, name: path.basename(folder) };
      if (isThere) await assertConfirmed(context, `Set the store in ${folder} aside?`, options, false, severity);
      const { setAside } = await tools.restore(backup, folder, isThere);
      await printOrNotice(context, { folder, ...facts, setAside }, ...formatDone(folder, facts, setAside));
    }),
  );
}

function printOrNotice(context: Context, value: object, ...lines: readonly string[]): Promise<void> | void {
  return context.printer.isForPeople ? context.notice(...lines) : context.printer.value(value);
}

function formatDone(folder: string, facts: BackupInfo, setAside: readonly string[]): string[] {
  const aside = setAside.length === 0 ? [] : [`What was there is kept beside it: ${setAside.join(', ')}.`];
  return [`Restored ${folder}. ${formatFacts(facts)}.`, ...aside];
}

function storeExistsError(folder: string): CliError {
  return new CliError(`${folder} holds a store already; nothing was changed.`, {
    code: 'STORE_EXISTS',
    exitCode: 6,
    hint: 'Name another folder with --data, or set that store aside with --force.',
  });
}
