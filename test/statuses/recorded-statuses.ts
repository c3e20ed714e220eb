/** Which statuses the servers of a test run have answered with, for each operation. Whoever runs the tests says where that is kept. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Names the folder; without it nothing is kept. */
export const folderVariable = 'IAM_TEST_STATUSES';

interface RequestLogLine {
  readonly msg?: string;
  readonly operation?: string;
  readonly status?: number;
}

/** Keeps what a server that stops has logged of its calls. */
export function recordStatuses(log: readonly string[]): void {
  const folder = process.env[folderVariable];
  if (folder === undefined) return;
  const seen = new Set(log.flatMap(parseStatuses));
  if (seen.size > 0) appendFileSync(path.join(folder, `${process.pid}.txt`), `${[...seen].join('\n')}\n`);
}

function parseStatuses(line: string): string[] {
  const { msg, operation, status } = JSON.parse(line) as RequestLogLine;
  return msg === 'call' && operation !== undefined ? [`${operation} ${status}`] : [];
}

/** `operation status` of everything that was kept. */
export function readStatuses(folder: string): Set<string> {
  const files = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return new Set(files.flatMap((text) => text.split('\n')).filter((line) => line !== ''));
}
