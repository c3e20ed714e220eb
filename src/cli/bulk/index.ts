/** Implements `iam bulk`. */

import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileTrust, readFileTrust } from '../../lib/file-trust.ts';
import { singleQuote } from '../../lib/shell-variables.ts';
import { assertChangeLimit } from '../config/safety.ts';
import type { CommandOptions, Context } from '../context.ts';
import { assertHasNaturalKey } from '../create/natural-keys.ts';
import { CliError, usageError } from '../errors.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { escapeControls, jsonText } from '../io/control-characters.ts';
import { nameOfInput } from '../io/input.ts';
import { withFileLock } from '../io/private-files.ts';
import type { ListShape } from '../output/list-writer.ts';
import { assertConfirmed } from '../request/confirm.ts';
import { buildListShape } from '../request/control-plane.ts';
import { listAdministrativeGroups, listBusinessesIn } from '../request/grants/group-roles.ts';
import { isConfirmedBefore } from '../request/grants/role-grants.ts';
import { resolveOperation } from '../request/operation-names.ts';
import { previewOf, withoutSecrets } from '../request/preview.ts';
import { listGrants, type RoleHolders } from './administrative-rows.ts';
import {
  type BulkOptions,
  parseBulkOptions,
  resolveOutputPaths,
  resolveRetryRejects,
  resolveRetryRows,
} from './options.ts';
import { openOutputFiles } from './output-files.ts';
import { openSelectedRows, type PreflightReport, type RowSelector, runPreflight } from './preflight.ts';
import { type ResumeLogContent, type ResumeLogHeader, readResumeLog } from './resume-log.ts';
import { type RowSource, withRowSource } from './row-source.ts';
import { type FindRowUpdate, previewRowUpdate, type RowPreview } from './row-updates.ts';
import { type BulkRow, type InvalidRow, isSentBy, type RowAction, type SelectedRow } from './rows.ts';
import { type RunSummary, reportShape, runRows } from './run.ts';

/** Input of a run. */
interface BulkJob {
  readonly context: Context;
  readonly options: BulkOptions;
  readonly source: RowSource;
  readonly operation: string | undefined;
  readonly resumeLog: string;
  readonly rejects: string;
  readonly before: ResumeLogContent | undefined;
  readonly trust: FileTrust;
  readonly select: RowSelector;
}

/** `iam bulk run FILE`. */
export async function runBulk(
  context: Context,
  file: string,
  options: CommandOptions,
  findRowUpdate: FindRowUpdate,
): Promise<void> {
  const bulkOptions = parseBulkOptions(context.settings, options, findRowUpdate);
  const { server } = bulkOptions;
  const named = bulkOptions.operation;
  const operation = named === undefined ? undefined : resolveOperation(context.manifest, named).id;
  const trust = readTrust(context);
  await withRowSource(context.io, file, async (source) => {
    const { resumeLog, rejects } = resolveOutputPaths(file, source.digest, bulkOptions);
    await withLock(bulkOptions, resumeLog, async () => {
      const before = await readLogOfRun(resumeLog, trust);
      if (before) assertSameInput(resumeLog, before.header, { digest: source.digest, file, server, operation });
      const select = createSelector(before, bulkOptions, false);
      await executeJob({ context, options: bulkOptions, source, operation, resumeLog, rejects, before, trust, select });
    });
  });
}

/** `iam bulk retry RESUME-LOG`. */
export async function retryBulk(
  context: Context,
  resumeLog: string,
  argument: string | undefined,
  options: CommandOptions,
  findRowUpdate: FindRowUpdate,
) {
  const bulkOptions = parseBulkOptions(context.settings, options, findRowUpdate);
  const trust = readTrust(context);
  await withLock(bulkOptions, resumeLog, async () => {
    const before = await readExistingLog(resumeLog, trust);
    if (!before) throw usageError(`Resume log ${resumeLog} not found.`);
    const { header } = before;
    const { operation } = header;
    const file = resolveRetryRows(resumeLog, header, argument);
    await withRowSource(context.io, file, async (source) => {
      assertSameInput(resumeLog, header, { digest: source.digest, file, server: bulkOptions.server, operation });
      const rejects = await resolveRetryRejects(resumeLog, header, file, bulkOptions);
      const select = createSelector(before, bulkOptions, true);
      await executeJob({ context, options: bulkOptions, source, operation, resumeLog, rejects, before, trust, select });
    });
  });
}

