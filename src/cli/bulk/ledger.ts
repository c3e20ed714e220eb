/**
 * What became of each row, so that a run can go on where the one before ended. It knows rows by their numbers, and holds
 * a byte for each; nothing that was sent or answered is in it but ids.
 */
import { createReadStream } from 'node:fs';
import { stat, truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { jsonText } from '../runtime/control-characters.ts';
import { Appender } from './appender.ts';

/** `sent`: on its way, and no answer was seen. */
export type RowState = 'none' | 'sent' | 'ok' | 'failed' | 'unknown';

const states: readonly RowState[] = ['none', 'sent', 'ok', 'failed', 'unknown'];

export interface LedgerHeading {
  /** SHA-256 of the file of rows. */
  readonly digest: string;
  /** Where that file was. */
  readonly file: string;
  /** What rows that name no operation call. */
  readonly operation?: string | undefined;
  /** The server that the rows go to. */
  readonly server: string;
  /** Where its refused rows are put. */
  readonly rejects: string;
}

export interface LedgerEntry {
  readonly row: number;
  readonly line: number;
  readonly state: RowState;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly id?: string | undefined;
}

export interface LedgerContent {
  readonly heading: LedgerHeading;
  stateOf(row: number): RowState;
  /** Where its last whole line ends; a kill can leave a part of one more. */
  readonly length: number;
}

/**
 * Reads a ledger; nothing where there is none.
 * @throws Error in words for people, where it is none or damaged
 */
export async function readLedger(file: string): Promise<LedgerContent | undefined> {
  const size = (await stat(file).catch(nothingWhereMissing))?.size;
  if (size === undefined || size === 0) return undefined;
  let known = new Uint8Array(1024);
  let heading: LedgerHeading | undefined;
  let length = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const end = length + Buffer.byteLength(line) + 1;
    const value = end > size ? undefined : objectOf(line);
    if (!value) {
      if (end < size || !heading) throw new Error(`${file} is no ledger, or is damaged.`);
      break;
    }
    length = end;
    if (heading) known = noted(known, value as unknown as LedgerEntry);
    else heading = headingOf(file, value);
  }
  if (!heading) throw new Error(`${file} is no ledger.`);
  const stateOf = (row: number) => states[known[row] ?? 0] ?? 'none';
  return { heading, stateOf, length };
}

function nothingWhereMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function headingOf(file: string, value: Record<string, unknown>): LedgerHeading {
  if (value.ledger !== 1 || typeof value.digest !== 'string') throw new Error(`${file} is no ledger.`);
  return value as unknown as LedgerHeading;
}

function noted(known: Uint8Array<ArrayBuffer>, { row, state }: LedgerEntry): Uint8Array<ArrayBuffer> {
  let room = known;
  if (row >= known.length) {
    room = new Uint8Array(row * 2);
    room.set(known);
  }
  room[row] = Math.max(0, states.indexOf(state));
  return room;
}

function objectOf(line: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export class Ledger {
  readonly #appender: Appender;

  constructor(appender: Appender) {
    this.#appender = appender;
  }

  /** Opens a ledger to go on with it, or makes one. */
  static async open(file: string, heading: LedgerHeading, content: LedgerContent | undefined): Promise<Ledger> {
    if (content) await truncate(file, content.length);
    const ledger = new Ledger(await Appender.open(file, 'a'));
    try {
      if (!content) await ledger.#appender.append(`${jsonText({ ledger: 1, ...heading })}\n`);
      return ledger;
    } catch (error) {
      await ledger.close();
      throw error;
    }
  }

  /** It is on the disk once this is done. */
  note(entry: LedgerEntry): Promise<void> {
    return this.#appender.append(`${jsonText(entry)}\n`);
  }

  close(): Promise<void> {
    return this.#appender.close();
  }
}
