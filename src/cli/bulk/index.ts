/** Implements `iam bulk`. A separate bundle file that other commands do not load. */

import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { CommandOptions } from '../context.ts';
import type { BulkDeps } from './deps.ts';
import { type BulkOptions, parseBulkOptions, resolveOutputPaths } from './options.ts';
import { openOutputFiles } from './output-files.ts';
import {
  openSelectedRows,
  type PreflightReport,
  type RowAction,
  type RowSelector,
  runPreflight,
  type SelectedRow,
} from './preflight.ts';
import { type ResumeLogContent, type ResumeLogHeader, readResumeLog } from './resume-log.ts';
import { type RowSource, withRowSource } from './row-source.ts';
import type { BulkRow, InvalidRow } from './rows.ts';
import { type RunSummary, reportShape, runRows } from './run.ts';

/** Input of a run. */
interface BulkJob {
  readonly deps: BulkDeps;
  readonly options: BulkOptions;
  readonly source: RowSource;
  readonly operation: string | undefined;
  readonly resumeLog: string;
  readonly rejects: string;
  readonly before: ResumeLogContent | undefined;
  readonly select: RowSelector;
}

/** `iam bulk run FILE`. */
export async function runBulk(deps: BulkDeps, file: string, options: CommandOptions): Promise<void> {
  const bulkOptions = parseBulkOptions(deps, options);
  if (bulkOptions.operation !== undefined) deps.findOperation(bulkOptions.operation);
  await withRowSource(deps, file, async (source) => {
    const { resumeLog, rejects } = resolveOutputPaths(file, source.digest, bulkOptions);
    await withLock(deps, bulkOptions, resumeLog, async () => {
      const before = await readExistingLog(deps, resumeLog);
      if (before) assertSameInput(deps, source, before.header, resumeLog, bulkOptions.operation);
      const select = createSelector(before, bulkOptions, false);
      await executeJob({
        deps,
        options: bulkOptions,
        source,
        operation: bulkOptions.operation,
        resumeLog,
        rejects,
        before,
        select,
      });
    });
  });
}

/** `iam bulk retry RESUME-LOG`. */
export async function retryBulk(
  deps: BulkDeps,
  resumeLog: string,
  argument: string | undefined,
  options: CommandOptions,
) {
  const bulkOptions = parseBulkOptions(deps, options);
  await withLock(deps, bulkOptions, resumeLog, async () => {
    const before = await readExistingLog(deps, resumeLog);
    if (!before) throw deps.usage(`Resume log ${resumeLog} not found.`);
    const { header: heading } = before;
    const file = argument ?? heading.file;
    if (file === '-' && argument === undefined)
      throw deps.usage(
        'The rows were read from standard input.',
        `Pass them again with \`iam bulk retry ${resumeLog} FILE\`.`,
      );
    await withRowSource(deps, file, async (source) => {
      assertSameInput(deps, source, heading, resumeLog, heading.operation);
      const { rejects } = resolveOutputPaths(file, source.digest, bulkOptions);
      const select = createSelector(before, bulkOptions, true);
      await executeJob({
        deps,
        options: bulkOptions,
        source,
        operation: heading.operation,
        resumeLog,
        rejects,
        before,
        select,
      });
    });
  });
}

/** Locks the resume log, because concurrent runs with the same resume log would execute rows twice. */
async function withLock(
  deps: BulkDeps,
  { isDry }: BulkOptions,
  resumeLog: string,
  work: () => Promise<void>,
): Promise<void> {
  if (isDry) return work();
  const folder = path.dirname(resumeLog);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw deps.usage(`Folder ${folder} not found.`);
  await deps.underLock(`${resumeLog}.lock`, work);
}

async function readExistingLog({ usage }: BulkDeps, file: string): Promise<ResumeLogContent | undefined> {
  return readResumeLog(file).catch((error: Error) => {
    throw usage(error.message, 'Name another file with --resume-log.');
  });
}

function assertSameInput(
  { usage, server }: BulkDeps,
  source: RowSource,
  heading: ResumeLogHeader,
  resumeLog: string,
  operation: string | undefined,
): void {
  const mismatch =
    heading.digest !== source.digest
      ? 'other rows'
      : heading.server !== server
        ? `the server ${heading.server}`
        : heading.operation !== operation
          ? `the operation ${heading.operation ?? 'of each row'}`
          : undefined;
  if (mismatch !== undefined)
    throw usage(
      `The resume log ${resumeLog} is for ${mismatch}.`,
      'Name a new file with --resume-log to send these rows.',
    );
}

/** Rejected rows changed nothing and are sent again; rows without a response only if they are idempotent. */
function createSelector(
  before: ResumeLogContent | undefined,
  { repeatUnknown }: BulkOptions,
  onlyFailed: boolean,
): RowSelector {
  return (row): RowAction => {
    const state = before?.getRowState(row.number) ?? 'none';
    if (state === 'ok' || (state === 'none' && onlyFailed)) return 'skip';
    if (state === 'none' || state === 'failed') return 'do';
    return repeatUnknown || !isValidRow(row) || row.operation.idempotent ? 'do' : 'unknown';
  };
}

