/** `iam store`: verifies, repairs, backs up and restores store files. */
import path from 'node:path';
import type { Command } from 'commander';
import type { Repair } from '../../../server/store/maintenance/repair.ts';
import type { StoreReport } from '../../../server/store/maintenance/verify.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { escapeControls } from '../../io/control-characters.ts';
import { formatFields } from '../../output/table.ts';
import { assertConfirmed } from '../../request/send.ts';
import { addStoreBackup, addStoreRestore } from './backup.ts';
import { dataOption, formatRowCounts, resolveStoreFolder, withOfflineStore } from './store-folder.ts';

const damagedExitCode = 14;

/** Adds the `store` subcommands. */
export function addStore(noun: Command, runtime: CliRuntime): void {
  addVerifyCommand(noun, runtime);
  addRepairCommand(noun, runtime);
  addStoreBackup(noun, runtime);
  addStoreRestore(noun, runtime);
}

function addVerifyCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'verify', {
    title: 'Verify the files of a store',
    description:
      'Reads all files and writes nothing. No server may have the store open. Exits with 14 if any file is damaged, even if a server could still start.',
    effect: 'read',
    examples: [
      { title: 'Verify the default store', command: '' },
      { title: 'Verify another store and print JSON', command: '--data /var/lib/iam -o json' },
    ],
  }).option(...dataOption);
  setAction(command, runtime, async (context, _, options) => {
    const report = await withOfflineStore(context, (store) => store.verify(resolveStoreFolder(context, options)));
    if (context.printer.isForPeople) context.printer.lines(formatReport(report));
    else await context.printer.value(report);
    if (!report.sound) throw damagedError(report);
  });
}

function formatReport({ folder, formatVersion, sound, sequence, tables, files, notes }: StoreReport): string[] {
  const facts = {
    folder,
    format: formatVersion,
    intact: sound ? 'yes' : 'no',
    ...(sequence === undefined ? {} : { 'last commit': sequence, rows: formatRowCounts(tables ?? {}) }),
  };
  const width = Math.max(0, ...files.map(({ name }) => name.length));
  const lines = files.map(({ name, bytes, holds, damage }) => {
    const status = damage === undefined ? holds : `DAMAGED at byte ${damage.offset}: ${damage.what}`;
    return escapeControls(`${name.padEnd(width)}  ${String(bytes).padStart(10)} bytes  ${status}`);
  });
  return [...formatFields(facts), '', ...lines, ...notes.map((note) => `note: ${note}`)];
}

function damagedError({ folder, opens, refusal }: StoreReport): CliError {
  const message =
    refusal ?? `${folder} has damaged files, but their data is available in other files. No data is lost.`;
  const hint = opens
    ? 'A server can still open the store. Back it up now with `iam store backup --to FILE --data FOLDER`.'
    : 'Restore a backup with `iam store restore FILE --force`, or preview a repair with `iam store repair --dry-run`.';
  return new CliError(message, { code: 'STORE_DAMAGED', exitCode: damagedExitCode, hint });
}

function addRepairCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'repair', {
    title: 'Truncate a damaged store before the damage',
    description:
      'Restore a backup instead if you have one. All changes after the damage are lost, including readable ones, because they can depend on unreadable ones. No file is deleted; the previous files are quarantined in the folder.',
    effect: 'destructive',
    examples: [
      { title: 'Preview what is recovered and what is lost', command: '--data data/store --dry-run' },
      { title: 'Repair in a script', command: '--data data/store --accept-loss --confirm store' },
    ],
  })
    .option(...dataOption)
    .option('--accept-loss', 'accept the loss of data');
  setAction(command, runtime, (context, _, options) => repair(context, options));
}

async function repair(context: Context, options: CommandOptions): Promise<void> {
  const folder = resolveStoreFolder(context, options);
  const preview = await withOfflineStore(context, (store) => store.previewRepair(folder));
  if (preview === undefined) return printOrNotice(context, { folder }, [`${folder} is intact. Nothing to repair.`]);
  if (options.dryRun === true)
    return printOrNotice(context, { folder, ...preview }, [
      ...formatRepairPreview(preview),
      'Dry run, nothing was changed.',
    ]);
  if (options.acceptLoss !== true) throw lossNotAcceptedError(folder, preview);
  await assertConfirmed(context, `Truncate the store in ${folder}?`, options, false, {
    ...{ requireName: true, name: path.basename(folder) },
    details: async () => formatRepairPreview(preview),
  });
  const { setAside } = await withOfflineStore(context, (store) => store.repair(folder));
  const done = [
    ...formatRepairPreview(preview),
    `Repaired ${folder}. Quarantined the previous files: ${setAside.join(', ')}.`,
  ];
  await printOrNotice(context, { folder, ...preview, setAside }, done);
}

type RepairPreview = Omit<Repair, 'perform'>;

function formatRepairPreview({ keeps, rows, lost, lostCommits, unreadableLines }: RepairPreview): string[] {
  const changes = lost.map(({ table, puts, deletes }) => `${table}: ${puts} written, ${deletes} deleted`);
  return [
    `Recoverable: everything up to commit ${keeps}, ${rows} rows.`,
    `Lost: ${lostCommits} readable commits, ${unreadableLines} unreadable lines.`,
    ...changes.map((change) => `  ${change}`),
  ];
}

function printOrNotice({ printer, notice }: Context, value: object, lines: readonly string[]): Promise<void> | void {
  return printer.isForPeople ? notice(...lines) : printer.value(value);
}

function lossNotAcceptedError(folder: string, preview: RepairPreview): CliError {
  return new CliError(`${folder} is damaged. Nothing was changed.`, {
    lines: formatRepairPreview(preview),
    code: 'LOSS_NOT_ACCEPTED',
    exitCode: damagedExitCode,
    hint: 'Restore a backup with `iam store restore FILE --force`, or accept the loss with --accept-loss.',
  });
}
