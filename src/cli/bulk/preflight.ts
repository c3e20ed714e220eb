/** The first reading of the rows: what they are, and whether all of them can be sent. */
import { countChanges } from '../runtime/count-changes.ts';
import { decodeCell } from '../runtime/csv-cell.ts';
import type { BulkDeps } from './deps.ts';
import type { BulkOptions } from './options.ts';
import { openRows, type RowFile } from './records.ts';
import type { RowSource } from './row-source.ts';
import { type BulkRow, createRowParser, type InvalidRow } from './rows.ts';

/** What is to be done with a row. */
export type RowAction = 'do' | 'skip' | 'unknown';

export type RowSelector = (row: BulkRow | InvalidRow) => RowAction;

export interface PreflightReport {
  /** Rows that are to be sent. */
  readonly count: number;
  /** Rows that were done before. */
  readonly skipped: number;
  /** Those to be sent after which something is gone. */
  readonly destructive: number;
  /** Changes that the rows to be sent make: a list as a body is so many. */
  readonly changes: number;
  /** An operation whose answer has a secret, where there is one. */
  readonly secretOperation: string | undefined;
  /** A row needs somebody who is signed in. */
  readonly needsCaller: boolean;
}

/** A chosen row, and whether it may be sent. */
export interface SelectedRow {
  readonly row: BulkRow | InvalidRow;
  readonly action: RowAction;
}

/** The rows of a file from its beginning. */
export async function openSelectedRows(
  { usage, findOperation: find, context }: BulkDeps,
  { file, argument }: RowSource,
  operation: string | undefined,
  select: RowSelector,
): Promise<{ readonly file: RowFile; readonly rows: AsyncGenerator<SelectedRow, void, undefined> }> {
  const unreadable = (error: unknown) =>
    usage(
      `${argument === '-' ? 'Standard input' : argument} holds no rows that can be read: ${(error as Error).message}`,
    );
  const rowFile = await openRows(file).catch((error: unknown) => {
    throw unreadable(error);
  });
  const { csvRaw: raw } = context.sources.options;
  const parseRow = createRowParser(find, operation, (text) => decodeCell(text, { raw }));
  async function* rows(): AsyncGenerator<SelectedRow, void, undefined> {
    try {
      for await (const record of rowFile.rows) {
        const row = parseRow(record);
        yield { row, action: select(row) };
      }
    } catch (error) {
      throw unreadable(error);
    }
  }
  return { file: rowFile, rows: rows() };
}

const maxReported = 10;

/** @throws for wrong usage where a row can't be sent and such rows are not to be left out */
export async function runPreflight(
  deps: BulkDeps,
  rows: AsyncIterable<SelectedRow>,
  options: Pick<BulkOptions, 'skipInvalid'>,
): Promise<PreflightReport> {
  const report = {
    count: 0,
    skipped: 0,
    destructive: 0,
    changes: 0,
    secretOperation: undefined as string | undefined,
    needsCaller: false,
  };
  const problems: string[] = [];
  let problemCount = 0;
  for await (const { row, action } of rows) {
    if (action === 'skip') report.skipped += 1;
    if (action !== 'do') continue;
    report.count += 1;
    if ('reason' in row) {
      problemCount += 1;
      if (problems.length < maxReported) problems.push(`line ${row.line}: ${row.reason}`);
      continue;
    }
    const { operation, input } = row;
    if (operation.effect !== 'read') report.changes += countChanges(input.body);
    if (operation.effect === 'destructive') report.destructive += 1;
    if (operation.response.secret) report.secretOperation = operation.id;
    if (operation.auth !== 'none') report.needsCaller = true;
  }
  if (problemCount > 0 && !options.skipInvalid) throw createInvalidRowsError(deps, problems, problemCount);
  return report;
}

function createInvalidRowsError({ usage }: BulkDeps, problems: readonly string[], count: number): Error {
  const more = count > problems.length ? [`and ${count - problems.length} more`] : [];
  return usage(
    `${count} row${count > 1 ? 's' : ''} can't be sent, so none was:`,
    'Correct them, or add --skip-invalid to put them into the reject file and send the others.',
    [...problems, ...more],
  );
}
