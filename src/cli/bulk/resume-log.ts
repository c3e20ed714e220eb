/**
 * Records the state of each row, so that an interrupted run can resume. Rows are identified by number and need one byte
 * each in memory. The log contains no request or response data except ids.
 */
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { FileTrust } from '../../lib/file-trust.ts';
import { parseJson } from '../../lib/json-text.ts';
import { AppendFile, openNoFollow } from '../io/append-file.ts';
import { jsonText } from '../io/control-characters.ts';
import { distrustError } from '../io/user-folders.ts';
import { isRunId } from './run-mark.ts';

/** `sent`: sent, response not yet received. */
export type RowState = 'none' | 'sent' | 'ok' | 'failed' | 'unknown';

const rowStates: readonly RowState[] = ['none', 'sent', 'ok', 'failed', 'unknown'];

export interface ResumeLogHeader {
  /** Random id of the run. Its reject file contains it. */
  readonly run: string;
  /** SHA-256 of the file of rows. */
  readonly digest: string;
  /** Path of that file. */
  readonly file: string;
  /** Default operation of rows. */
  readonly operation?: string | undefined;
  /** Base URL of the target server. */
  readonly server: string;
  /** Path of the reject file of the last run. */
  readonly rejects: string;
}

export interface ResumeLogEntry {
  readonly row: number;
  readonly line: number;
  readonly state: RowState;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly id?: string | undefined;
}

export interface ResumeLogContent {
  readonly header: ResumeLogHeader;
  getRowState(row: number): RowState;
  /** Length up to the last complete line; a crash can leave a partial line. */
  readonly length: number;
  /** Identifies the file that was read. */
  readonly id: string;
}

function identify({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

/**
 * Reads a resume log; undefined if the file does not exist or is empty.
 * @throws Error with a user-facing message if the file is not a resume log, is damaged, or another user can have written it
 */
export async function readResumeLog(file: string, trust: FileTrust): Promise<ResumeLogContent | undefined> {
  const handle = await openNoFollow(file, 'r').catch(ignoreMissing);
  if (handle === undefined) return undefined;
  try {
    const stats = await statTrusted(file, handle, trust);
    return stats.size === 0 ? undefined : await parseResumeLog(file, handle, stats);
  } finally {
    await handle.close();
  }
}

/** @throws Error with a user-facing message, also for a folder or a device */
async function statTrusted(file: string, handle: FileHandle, trust: FileTrust): Promise<Stats> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new Error(`${file} is not a resume log.`);
  const problem = trust.findOpenProblem(file, stats);
  if (problem) throw distrustError(problem);
  return stats;
}

async function parseResumeLog(file: string, handle: FileHandle, stats: Stats): Promise<ResumeLogContent> {
  const { size } = stats;
  let rowStateBytes = new Uint8Array(1024);
  let header: ResumeLogHeader | undefined;
  let length = 0;
  for await (const line of createInterface({ input: handle.createReadStream({ autoClose: false }) })) {
    const end = length + Buffer.byteLength(line) + 1;
    const value = end > size ? undefined : parseObject(line);
    if (!value) {
      if (end < size || !header) throw new Error(`${file} is not a resume log or is damaged.`);
      break;
    }
    length = end;
    if (!header) header = parseHeader(file, value);
    else if (typeof value.rejects === 'string') header = { ...header, rejects: value.rejects };
    else rowStateBytes = setRowState(rowStateBytes, parseEntry(file, value, size));
  }
  if (!header) throw new Error(`${file} is not a resume log.`);
  const stateOf = (row: number) => rowStates[rowStateBytes[row] ?? 0] ?? 'none';
  return { header, getRowState: stateOf, length, id: identify(stats) };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function parseHeader(file: string, value: Record<string, unknown>): ResumeLogHeader {
  const { resumeLog, run, digest, file: rows, server, rejects } = value;
  const isComplete = [digest, rows, server, rejects].every((text) => typeof text === 'string');
  if (resumeLog !== 1 || !isRunId(run) || !isComplete) throw new Error(`${file} is not a resume log.`);
  return value as unknown as ResumeLogHeader;
}

/** Each row before this one has a line, so its number is less than the size of the file. It bounds the memory. */
function parseEntry(file: string, value: Record<string, unknown>, size: number): ResumeLogEntry {
  const { row } = value;
  if (Number.isSafeInteger(row) && Number(row) > 0 && Number(row) < size) return value as unknown as ResumeLogEntry;
  throw new Error(`${file} is not a resume log or is damaged.`);
}

function setRowState(rowStateBytes: Uint8Array<ArrayBuffer>, { row, state }: ResumeLogEntry): Uint8Array<ArrayBuffer> {
  let grown = rowStateBytes;
  if (row >= rowStateBytes.length) {
    grown = new Uint8Array(row * 2);
    grown.set(rowStateBytes);
  }
  grown[row] = Math.max(0, rowStates.indexOf(state));
  return grown;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Opens an existing resume log to append to it, or creates one. Another reject file is recorded as its last one. */
export async function openResumeLog(
  file: string,
  header: ResumeLogHeader,
  content: ResumeLogContent | undefined,
  trust: FileTrust,
): Promise<AppendFile> {
  const handle = await openNoFollow(file, 'a');
  const log = new AppendFile(handle, file);
  const { rejects } = header;
  try {
    const stats = await statTrusted(file, handle, trust);
    if (content ? content.id !== identify(stats) : stats.size > 0)
      throw new Error(`${file} was replaced during the run.`);
    if (content) await handle.truncate(content.length);
    if (!content) await log.append(`${jsonText({ resumeLog: 1, ...header })}\n`);
    else if (content.header.rejects !== rejects) await log.append(`${jsonText({ rejects })}\n`);
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}
