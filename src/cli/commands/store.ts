/** `iam store`: the files of a store: whether they are whole, what can be kept of damaged ones, backups. */
import path from 'node:path';
import type { Command } from 'commander';
import type { RepairPlan } from '../../server/store/json/repair.ts';
import type { StoreReport } from '../../server/store/json/verify.ts';
import { addLeaf, type Options, runs } from '../leaf.ts';
import type { Context, Surroundings } from '../runtime/context.ts';
import { escapeControls } from '../runtime/control-characters.ts';
import { CliError } from '../runtime/failures.ts';
import { fieldLines } from '../runtime/table.ts';
import { confirmed } from '../send.ts';
import { addStoreBackup, addStoreRestore } from './store-backup.ts';
import { dataOption, folderOf, rowsText, withTools } from './store-folder.ts';

const damagedExit = 14;

/** Adds the commands of the noun. */
export function addStore(noun: Command, surroundings: Surroundings): void {
  addVerifyCommand(noun, surroundings);
  addRepairCommand(noun, surroundings);
  addStoreBackup(noun, surroundings);
  addStoreRestore(noun, surroundings);
}

function addVerifyCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'verify', {
    title: 'Reads all files of a store and tells whether they are whole',
    description:
      'Nothing is written. No server may have the store open meanwhile. Exit code 14 where any file is damaged, also where a server would still start on the others.',
    effect: 'read',
    examples: [
      { title: 'The usual store', command: '' },
      { title: 'Another one, for a program', command: '--data /var/lib/iam -o json' },
    ],
  }).option(...dataOption);
  runs(command, surroundings, async (context, _, options) => {
    const report = await withTools(context, (tools) => tools.verify(folderOf(context, options)));
    if (context.printer.isForPeople) context.printer.lines(reportLines(report));
    else await context.printer.value(report);
    if (!report.sound) throw damagedError(report);
  });
}

function reportLines({ folder, formatVersion, sound, sequence, tables, files, notes }: StoreReport): string[] {
  const facts = {
    folder,
    format: formatVersion,
    whole: sound ? 'yes' : 'no',
    ...(sequence === undefined ? {} : { 'last commit': sequence, rows: rowsText(tables ?? {}) }),
  };
  const width = Math.max(0, ...files.map(({ name }) => name.length));
  const lines = files.map(({ name, bytes, holds, damage }) => {
    const what = damage === undefined ? holds : `DAMAGED at byte ${damage.offset}: ${damage.what}`;
    return escapeControls(`${name.padEnd(width)}  ${String(bytes).padStart(10)} bytes  ${what}`);
  });
  return [...fieldLines(facts), '', ...lines, ...notes.map((note) => `note: ${note}`)];
}

function damagedError({ folder, opens, refusal }: StoreReport): CliError {
  const message = refusal ?? `${folder} is damaged, in files that others stand in for: nothing is lost.`;
  const fix = opens
    ? 'A server still starts on it. Back it up now: `iam store backup --to FILE --data FOLDER`.'
    : 'Restore a backup with `iam store restore FILE --force`, or see what `iam store repair` could keep.';
  return new CliError(message, { code: 'STORE_DAMAGED', exitCode: damagedExit, fix });
}

function addRepairCommand(noun: Command, surroundings: Surroundings): void {
  const command = addLeaf(noun, 'repair', {
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
  runs(command, surroundings, (context, _, options) => repair(context, options));
}

async function repair(context: Context, options: Options): Promise<void> {
  const folder = folderOf(context, options);
  const plan = await withTools(context, (tools) => tools.planRepair(folder));
  if (plan === undefined) return tell(context, { folder }, [`${folder} is whole; there is nothing to repair.`]);
  if (options.dryRun === true)
    return tell(context, { folder, ...plan }, [...planLines(plan), 'Not done: this was a dry run.']);
  if (options.acceptLoss !== true) throw notAccepted(folder, plan);
  await confirmed(context, `Keep no more than that of ${folder}?`, options, false, {
    ...{ severe: true, name: path.basename(folder) },
    details: async () => planLines(plan),
  });
  const { setAside } = await withTools(context, (tools) => tools.repair(folder));
  const done = [...planLines(plan), `Repaired ${folder}. What was there is kept beside it: ${setAside.join(', ')}.`];
  await tell(context, { folder, ...plan, setAside }, done);
}

type Plan = Omit<RepairPlan, 'perform'>;

function planLines({ keeps, rows, lost, lostCommits, unreadableLines }: Plan): string[] {
  const changes = lost.map(({ table, puts, deletes }) => `${table}: ${puts} written, ${deletes} deleted`);
  return [
    `Kept: everything up to commit ${keeps}, ${rows} rows.`,
    `Lost: ${lostCommits} commits that can still be read, ${unreadableLines} lines that can not.`,
    ...changes.map((change) => `  ${change}`),
  ];
}

function tell({ printer, notice }: Context, value: object, lines: readonly string[]): Promise<void> | void {
  return printer.isForPeople ? notice(...lines) : printer.value(value);
}

function notAccepted(folder: string, plan: Plan): CliError {
  return new CliError(`${folder} is damaged; nothing was changed.`, {
    lines: planLines(plan),
    code: 'LOSS_NOT_ACCEPTED',
    exitCode: damagedExit,
    fix: 'Restore a backup with `iam store restore FILE --force`, or add --accept-loss.',
  });
}
