/** Records the statuses that the servers of a test run return per operation, in the folder that the runner sets. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** The variable with the folder; without it nothing is recorded. */
export const folderVariable = 'IAM_TEST_STATUSES';

interface RequestLogLine {
  readonly msg?: string;
  readonly operation?: string;
  readonly status?: number;
}

/** Records the statuses in the log of a stopping server. */
export function recordStatuses(log: readonly string[]): void {
  const folder = process.env[folderVariable];
  if (folder === undefined) return;
  const seen = new Set(log.flatMap(parseStatuses));
  if (seen.size > 0) appendFileSync(path.join(folder, `${process.pid}.txt`), `${[...seen].join('\n')}\n`);
}

function parseStatuses(line: string): string[] {
  const { msg, operation, status } = JSON.parse(line) as RequestLogLine;
  return msg === 'request' && operation !== undefined ? [`${operation} ${status}`] : [];
}

/** Returns all recorded statuses as `operation status`. */
export function readStatuses(folder: string): Set<string> {
  const files = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return new Set(files.flatMap((text) => text.split('\n')).filter((line) => line !== ''));
}
