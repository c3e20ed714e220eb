/** What `iam bulk` does. A file of its own in the bundle: no other command loads it. */

import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Options } from '../leaf.ts';
import { type LedgerContent, type LedgerHeading, readLedger } from './ledger.ts';
import { openPlaces } from './places.ts';
import type { Row, WrongRow } from './rows.ts';
import { type End, reportShape, runRows } from './run.ts';
import { filesOf, type RunSettings, runSettings } from './settings.ts';
import { type Source, withSource } from './source.ts';
import { type Choice, type Chooser, type ChosenRow, openChosen, type Survey, survey } from './survey.ts';
import type { BulkTools } from './tools.ts';

/** Everything that a run is about. */
interface Job {
  readonly tools: BulkTools;
  readonly settings: RunSettings;
  readonly source: Source;
  readonly operation: string | undefined;
  readonly ledger: string;
  readonly rejects: string;
  readonly before: LedgerContent | undefined;
  readonly choose: Chooser;
}

/** `iam bulk run FILE`. */
export async function runBulk(tools: BulkTools, file: string, options: Options): Promise<void> {
  const settings = runSettings(tools, options);
  if (settings.operation !== undefined) tools.find(settings.operation);
  await withSource(tools, file, async (source) => {
    const { ledger, rejects } = filesOf(file, source.digest, settings);
    await alone(tools, settings, ledger, async () => {
      const before = await ledgerOf(tools, ledger);
      if (before) requireSame(tools, source, before.heading, ledger, settings.operation);
      const choose = chooser(before, settings, false);
      await carryOut({ tools, settings, source, operation: settings.operation, ledger, rejects, before, choose });
    });
  });
}

/** `iam bulk retry LEDGER`. */
export async function retryBulk(tools: BulkTools, ledger: string, given: string | undefined, options: Options) {
  const settings = runSettings(tools, options);
  await alone(tools, settings, ledger, async () => {
    const before = await ledgerOf(tools, ledger);
    if (!before) throw tools.usage(`There is no ledger ${ledger}.`);
    const { heading } = before;
    const file = given ?? heading.file;
    if (file === '-' && given === undefined)
      throw tools.usage('The rows came from standard input.', `Give them again: \`iam bulk retry ${ledger} FILE\`.`);
    await withSource(tools, file, async (source) => {
      requireSame(tools, source, heading, ledger, heading.operation);
      const { rejects } = filesOf(file, source.digest, settings);
      const choose = chooser(before, settings, true);
      await carryOut({ tools, settings, source, operation: heading.operation, ledger, rejects, before, choose });
    });
  });
}

/** Two runs with the same ledger would do rows twice: the second waits for the first. */
async function alone(
  tools: BulkTools,
  { isDry }: RunSettings,
  ledger: string,
  work: () => Promise<void>,
): Promise<void> {
  if (isDry) return work();
  const folder = path.dirname(ledger);
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw tools.usage(`There is no folder ${folder}.`);
  await tools.underLock(`${ledger}.lock`, work);
}

async function ledgerOf({ usage }: BulkTools, file: string): Promise<LedgerContent | undefined> {
  return readLedger(file).catch((error: Error) => {
    throw usage(error.message, 'Name another file with --ledger.');
  });
}

function requireSame(
  { usage, server }: BulkTools,
  source: Source,
  heading: LedgerHeading,
  ledger: string,
  operation: string | undefined,
): void {
  const other =
    heading.digest !== source.digest
      ? 'of other rows'
      : heading.server !== server
        ? `of the server ${heading.server}`
        : heading.operation !== operation
          ? `of the operation ${heading.operation ?? 'that each row names'}`
          : undefined;
  if (other !== undefined)
    throw usage(`${ledger} is the ledger ${other}.`, 'Name a new file with --ledger to send these rows.');
}

/** A refusal has changed nothing, so refused rows come again; of the others only those that may be repeated. */
function chooser(before: LedgerContent | undefined, { repeatUnknown }: RunSettings, onlyFailed: boolean): Chooser {
  return (row): Choice => {
    const state = before?.stateOf(row.number) ?? 'none';
    if (state === 'ok' || (state === 'none' && onlyFailed)) return 'skip';
    if (state === 'none' || state === 'failed') return 'do';
    return repeatUnknown || !isCall(row) || row.operation.idempotent ? 'do' : 'unknown';
  };
}

