/** `iam store verify`: verifies the files of a store. */
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { singleQuote } from '../../../lib/shell-variables.ts';
import type { StoreReport } from '../../../server/store/maintenance/verify.ts';
import { addCommand, setAction } from '../../command.ts';
import type { CliRuntime } from '../../context.ts';
import { CliError, usageError } from '../../errors.ts';
import { escapeControls } from '../../io/control-characters.ts';
import { formatFields } from '../../output/table.ts';
import {
  damagedExitCode,
  dataOption,
  dataWords,
  formatRowCounts,
  resolveStoreFolder,
  withOfflineStore,
} from './store-folder.ts';

export function addStoreVerify(noun: Command, runtime: CliRuntime): void {
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
    const folder = resolveStoreFolder(context, options);
    if (statSync(folder, { throwIfNoEntry: false })?.isFile())
      throw usageError(
        `${folder} is a file, not the folder of a store.`,
        `If it is a backup, \`iam store restore ${singleQuote(folder)} --dry-run --data NEW_FOLDER\` checks it.`,
      );
    const report = await withOfflineStore(context, (store) => store.verify(folder));
    if (context.printer.isForPeople) context.printer.lines(await formatReport(report));
    else await context.printer.value(report);
    if (!report.sound) throw damagedError(report);
  });
}

async function formatReport(report: StoreReport): Promise<string[]> {
  const { folder, formatVersion, sound, sequence, tables, files, notes } = report;
  const facts = {
    folder,
    format: formatVersion,
    intact: sound ? 'yes' : 'no',
    ...(sequence === undefined ? {} : { 'last commit': sequence, rows: formatRowCounts(tables ?? {}) }),
  };
  const width = Math.max(0, ...files.map(({ name }) => name.length));
  const lines = files.map(({ name, bytes, holds, damage }) => {
    const status = damage === undefined ? holds : `${formatVerdict(damage.offset)}: ${damage.what}`;
    return escapeControls(`${name.padEnd(width)}  ${String(bytes).padStart(10)} bytes  ${status}`);
  });
  return [...(await formatFields(facts)), '', ...lines, ...notes.map((note) => `note: ${note}`)];
}

/** Damage has a position; a file of another store is wrong as a whole. */
function formatVerdict(offset: number | undefined): string {
  return offset === undefined ? 'NOT OF THIS STORE' : `DAMAGED at byte ${offset}`;
}

function damagedError({ folder, opens, refusal }: StoreReport): CliError {
  const message =
    refusal ?? `${folder} has damaged files, but their data is available in other files. No data is lost.`;
  const hint = opens
    ? `A server can still open the store. Back it up now with \`iam store backup --to FILE ${dataWords(folder)}\`.`
    : `Restore a backup with \`iam store restore FILE --force ${dataWords(folder)}\`, or preview a repair with \`iam store repair --dry-run ${dataWords(folder)}\`.`;
  return new CliError(message, { code: 'STORE_DAMAGED', exitCode: damagedExitCode, hint });
}
