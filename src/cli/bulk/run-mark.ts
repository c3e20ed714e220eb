/**
 * The line of a reject file that names the run that made it. A run deletes and rewrites only files with its own line, as the
 * path comes from the resume log. It is the first line, or follows `sep=;`, which a spreadsheet reads in the first line only.
 */
import { lstat, open } from 'node:fs/promises';

const runId = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** A spreadsheet adds empty cells. */
const markLine = new RegExp(`^(\\s*(?:sep=.\\r?\\n)?)"?#iam-rejects (${runId})"?[,;|\\t]*(?=\\r?\\n|$)`);
const isId = new RegExp(`^${runId}$`);

export function isRunId(value: unknown): value is string {
  return typeof value === 'string' && isId.test(value);
}

export function formatMark(run: string): string {
  return `#iam-rejects ${run}`;
}

/** Whether a line is about the file: the rows begin after it. */
export function mayPrecedeRows(line: string): boolean {
  return /^(?:sep=|"?#iam-rejects )/i.test(line);
}

/** Replaces the mark at the start of a text by an empty line, so that line numbers stay. */
export function withoutMark(text: string): string {
  return text.replace(markLine, '$1');
}

const maxMarkBytes = 256;

/** Whether a file is a reject file of this run; undefined if it does not exist. Links are not followed. */
export async function isRejectFile(file: string, run: string): Promise<boolean | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isFile()) return found && false;
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxMarkBytes), 0, maxMarkBytes, 0);
    return markLine.exec(buffer.toString('utf8', 0, bytesRead).replace(/^\ufeff/, ''))?.[2] === run;
  } finally {
    await handle.close();
  }
}
