/** `iam coverage`: shows which statuses and error codes of the API have been exercised. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import { assertWritable } from '../config/safety.ts';
import type { CliRuntime, CommandOptions, Context } from '../context.ts';
import { QuietExit, usageError } from '../errors.ts';
import { callControlPlane, controlPlaneNote } from '../request/control-plane.ts';
import { sendControlWrite } from '../request/control-requests.ts';
import { addFieldOption, createField } from '../request/field-options.ts';

const path = '/_iam/coverage';

const coverageText: Omit<CommandDescription, 'title'> = {
  description: `Counts responses since the server started or since --reset. With --threshold, exits with 1 if the coverage of documented statuses is lower. ${controlPlaneNote}`,
  effect: 'write',
  effectVaries: true,
  examples: [
    { title: 'Show exercised operations', command: '' },
    { title: 'Show missing statuses and error codes', command: '--missing' },
    { title: 'Check a threshold in CI, after the tests', command: '--threshold 80 -q' },
    { title: 'Reset the counters before the tests', command: '--reset' },
  ],
};

export function addCoverage(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'coverage', { title, ...coverageText })
    .option('--missing', 'show only operations with missing statuses or error codes')
    .option('--reset', 'reset the counters');
  const description = 'required percentage of documented statuses, from 0 to 100';
  addFieldOption(command, createField(['threshold'], { type: 'integer', description }, false));
  setAction(command, runtime, async (context, _, options) => {
    if (options.reset === true) return reset(context, options);
    const threshold = options.threshold as number | undefined;
    if (threshold !== undefined && (threshold < 0 || threshold > 100))
      throw usageError('--threshold must be a number from 0 to 100.');
    const report = (await callControlPlane(context, 'GET', path)).body as Report;
    await print(context, report, options.missing === true);
    if (threshold === undefined || report.statuses.percent >= threshold) return;
    context.notice(
      `Coverage of documented statuses is ${report.statuses.percent} %, below the threshold of ${threshold} %.`,
    );
    throw new QuietExit(1);
  });
}

function reset(context: Context, options: CommandOptions): Promise<void> {
  const confirm = async () => assertWritable(context.settings);
  return sendControlWrite(context, options, { method: 'DELETE', path, confirm, done: 'Reset the coverage counters.' });
}

interface Share {
  readonly exercised: number;
  readonly total: number;
  readonly percent: number;
}

interface Item {
  readonly operation: string;
  readonly calls: number;
  readonly statuses: readonly { readonly status: number; readonly calls: number }[];
  readonly codes: readonly { readonly code: string; readonly calls: number }[];
}

interface Report {
  readonly operations: Share;
  readonly statuses: Share;
  readonly codes: Share;
  readonly items: readonly Item[];
}

async function print(context: Context, report: Report, onlyMissing: boolean): Promise<void> {
  const items = report.items.filter((item) => (onlyMissing ? hasMissing(item) : item.calls > 0));
  if (!context.printer.isForPeople) return context.printer.value(onlyMissing ? { ...report, items } : report);
  await context.printer.value(items.map(onlyMissing ? missingRow : exercisedRow));
  const parts = [
    `operations ${formatShare(report.operations)}`,
    `statuses ${formatShare(report.statuses)}`,
    `error codes ${formatShare(report.codes)}`,
  ];
  context.notice(...parts);
}

function formatShare({ exercised, total, percent }: Share): string {
  return `${exercised} of ${total} (${percent} %)`;
}

function hasMissing({ statuses, codes }: Item): boolean {
  return [...statuses, ...codes].some(({ calls }) => calls === 0);
}

function exercisedRow({ operation, calls, statuses, codes }: Item): object {
  return {
    operation,
    calls,
    statuses: statuses.filter((one) => one.calls > 0).map(({ status }) => status),
    codes: codes.filter((one) => one.calls > 0).map(({ code }) => code),
  };
}

function missingRow({ operation, calls, statuses, codes }: Item): object {
  return {
    operation,
    calls,
    statuses: statuses.filter((one) => one.calls === 0).map(({ status }) => status),
    codes: codes.filter((one) => one.calls === 0).map(({ code }) => code),
  };
}
