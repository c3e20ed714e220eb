/** Parses the options and settings of a run. */
import path from 'node:path';
import type { CliSettings } from '../config/settings.ts';
import type { CommandOptions } from '../context.ts';
import { usageError } from '../errors.ts';
import { resolveBaseUrl } from '../http/connection.ts';
import { type MaxWait, readMaxWait } from '../http/retry.ts';
import { requestsAtOnce } from '../http/run-concurrently.ts';
import { type CsvDelimiter, isDelimiter } from './delimiter.ts';
import type { ResumeLogHeader } from './resume-log.ts';
import type { FindRowUpdate } from './row-updates.ts';
import { isRejectFile } from './run-mark.ts';

export interface BulkOptions {
  readonly findRowUpdate: FindRowUpdate;
  /** Base URL of the target server. */
  readonly server: string;
  /** How long a row waits for a server that is busy or cannot be reached. */
  readonly maxWait: MaxWait;
  readonly operation: string | undefined;
  readonly concurrency: number;
  /** Minimum milliseconds between two requests; 0 for no limit. */
  readonly interval: number;
  readonly maxErrors: number;
  readonly isDry: boolean;
  readonly skipInvalid: boolean;
  /** Also retry rows without a response, which may have been applied. */
  readonly repeatUnknown: boolean;
  /** Rows find what exists by its natural key, and make no second one. */
  readonly ifNotExists: boolean;
  /** Rows may name other operations than that of the run. */
  readonly allowsOthers: boolean;
  readonly secretOutput: string | undefined;
  readonly rejects: string | undefined;
  readonly resumeLog: string | undefined;
  readonly yes: boolean;
  readonly confirm: string | undefined;
  readonly quiet: boolean;
  /** The delimiter of CSV cells; detected if it is undefined. */
  readonly delimiter: CsvDelimiter | undefined;
}

const maxConcurrency = 64;

/** @throws CliError (exit 2) for an invalid option or setting */
export function parseBulkOptions(
  settings: CliSettings,
  options: CommandOptions,
  findRowUpdate: FindRowUpdate,
): BulkOptions {
  const text = (name: string) => options[name] as string | undefined;
  const readInteger = (name: string, flag: string, defaultValue: number, max: number) => {
    const value = text(name);
    if (value === undefined) return defaultValue;
    if (/^[1-9]\d{0,8}$/.test(value) && Number(value) <= max) return Number(value);
    throw usageError(
      `${flag} must be a whole number from 1${max === maxConcurrency ? ` to ${max}` : ''}, not ${value}.`,
    );
  };
  return {
    findRowUpdate,
    server: resolveBaseUrl(settings),
    maxWait: readMaxWait(settings),
    operation: text('operation'),
    concurrency: readInteger('concurrency', '--concurrency', requestsAtOnce, maxConcurrency),
    interval: parseRate(text('rate')),
    maxErrors: readInteger('maxErrors', '--max-errors', Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER),
    isDry: options.dryRun === true,
    skipInvalid: options.skipInvalid === true,
    repeatUnknown: options.repeatUnknown === true,
    ifNotExists: options.ifNotExists === true,
    allowsOthers: options.allowOtherOperations === true,
    secretOutput: text('secretOutput'),
    rejects: text('rejects'),
    resumeLog: text('resumeLog'),
    yes: options.yes === true,
    confirm: text('confirm'),
    delimiter: parseDelimiter(text('delimiter')),
    quiet: settings.options.quiet === true,
  };
}

function parseDelimiter(text: string | undefined): CsvDelimiter | undefined {
  const delimiter = text === 'tab' ? '\t' : text;
  if (delimiter === undefined || isDelimiter(delimiter)) return delimiter;
  throw usageError(`--delimiter must be one of , ; | or tab, not ${JSON.stringify(text)}.`);
}

/** Parses `20/s`, `600/m` or a number per second to the interval in milliseconds. */
function parseRate(rate: string | undefined): number {
  if (rate === undefined) return 0;
  const [, count = '', unit = 's'] = /^(\d{1,6}(?:\.\d+)?)(?:\/([sm]))?$/.exec(rate) ?? [];
  if (!(Number(count) > 0)) throw usageError(`--rate must be like 20/s or 600/m, not ${rate}.`);
  return (unit === 'm' ? 60_000 : 1_000) / Number(count);
}

/** Returns the output paths: next to the input file, or in the current folder for standard input. */
export function resolveOutputPaths(
  file: string,
  digest: string,
  bulkOptions: Pick<BulkOptions, 'rejects' | 'resumeLog'>,
) {
  const { dir, name, ext } = path.parse(file);
  const base = file === '-' ? `bulk-${digest.slice(0, 12)}` : path.join(dir, name);
  return {
    resumeLog: bulkOptions.resumeLog ?? `${base}.resume-log`,
    rejects: bulkOptions.rejects ?? `${base}.rejects${file === '-' ? '' : ext}`,
  };
}

/**
 * The rows of a retry. The resume log may come from another person, so it names files in its own folder only.
 * @throws CliError (exit 2) if the rows must be named
 */
export function resolveRetryRows(resumeLog: string, { file }: ResumeLogHeader, argument: string | undefined): string {
  if (argument !== undefined) return argument;
  const hint = `Pass them again with \`iam bulk retry ${resumeLog} FILE\`.`;
  if (file === '-') throw usageError('The rows were read from standard input.', hint);
  if (isBeside(resumeLog, file)) return file;
  throw usageError(`The rows are in ${file}, which is not beside the resume log.`, hint);
}

/**
 * The reject file of a retry: the one with the name of the rows, or the existing one of the run. The resume log may come
 * from another person, so it creates no file of another name, such as `.profile`.
 * @throws CliError (exit 2) if it must be named, also as it is not beside the resume log
 */
export async function resolveRetryRejects(
  resumeLog: string,
  header: ResumeLogHeader,
  file: string,
  { rejects }: BulkOptions,
): Promise<string> {
  if (rejects !== undefined) return rejects;
  const nextTo = (rows: string) =>
    path.resolve(resolveOutputPaths(rows, header.digest, { rejects: undefined, resumeLog: undefined }).rejects);
  const isUsual = header.rejects === nextTo(header.file);
  const known = isUsual ? nextTo(file) : header.rejects;
  const hint = 'Name the file with --rejects.';
  if (!isBeside(resumeLog, known)) throw usageError(`The reject file ${known} is not beside the resume log.`, hint);
  if (isUsual || (await isRejectFile(known, header.run))) return known;
  throw usageError(`${known} is no reject file of this run; it stays as it is.`, hint);
}

function isBeside(resumeLog: string, file: string): boolean {
  return path.dirname(path.resolve(resumeLog)) === path.dirname(path.resolve(file));
}
