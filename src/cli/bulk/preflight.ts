/** Opens and selects the rows of a file, then validates and counts them before anything is sent. */
import type { EntityName } from '../../contract/entities.ts';
import { countChanges } from '../config/safety.ts';
import type { Context } from '../context.ts';
import { assertHasNaturalKey } from '../create/natural-keys.ts';
import { usageError } from '../errors.ts';
import { idBesideToken } from '../request/created-entity.ts';
import { getOperation } from '../request/find-operation.ts';
import { listGrantReferences } from '../request/grants/role-grants.ts';
import { createCellReader } from './cells.ts';
import type { BulkOptions } from './options.ts';
import { openRows, type RowFile } from './records.ts';
import type { RowSource } from './row-source.ts';
import { type BulkRow, createRowParser, type InvalidRow, isSentBy, type RowAction, type SelectedRow } from './rows.ts';

export type RowSelector = (row: BulkRow | InvalidRow) => RowAction;

export interface PreflightReport {
  /** Rows to send. */
  readonly count: number;
  /** Rows that an earlier run completed. */
  readonly skipped: number;
  /** Rows of an earlier run that have no response and are not sent again. */
  readonly unknown: number;
  /** Rows to send that delete something or replace a list. */
  readonly destructive: number;
  /** The same of those that an earlier run completed. */
  readonly destroyed: number;
  /** Number of changes; each entry of a list body counts. */
  readonly changes: number;
  /** What rows name that can have administrative roles; empty if no row can give some. */
  readonly grantedBy: ReadonlySet<EntityName>;
  /** An operation that returns a secret, if any. */
  readonly secretOperation: string | undefined;
  /** Whether a row requires authentication. */
  readonly needsCaller: boolean;
}

/** Opens a file and returns its rows with their actions. */
export async function openSelectedRows(
  { manifest, settings }: Pick<Context, 'manifest' | 'settings'>,
  { read, argument }: RowSource,
  operation: string | undefined,
  select: RowSelector,
  { delimiter, allowsOthers, findRowUpdate }: Pick<BulkOptions, 'delimiter' | 'allowsOthers' | 'findRowUpdate'>,
): Promise<{ readonly file: RowFile; readonly rows: AsyncGenerator<SelectedRow, void, undefined> }> {
  const unreadable = (error: unknown) =>
    usageError(`Cannot read rows from ${argument === '-' ? 'standard input' : argument}: ${(error as Error).message}`);
  const rowFile = await openRows(read(), delimiter).catch((error: unknown) => {
    throw unreadable(error);
  });
  const { csvRaw } = settings.options;
  const parseRow = createRowParser(
    {
      find: (id) => getOperation(manifest, id),
      common: operation,
      allowsOthers,
      isPartial: (row) => findRowUpdate(row) !== undefined,
    },
    createCellReader(csvRaw === true),
  );
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

/** Validates and counts the rows. @throws CliError (usage) if rows are invalid and --skip-invalid is not set */
export async function runPreflight(
  rows: AsyncIterable<SelectedRow>,
  options: Pick<BulkOptions, 'skipInvalid' | 'ifNotExists' | 'findRowUpdate'>,
): Promise<PreflightReport> {
  const report = {
    count: 0,
    skipped: 0,
    unknown: 0,
    destructive: 0,
    destroyed: 0,
    changes: 0,
    grantedBy: new Set<EntityName>(),
    secretOperation: undefined as string | undefined,
    needsCaller: false,
  };
  const problems: string[] = [];
  let problemCount = 0;
  for await (const { row, action } of rows) {
    if (action === 'skip') {
      report.skipped += 1;
      if (!('reason' in row) && isDestructiveRow(row, options)) report.destroyed += 1;
    }
    if (action === 'unknown') report.unknown += 1;
    if (!isSentBy(action)) continue;
    report.count += 1;
    if ('reason' in row) {
      problemCount += 1;
      if (problems.length < maxReported) problems.push(`line ${row.line}: ${row.reason}`);
      continue;
    }
    const { operation, input } = row;
    if (options.ifNotExists) assertHasNaturalKey(operation, `line ${row.line}: `);
    if (operation.effect !== 'read') report.changes += countChanges(input.body);
    if (isDestructiveRow(row, options)) report.destructive += 1;
    for (const { reference } of listGrantReferences(row)) report.grantedBy.add(reference.entity);
    // A token beside the id of a new entity is omitted without --secret-output, as its create command does.
    if (operation.response.secret && idBesideToken(operation) === undefined) report.secretOperation = operation.id;
    if (operation.auth !== 'none') report.needsCaller = true;
  }
  if (problemCount > 0 && !options.skipInvalid) throw createInvalidRowsError(problems, problemCount);
  return report;
}

/** Whether a row deletes something, or names a list that its update replaces or empties: entries are lost without being named. */
function isDestructiveRow(
  { operation, input }: BulkRow,
  { findRowUpdate }: Pick<BulkOptions, 'findRowUpdate'>,
): boolean {
  if (operation.effect === 'destructive') return true;
  const { properties = {} } = operation.body ?? {};
  const named = Object.keys((input.body ?? {}) as object).some((name) => properties[name]?.type === 'array');
  return named && findRowUpdate(operation) !== undefined;
}

function createInvalidRowsError(problems: readonly string[], count: number): Error {
  const reasons = new Set(problems.map((problem) => problem.replace(/^line \d+: /, '')));
  const [reason = ''] = reasons;
  // Every row has the problem, such as an unknown column.
  if (reasons.size === 1 && count > problems.length)
    return usageError(`${count} invalid rows, nothing was sent:`, 'Correct the column or the operation.', [
      `each of them: ${reason}`,
    ]);
  const more = count > problems.length ? [`and ${count - problems.length} more`] : [];
  return usageError(
    `${count} invalid row${count > 1 ? 's' : ''}, nothing was sent:`,
    'Correct them, or add --skip-invalid to write them to the reject file and send the others.',
    [...problems, ...more],
  );
}