function isCall(row: Row | WrongRow): row is Row {
  return !('reason' in row);
}

async function carryOut(job: Job): Promise<void> {
  const { tools, settings, source } = job;
  const { rows } = await openChosen(tools, source, job.operation, job.choose);
  const found = await survey(tools, rows, settings);
  if (settings.isDry) return printPlans(job);
  tools.context.printer.check(reportShape.schema);
  if (found.secretive !== undefined && settings.secretTo === undefined)
    throw tools.usage(`${found.secretive} answers with a secret.`, 'Add --secret-to FILE to keep it.');
  if (found.needsCaller) tools.requireSignIn();
  if (found.changes > 0) tools.requireChanges(found.changes);
  await confirmAll(job, found);
  tellEnd(job, found, await send(job, found));
}

async function printPlans({ tools, source, operation, choose }: Job): Promise<void> {
  const { rows } = await openChosen(tools, source, operation, choose);
  await tools.context.printer.list(plansOf(tools, rows));
  tools.context.notice('Not sent: this was a dry run.');
}

async function* plansOf(tools: BulkTools, rows: AsyncIterable<ChosenRow>) {
  for await (const { row, choice } of rows)
    if (choice === 'do' && isCall(row))
      yield [{ line: row.line, operation: row.operation.id, ...tools.plan(row.operation, row.input) }];
}

/** One row is confirmed like one command; of more, their number has to be typed. */
async function confirmAll({ tools, settings, source }: Job, { destructive, count }: Survey): Promise<void> {
  if (destructive === 0) return;
  const { yes, confirm } = settings;
  const options = { yes, ...(confirm === undefined ? {} : { confirm }) };
  const stdinIsData = source.given === '-';
  if (destructive === 1) {
    const severity = confirm === '1' ? { name: confirm } : {};
    return tools.confirm('One row deletes or removes something. Go on?', options, stdinIsData, severity);
  }
  const question = `${destructive} of ${count} rows delete or remove something.`;
  await tools.confirm(question, options, stdinIsData, { severe: true, name: String(destructive) });
}

async function send(job: Job, { count }: Survey): Promise<End> {
  const { tools, settings, source, operation, before } = job;
  const { file, rows } = await openChosen(tools, source, operation, job.choose);
  const given = source.given === '-' ? '-' : path.resolve(source.given);
  const rejects = path.resolve(job.rejects);
  const heading = { digest: source.digest, file: given, operation, server: tools.server, rejects };
  const names = { ledger: job.ledger, rejects, secretTo: settings.secretTo };
  const places = await openPlaces(tools, names, { heading, before, rejectHeading: file.heading });
  try {
    return await runRows(tools, settings, chosen(rows), places, count);
  } finally {
    await places.close();
  }
}

async function* chosen(rows: AsyncIterable<ChosenRow>): AsyncGenerator<ChosenRow, void, undefined> {
  for await (const one of rows) if (one.choice !== 'skip') yield one;
}

/** Says what became of the rows; throws where not all went well. */
function tellEnd({ tools, ledger, rejects, settings }: Job, { count, skipped }: Survey, end: End): void {
  const { context, failure } = tools;
  const { ok, failed, reason, hadEnough } = end;
  const before = skipped > 0 ? `; ${skipped} were done before` : '';
  context.notice(`${ok} of ${count} rows done${before}.`);
  const goOn = `The ledger is ${ledger}: run the same again to go on.`;
  if (context.io.signal.aborted) {
    context.notice(goOn);
    throw failure('Interrupted.', { code: 'INTERRUPTED', exitCode: 130 });
  }
  if (reason !== undefined) {
    context.notice(goOn);
    throw reason;
  }
  if (failed === 0) return;
  const enough = hadEnough && settings.maxErrors < count ? ' That is as many as --max-errors allows.' : '';
  throw failure(`${failed === 1 ? '1 row failed or has' : `${failed} rows failed or have`} no answer.${enough}`, {
    code: 'ROWS_FAILED',
    exitCode: 8,
    fix: `\`iam bulk retry ${ledger}\` sends them again; those that were refused are in ${rejects} as well.`,
  });
}