/** Locks the resume log, because concurrent runs with the same resume log would execute rows twice. */
async function withLock({ isDry }: BulkOptions, resumeLog: string, work: () => Promise<void>): Promise<void> {
  if (isDry) return work();
  const folder = path.dirname(resumeLog);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw usageError(`Folder ${folder} not found.`);
  await withFileLock(`${resumeLog}.lock`, work);
}

function readTrust({ environment: { variables, workingFolder } }: Context): FileTrust {
  return readFileTrust(variables, workingFolder?.());
}

const otherLogHint = 'Name another file with --resume-log.';

/** The log of a run is named by the rows, so another user of their folder can have created it. */
async function readLogOfRun(file: string, trust: FileTrust): Promise<ResumeLogContent | undefined> {
  return readExistingLog(file, trust).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.hint === otherLogHint) throw error;
    const { message, code, exitCode, hint } = error;
    throw new CliError(message, { code, exitCode, hint: `${otherLogHint} ${hint}` });
  });
}

async function readExistingLog(file: string, trust: FileTrust): Promise<ResumeLogContent | undefined> {
  return readResumeLog(file, trust).catch((error: Error) => {
    throw error instanceof CliError ? error : usageError(error.message, otherLogHint);
  });
}

function assertSameInput(
  resumeLog: string,
  header: ResumeLogHeader,
  { digest, file, server, operation }: Pick<ResumeLogHeader, 'digest' | 'file' | 'server' | 'operation'>,
): void {
  const mismatch =
    header.digest !== digest
      ? `other rows${header.file === path.resolve(file) ? ', which the file had before' : `, of ${nameOfInput(header.file)}`}`
      : header.server !== server
        ? `the server ${header.server}`
        : header.operation !== operation
          ? `the operation ${header.operation ?? 'of each row'}`
          : undefined;
  if (mismatch === undefined) return;
  const isOmitted = operation === undefined && header.digest === digest && header.server === server;
  const resume = isOmitted ? `Add --operation ${header.operation} to resume that run, or name` : 'Name';
  throw usageError(
    `The resume log ${resumeLog} is for ${mismatch}.`,
    `${resume} a new file with --resume-log to send these rows.`,
  );
}

/** Rejected rows changed nothing and are sent again; rows without a response only if a repetition does no harm. */
function createSelector(
  before: ResumeLogContent | undefined,
  { repeatUnknown, ifNotExists, findRowUpdate }: BulkOptions,
  onlyFailed: boolean,
): RowSelector {
  return (row): RowAction => {
    const state = before?.getRowState(row.number) ?? 'none';
    if (state === 'ok' || (state === 'none' && onlyFailed)) return 'skip';
    if (state === 'none' || state === 'failed') return 'do';
    const isHarmless =
      !isValidRow(row) || row.operation.idempotent || ifNotExists || findRowUpdate(row.operation) !== undefined;
    return repeatUnknown || isHarmless ? 'repeat' : 'unknown';
  };
}

function isValidRow(row: BulkRow | InvalidRow): row is BulkRow {
  return !('reason' in row);
}

async function executeJob(job: BulkJob): Promise<void> {
  const { context, options: bulkOptions, source } = job;
  if (bulkOptions.ifNotExists && job.operation !== undefined) assertHasNaturalKey({ id: job.operation });
  const { rows } = await openSelectedRows(context, source, job.operation, job.select, bulkOptions);
  const report = await runPreflight(rows, bulkOptions);
  if (bulkOptions.isDry) return printPreviews(job, report);
  context.printer.check(reportShape.schema);
  if (report.secretOperation !== undefined && bulkOptions.secretOutput === undefined)
    throw usageError(`${report.secretOperation} returns a secret.`, 'Add --secret-output FILE to store it.');
  if (report.needsCaller) requireSendableCredentials(context.settings);
  if (report.changes > 0) assertChangeLimit(context.settings, report.changes);
  context.announceServer();
  const grants = report.grantedBy.size === 0 ? undefined : await confirmGrants(job, report);
  await confirmDestructive(job, report, grants);
  reportSummary(job, report, await sendRows(job, report));
}

