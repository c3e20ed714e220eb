/** The first reading of the rows: what they are, and whether all of them can be sent. */
import { changesIn } from '../runtime/changes.ts';
import { fromCell } from '../runtime/csv-cell.ts';
import { openRows, type RowFile } from './records.ts';
import { type Row, rowMaker, type WrongRow } from './rows.ts';
import type { RunSettings } from './settings.ts';
import type { Source } from './source.ts';
import type { BulkTools } from './tools.ts';

/** What is to be done with a row. */
export type Choice = 'do' | 'skip' | 'unknown';

export type Chooser = (row: Row | WrongRow) => Choice;

export interface Survey {
  /** Rows that are to be sent. */
  readonly count: number;
  /** Rows that were done before. */
  readonly skipped: number;
  /** Those to be sent after which something is gone. */
  readonly destructive: number;
  /** Changes that the rows to be sent make: a list as a body is so many. */
  readonly changes: number;
  /** An operation whose answer has a secret, where there is one. */
  readonly secretive: string | undefined;
  /** A row needs somebody who is signed in. */
  readonly needsCaller: boolean;
}

/** A chosen row, and whether it may be sent. */
export interface ChosenRow {
  readonly row: Row | WrongRow;
  readonly choice: Choice;
}

/** The rows of a file from its beginning. */
export async function openChosen(
  { usage, find, context }: BulkTools,
  { file, given }: Source,
  operation: string | undefined,
  choose: Chooser,
): Promise<{ readonly file: RowFile; readonly rows: AsyncGenerator<ChosenRow, void, undefined> }> {
  const unreadable = (error: unknown) =>
    usage(`${given === '-' ? 'Standard input' : given} holds no rows that can be read: ${(error as Error).message}`);
  const opened = await openRows(file).catch((error: unknown) => {
    throw unreadable(error);
  });
  const { csvRaw: raw } = context.sources.options;
  const make = rowMaker(find, operation, (text) => fromCell(text, { raw }));
  async function* rows(): AsyncGenerator<ChosenRow, void, undefined> {
    try {
      for await (const record of opened.rows) {
        const row = make(record);
        yield { row, choice: choose(row) };
      }
    } catch (error) {
      throw unreadable(error);
    }
  }
  return { file: opened, rows: rows() };
}

const mostTold = 10;

/** @throws for wrong usage where a row can't be sent and such rows are not to be left out */
export async function survey(
  tools: BulkTools,
  rows: AsyncIterable<ChosenRow>,
  settings: Pick<RunSettings, 'skipInvalid'>,
): Promise<Survey> {
  const found = {
    count: 0,
    skipped: 0,
    destructive: 0,
    changes: 0,
    secretive: undefined as string | undefined,
    needsCaller: false,
  };
  const wrong: string[] = [];
  let wrongCount = 0;
  for await (const { row, choice } of rows) {
    if (choice === 'skip') found.skipped += 1;
    if (choice !== 'do') continue;
    found.count += 1;
    if ('reason' in row) {
      wrongCount += 1;
      if (wrong.length < mostTold) wrong.push(`line ${row.line}: ${row.reason}`);
      continue;
    }
    const { operation, input } = row;
    if (operation.effect !== 'read') found.changes += changesIn(input.body);
    if (operation.effect === 'destructive') found.destructive += 1;
    if (operation.response.secret) found.secretive = operation.id;
    if (operation.auth !== 'none') found.needsCaller = true;
  }
  if (wrongCount > 0 && !settings.skipInvalid) throw refusal(tools, wrong, wrongCount);
  return found;
}

function refusal({ usage }: BulkTools, wrong: readonly string[], count: number): Error {
  const more = count > wrong.length ? [`and ${count - wrong.length} more`] : [];
  return usage(
    `${count} row${count > 1 ? 's' : ''} can't be sent, so none was:`,
    'Correct them, or add --skip-invalid to put them into the reject file and send the others.',
    [...wrong, ...more],
  );
}
