/** `iam coverage`: what of the interface the calls so far have exercised. */
import type { Command } from 'commander';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import { callControlPlane, controlPlaneNote, controlRequestPreview } from '../control-plane.ts';
import { addFieldOption, createField } from '../field-options.ts';
import type { CliRuntime, Context } from '../runtime/context.ts';
import { QuietExit, usageError } from '../runtime/errors.ts';
import { assertWritable } from '../runtime/safety.ts';
import { printRequestPreview, printResponse } from '../send.ts';

const path = '/_iam/coverage';

export const coverageText: CommandDescription = {
  title: 'Shows which statuses and error codes of which operations were exercised',
  description: `Since the server started, or since --reset. With --threshold exit code 1 where less of the documented statuses was answered. ${controlPlaneNote}`,
  effect: 'write',
  effectVaries: true,
  examples: [
    { title: 'What was called', command: '' },
    { title: 'What is left to try', command: '--missing' },
    { title: 'In CI, after the tests', command: '--threshold 80 -q' },
    { title: 'Before the tests', command: '--reset' },
  ],
};

/** Adds the command. */
export function addCoverage(program: Command, runtime: CliRuntime): void {
  const command = addCommand(program, 'coverage', coverageText)
    .option('--missing', 'show operations that lack something, and what')
    .option('--reset', 'count anew');
  const description = 'percent of the documented statuses that are asked for, from 0 to 100';
  addFieldOption(command, createField(['threshold'], { type: 'integer', description }, false));
  setAction(command, runtime, async (context, _, options) => {
    if (options.reset === true) return reset(context, options.dryRun === true);
    const threshold = options.threshold as number | undefined;
    if (threshold !== undefined && (threshold < 0 || threshold > 100))
      throw usageError('--threshold takes a number from 0 to 100.');
    const report = (await callControlPlane(context, 'GET', path)).body as Report;
    await print(context, report, options.missing === true);
    if (threshold === undefined || report.statuses.percent >= threshold) return;
    context.notice(
      `${report.statuses.percent} % of the documented statuses were answered; ${threshold} % are asked for.`,
    );
    throw new QuietExit(1);
  });
}

async function reset(context: Context, isDryRun: boolean): Promise<void> {
  if (isDryRun) return printRequestPreview(context, controlRequestPreview(context, 'DELETE', path));
  assertWritable(context.sources);
  await printResponse(context, (await callControlPlane(context, 'DELETE', path)).body, 'Counting anew.');
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