const previewColumns = ['line', 'operation', 'method', 'url', 'headers', 'body', 'message'];
const previewShape: ListShape = {
  ...buildListShape(previewColumns, previewColumns.length),
  text: ['url', 'body', 'message'],
};

async function printPreviews(job: BulkJob, report: PreflightReport): Promise<void> {
  const { context, source, operation, select, options } = job;
  const { rows } = await openSelectedRows(context, source, operation, select, options);
  await context.printer.list(previewRows(context, rows, options), previewShape);
  if (report.grantedBy.size > 0) {
    // A preview needs no server.
    const holders = await listHolders(context, report).catch(() => ({ group: new Map(), business: new Map() }));
    const found = await printGrants(job, report, holders);
    if (found !== undefined) context.notice(found);
  }
  context.notice('Dry run, nothing was sent.');
}

async function* previewRows(context: Context, rows: AsyncIterable<SelectedRow>, options: BulkOptions) {
  for await (const { row, action } of rows) {
    if (!isSentBy(action) || !isValidRow(row)) continue;
    const { line, operation } = row;
    const update = options.findRowUpdate(operation);
    const { input, message }: RowPreview = update ? await previewRowUpdate(context, update, row) : row;
    const preview = input && withoutSecrets(context, previewOf(context, operation, input));
    const { body, ...request } = preview ?? {};
    yield [
      {
        ...{ line, operation: operation.id, ...request },
        ...(body === undefined ? {} : { body: bodyCell(context, body) }),
        ...(message === undefined ? {} : { message }),
      },
    ];
  }
}

/** In a cell, a body is JSON: other objects are shown as their names. */
function bodyCell({ printer: { format } }: Context, body: unknown): unknown {
  return format === 'table' || format === 'wide' || format === 'csv' ? jsonText(body) : body;
}

/** The groups and businesses with administrative roles, of what the rows name. */
async function listHolders(context: Context, { grantedBy }: PreflightReport): Promise<RoleHolders> {
  const groups = await listAdministrativeGroups(context);
  return {
    group: groups,
    business: grantedBy.has('business') ? await listBusinessesIn(context, groups.values()) : new Map(),
  };
}

/**
 * Lists the rows that can give administrative roles, and asks: a file from another person could contain them unnoticed.
 * @returns what is not confirmed yet, for the question about destructive rows
 */
async function confirmGrants(job: BulkJob, report: PreflightReport): Promise<string | undefined> {
  const { context, source, options } = job;
  const found = await printGrants(job, report, await listHolders(context, report));
  if (found === undefined) return undefined;
  const { yes, confirm } = options;
  if (report.destructive > 0 && confirm === undefined && !isConfirmedBefore(context, { yes })) return found;
  // A number is of the destructive rows; on a protected profile, it confirms more than the name would.
  const isNumber = /^\d+$/.test(confirm ?? '');
  const isOfFile = report.destructive + report.destroyed > 0 && numbersOf(report).includes(confirm ?? '');
  await assertConfirmed(
    context,
    `${found} Continue?`,
    { yes, ...(confirm === undefined || isNumber ? {} : { confirm }) },
    source.argument === '-',
    isOfFile ? { requireName: false } : {},
  );
  return undefined;
}

/** Lists the rows that can give administrative roles. @returns how many there are; undefined if there are none */
async function printGrants(
  { context, source, operation, select, options }: BulkJob,
  { count }: PreflightReport,
  holders: RoleHolders,
): Promise<string | undefined> {
  const { rows } = await openSelectedRows(context, source, operation, select, options);
  const grants = await listGrants(context, rows, holders);
  if (grants.count === 0) return undefined;
  for (const line of grants.lines) context.io.stderr.write(`  ${escapeControls(line)}\n`);
  return `${grants.count} of ${count} rows can give administrative roles.`;
}

/** The numbers that confirm the destructive rows. The same command resumes a run: its number includes the rows that are done. */
function numbersOf({ destructive, destroyed }: PreflightReport): readonly [string, string] {
  return [String(destructive), String(destructive + destroyed)];
}

