/** `iam store`: the files of a store: whether they are whole, what can be kept of damaged ones, backups. */
import path from 'node:path';
import type { Command } from 'commander';
import type { Repair } from '../../server/store/json/repair.ts';
import type { StoreReport } from '../../server/store/json/verify.ts';
import { addCommand, type CommandOptions, setAction } from '../command.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { escapeControls } from '../runtime/control-characters.ts';
import { CliError } from '../runtime/errors.ts';
import { formatFields } from '../runtime/table.ts';
import { assertConfirmed } from '../send.ts';
import { addStoreBackup, addStoreRestore } from './store-backup.ts';
import { dataOption, formatRowCounts, resolveStoreFolder, withStoreTools } from './store-folder.ts';

const damagedExitCode = 14;

/** Adds the commands of the noun. */
export function addStore(noun: Command, runtime: CliRuntime): void {
  addVerifyCommand(noun, runtime);
  addRepairCommand(noun, runtime);
  addStoreBackup(noun, runtime);
  addStoreRestore(noun, runtime);
}

function addVerifyCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'verify', {
    title: 'Reads all files of a store and tells whether they are whole',
    description:
      'Nothing is written. No server may have the store open meanwhile. Exit code 14 where any file is damaged, also where a server would still start on the others.',
    effect: 'read',
    examples: [
      { title: 'The usual store', command: '' },
      { title: 'Another one, for a program', command: '--data /var/lib/iam -o json' },
    ],
  }).option(...dataOption);
  setAction(command, runtime, async (context, _, options) => {
    const report = await withStoreTools(context, (tools) => tools.verify(resolveStoreFolder(context, options)));
    if (context.printer.isForPeople) context.printer.lines(formatReport(report));
    else await context.printer.value(report);
    if (!report.sound) throw damagedError(report);
  });
}

function formatReport({ folder, formatVersion, sound, sequence, tables, files, notes }: StoreReport): string[] {
  const facts = {
    folder,
    format: formatVersion,
    whole: sound ? 'yes' : 'no',
    ...(sequence === undefined ? {} : { 'last commit': sequence, rows: formatRowCounts(tables ?? {}) }),
  };
  const width = Math.max(0, ...files.map(({ name }) => name.length));
  const lines = files.map(({ name, bytes, holds, damage }) => {
    const what = damage === undefined ? holds : `DAMAGED at byte ${damage.offset}: ${damage.what}`;
    return escapeControls(`${name.padEnd(width)}  ${String(bytes).padStart(10)} bytes  ${what}`);
  });
  return [...formatFields(facts), '', ...lines, ...notes.map((note) => `note: ${note}`)];
}

function damagedError({ folder, opens, refusal }: StoreReport): CliError {
  const message = refusal ?? `${folder} is damaged, in files that others stand in for: nothing is lost.`;
  const hint = opens
    ? 'A server still starts on it. Back it up now: `iam store backup --to FILE --data FOLDER`.'
    : 'Restore a backup with `iam store restore FILE --force`, or see what `iam store repair` could keep.';
  return new CliError(message, { code: 'STORE_DAMAGED', exitCode: damagedExitCode, hint });
}

function addRepairCommand(noun: Command, runtime: CliRuntime): void {
  const command = addCommand(noun, 'repair', {
    title: 'Keeps of a damaged store what comes before the damage',
    description:
      'A backup is better, if there is one: whatever was changed after the damage is lost, also what can still be read, since it may rest upon what can not. Nothing is deleted; all files of before are set aside in the folder.',
    effect: 'destructive',
    examples: [
      { title: 'See what would be kept and what would be lost', command: '--data data/store --dry-run' },
      { title: 'In a script', command: '--data data/store --accept-loss --confirm store' },
    ],
  })
    .option(...dataOption)
    .option('--accept-loss', 'go on, although something is lost');
  setAction(command, runtime, (context, _, options) => repair(context, options));
}

async function repair(context: Context, options: CommandOptions): Promise<void> {
  const folder = resolveStoreFolder(context, options);
  const preview = await withStoreTools(context, (tools) => tools.previewRepair(folder));
  if (preview === undefined)
    return printOrNotice(context, { folder }, [`${folder} is whole; there is nothing to repair.`]);
  if (options.dryRun === true)
    return printOrNotice(context, { folder, ...preview }, [
      ...formatRepairPreview(preview),
      'Not done: this was a dry run.',
    ]);
  if (options.acceptLoss !== true) throw lossNotAcceptedError(folder, preview);
  await assertConfirmed(context, `Keep no more than that of ${folder}?`, options, false, {
    ...{ requireName: true, name: path.basename(folder) },
    details: async () => formatRepairPreview(preview),
  });
  const { setAside } = await withStoreTools(context, (tools) => tools.repair(folder));
  const done = [
    ...formatRepairPreview(preview),
    `Repaired ${folder}. What was there is kept beside it: ${setAside.join(', ')}.`,
  ];
  await printOrNotice(context, { folder, ...preview, setAside }, done);
}

type RepairPreview = Omit<Repair, 'perform'>;

function formatRepairPreview({ keeps, rows, lost, lostCommits, unreadableLines }: RepairPreview): string[] {
  const changes = lost.map(({ table, puts, deletes }) => `${table}: ${puts} written, ${deletes} deleted`);
  return [
    `Kept: everything up to commit ${keeps}, ${rows} rows.`,
    `Lost: ${lostCommits} commits that can still be read, ${unreadableLines} lines that can not.`,
    ...changes.map((change) => `  ${change}`),
  ];
}

function printOrNotice({ printer, notice }: Context, value: object, lines: readonly string[]): Promise<void> | void {
  return printer.isForPeople ? notice(...lines) : printer.value(value);
}

function lossNotAcceptedError(folder: string, preview: RepairPreview): CliError {
  return new CliError(`${folder} is damaged; nothing was changed.`, {
    lines: formatRepairPreview(preview),
    code: 'LOSS_NOT_ACCEPTED',
    exitCode: damagedExitCode,
    hint: 'Restore a backup with `iam store restore FILE --force`, or add --accept-loss.',
  });
}
