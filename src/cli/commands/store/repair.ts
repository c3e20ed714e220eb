/** `iam store repair`: truncates a damaged store before the damage. */
import path from 'node:path';
import type { Command } from 'commander';
import type { Repair } from '../../../server/store/maintenance/repair.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime, CommandOptions, Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { assertConfirmed, type FactTable, formatFactTable } from '../../request/confirm.ts';
import {
  damagedExitCode,
  dataOption,
  dataWords,
  printOrNotice,
  resolveStoreFolder,
  withOfflineStore,
} from './store-folder.ts';

export function addStoreRepair(noun: Command, runtime: CliRuntime): void {
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
      ...describeRepair(preview),
      'Dry run, nothing was changed.',
    ]);
  if (options.acceptLoss !== true) throw await lossNotAcceptedError(folder, preview);
  await assertConfirmed(context, `Truncate the store in ${folder}?`, options, false, {
    ...{ requireName: true, name: path.basename(folder) },
    details: async () => describeRepair(preview),
  });
  const { setAside } = await withOfflineStore(context, (store) => store.repair(folder));
  await printOrNotice(context, { folder, ...preview, setAside }, [
    ...describeRepair(preview),
    `Repaired ${folder}. Quarantined the previous files: ${setAside.join(', ')}.`,
  ]);
}

type RepairPreview = Omit<Repair, 'perform'>;

function describeRepair({ keeps, rows, lost, lostCommits, unreadableLines }: RepairPreview): FactTable[] {
  const changes = lost.map(({ table, puts, deletes }) => [table, `${puts} written, ${deletes} deleted`]);
  return [
    { heading: 'Recoverable:', facts: { lastCommit: keeps, rows } },
    {
      heading: 'Lost:',
      facts: { readableCommits: lostCommits, unreadableLines, ...Object.fromEntries(changes) },
    },
  ];
}

async function lossNotAcceptedError(folder: string, preview: RepairPreview): Promise<CliError> {
  return new CliError(`${folder} is damaged. Nothing was changed.`, {
    lines: (await Promise.all(describeRepair(preview).map(formatFactTable))).flat(),
    code: 'LOSS_NOT_ACCEPTED',
    exitCode: damagedExitCode,
    hint: `Restore a backup with \`iam store restore FILE --force ${dataWords(folder)}\`, or accept the loss with --accept-loss.`,
  });
}