/** One destructive row needs a yes; several rows need their number to be typed. */
async function confirmDestructive(
  { context, options: bulkOptions, source }: BulkJob,
  report: PreflightReport,
  grants: string | undefined,
): Promise<void> {
  const { destructive, count } = report;
  if (destructive === 0) return;
  const { yes, confirm } = bulkOptions;
  const options = { yes, ...(confirm === undefined ? {} : { confirm }) };
  const stdinIsData = source.argument === '-';
  const [name, alternativeName] = numbersOf(report);
  const question = grants === undefined ? '' : `${grants} `;
  if (destructive === 1) {
    const severity = confirm === name || confirm === alternativeName ? { name: confirm } : {};
    const text = `${question}One row deletes something or replaces a list. Continue?`;
    return assertConfirmed(context, text, options, stdinIsData, severity);
  }
  const text = `${question}${destructive} of ${count} rows delete something or replace a list.`;
  await assertConfirmed(context, text, options, stdinIsData, { requireName: true, name, alternativeName });
}

async function sendRows(job: BulkJob, { count, unknown }: PreflightReport): Promise<RunSummary> {
  const { context, options: bulkOptions, source, operation, before, trust } = job;
  const { file, rows } = await openSelectedRows(context, source, operation, job.select, bulkOptions);
  const argument = source.argument === '-' ? '-' : path.resolve(source.argument);
  const rejects = path.resolve(job.rejects);
  const run = before?.header.run ?? randomUUID();
  const header = { run, digest: source.digest, file: argument, operation, server: bulkOptions.server, rejects };
  const names = { resumeLog: job.resumeLog, rejects, secretOutput: bulkOptions.secretOutput };
  const outputFiles = await openOutputFiles(names, { header, before, trust, rejectStart: file });
  try {
    return await runRows(context, bulkOptions, excludeSkipped(rows), outputFiles, count + unknown);
  } finally {
    await outputFiles.close();
  }
}

async function* excludeSkipped(rows: AsyncIterable<SelectedRow>): AsyncGenerator<SelectedRow, void, undefined> {
  for await (const one of rows) if (one.action !== 'skip') yield one;
}

/** Prints the summary. @throws CliError if rows failed, their outcome is unknown, or the run was interrupted */
function reportSummary(job: BulkJob, { count, skipped }: PreflightReport, summary: RunSummary): void {
  const { context, resumeLog, options: bulkOptions } = job;
  const { ok, failed, unknown, reason, errorLimitReached } = summary;
  const others = [...(failed > 0 ? [`${failed} failed`] : []), ...(unknown > 0 ? [`${unknown} unknown`] : [])];
  const previous = skipped > 0 ? `; ${skipped} were done before` : '';
  context.notice(`${[`${ok} of ${count} rows done`, ...others].join(', ')}${previous}.`);
  const hints = describeRest(job, summary);
  if (context.io.signal.aborted || reason !== undefined) {
    context.notice(`The resume log is ${resumeLog}. Run the same command again to resume.`, ...hints);
    throw reason ?? new CliError('Interrupted.', { code: 'INTERRUPTED', exitCode: 130 });
  }
  if (failed + unknown === 0) return;
  const limitHint = errorLimitReached && bulkOptions.maxErrors < count ? ' The limit of --max-errors was reached.' : '';
  const texts = [
    ...(failed > 0 ? [`${failed} ${failed === 1 ? 'row' : 'rows'} failed.`] : []),
    ...(unknown > 0 ? [`The outcome of ${unknown} ${unknown === 1 ? 'row is' : 'rows is'} unknown.`] : []),
  ];
  throw new CliError(`${texts.join(' ')}${limitHint}`, { code: 'ROWS_FAILED', exitCode: 8, hint: hints.join(' ') });
}

/** What to do with rows that failed, and with rows of unknown outcome. The reject file exists if rows failed. */
function describeRest(
  { resumeLog, rejects, source, options: { delimiter } }: BulkJob,
  { failed, unknown }: RunSummary,
): string[] {
  const file = source.argument === '-' ? ' FILE' : '';
  const cells = delimiter === undefined ? '' : ` --delimiter ${delimiter === '\t' ? 'tab' : singleQuote(delimiter)}`;
  const retry = `iam bulk retry ${singleQuote(resumeLog)}${file}${cells}`;
  return [
    ...(failed > 0 ? [`Retry failed rows with \`${retry}\`; they are also in ${rejects}.`] : []),
    ...(unknown > 0
      ? [
          'Rows of unknown outcome were sent, but no response arrived.',
          `Check whether they were applied; if not, send them again with \`${retry} --repeat-unknown\`.`,
        ]
      : []),
  ];
}