function isValidRow(row: BulkRow | InvalidRow): row is BulkRow {
  return !('reason' in row);
}

async function executeJob(job: BulkJob): Promise<void> {
  const { deps, options: bulkOptions, source } = job;
  const { rows } = await openSelectedRows(deps, source, job.operation, job.select);
  const report = await runPreflight(deps, rows, bulkOptions);
  if (bulkOptions.isDry) return printPreviews(job);
  deps.context.printer.check(reportShape.schema);
  if (report.secretOperation !== undefined && bulkOptions.secretOutput === undefined)
    throw deps.usage(`${report.secretOperation} returns a secret.`, 'Add --secret-output FILE to store it.');
  if (report.needsCaller) deps.requireSignIn();
  if (report.changes > 0) deps.requireChanges(report.changes);
  await confirmDestructive(job, report);
  reportSummary(job, report, await sendRows(job, report));
}

async function printPreviews({ deps, source, operation, select }: BulkJob): Promise<void> {
  const { rows } = await openSelectedRows(deps, source, operation, select);
  await deps.context.printer.list(previewRows(deps, rows));
  deps.context.notice('Dry run, nothing was sent.');
}

async function* previewRows(deps: BulkDeps, rows: AsyncIterable<SelectedRow>) {
  for await (const { row, action } of rows)
    if (action === 'do' && isValidRow(row))
      yield [{ line: row.line, operation: row.operation.id, ...deps.preview(row.operation, row.input) }];
}

/** One destructive row needs a yes; several rows need their number to be typed. */
async function confirmDestructive(
  { deps, options: bulkOptions, source }: BulkJob,
  { destructive, count }: PreflightReport,
): Promise<void> {
  if (destructive === 0) return;
  const { yes, confirm } = bulkOptions;
  const options = { yes, ...(confirm === undefined ? {} : { confirm }) };
  const stdinIsData = source.argument === '-';
  if (destructive === 1) {
    const severity = confirm === '1' ? { name: confirm } : {};
    return deps.confirm('One row deletes or removes a resource. Continue?', options, stdinIsData, severity);
  }
  const question = `${destructive} of ${count} rows delete or remove resources.`;
  await deps.confirm(question, options, stdinIsData, { requireName: true, name: String(destructive) });
}

async function sendRows(job: BulkJob, { count }: PreflightReport): Promise<RunSummary> {
  const { deps, options: bulkOptions, source, operation, before } = job;
  const { file, rows } = await openSelectedRows(deps, source, operation, job.select);
  const argument = source.argument === '-' ? '-' : path.resolve(source.argument);
  const rejects = path.resolve(job.rejects);
  const heading = { digest: source.digest, file: argument, operation, server: deps.server, rejects };
  const names = { resumeLog: job.resumeLog, rejects, secretOutput: bulkOptions.secretOutput };
  const outputFiles = await openOutputFiles(deps, names, { header: heading, before, rejectHeader: file.header });
  try {
    return await runRows(deps, bulkOptions, excludeSkipped(rows), outputFiles, count);
  } finally {
    await outputFiles.close();
  }
}

async function* excludeSkipped(rows: AsyncIterable<SelectedRow>): AsyncGenerator<SelectedRow, void, undefined> {
  for await (const one of rows) if (one.action !== 'skip') yield one;
}

/** Prints the summary. @throws CliError if rows failed or the run was interrupted */
function reportSummary(
  { deps, resumeLog, rejects, options: bulkOptions }: BulkJob,
  { count, skipped }: PreflightReport,
  summary: RunSummary,
): void {
  const { context, failure } = deps;
  const { ok, failed, reason, errorLimitReached } = summary;
  const previous = skipped > 0 ? `; ${skipped} were done before` : '';
  context.notice(`${ok} of ${count} rows done${previous}.`);
  const resumeHint = `The resume log is ${resumeLog}. Run the same command again to resume.`;
  if (context.io.signal.aborted) {
    context.notice(resumeHint);
    throw failure('Interrupted.', { code: 'INTERRUPTED', exitCode: 130 });
  }
  if (reason !== undefined) {
    context.notice(resumeHint);
    throw reason;
  }
  if (failed === 0) return;
  const limitHint = errorLimitReached && bulkOptions.maxErrors < count ? ' The limit of --max-errors was reached.' : '';
  throw failure(`${failed === 1 ? '1 row failed or has' : `${failed} rows failed or have`} no response.${limitHint}`, {
    code: 'ROWS_FAILED',
    exitCode: 8,
    hint: `Retry them with \`iam bulk retry ${resumeLog}\`. Rejected rows are also in ${rejects}.`,
  });
}
