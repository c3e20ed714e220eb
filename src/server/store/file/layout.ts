/** File names and the format version of a store. */
import { join } from 'node:path';
import { createEarlyFormatError, createNewerFormatError } from '../open-error.ts';

/** The only one that is read: format 1 is from before the first release. */
export const FORMAT_VERSION = 2;

/** @throws StoreOpenError if `what`, which `file` contains, has another format */
export function assertFormatVersion(file: string, what: string, version: number): void {
  if (version > FORMAT_VERSION) throw createNewerFormatError(file, `${what} has format ${version}`);
  if (version < FORMAT_VERSION) throw createEarlyFormatError(file, `${what} has format ${version}`);
}

const CLOSED_SEGMENT = /^journal\.(\d{12,})\.jsonl$/;
const REPLACEMENT = /^iam\.replacement\.(\d+)\.json$/;
const SET_ASIDE = /^set-aside\.(\d+)\./;

export interface Layout {
  readonly folder: string;
  /** Identifies the folder as a store and records whether it is initialized. */
  readonly marker: string;
  readonly lock: string;
  readonly checkpoint: string;
  /** The previous checkpoint. */
  readonly previous: string;
  /** The active segment of the write-ahead log. It always exists, except during a rotation. */
  readonly wal: string;
  /** Becomes `wal` at the end of a rotation. */
  readonly nextWal: string;
  readonly path: (name: string) => string;
}

export function layoutOf(folder: string): Layout {
  const path = (name: string) => join(folder, name);
  return {
    folder,
    marker: path('iam-store.json'),
    lock: path('iam.lock'),
    checkpoint: path('iam.json'),
    previous: path('iam.previous.json'),
    wal: path('journal.jsonl'),
    nextWal: path('journal.next.jsonl'),
    path,
  };
}

/** The name of a closed segment, from the sequence of its first commit. */
export function closedSegmentName(first: number): string {
  return `journal.${String(first).padStart(12, '0')}.jsonl`;
}

/** The sequence of the first commit of a closed segment, from its name; undefined for other names. */
export function closedSegmentFirst(name: string): number | undefined {
  return numberIn(CLOSED_SEGMENT, name);
}

/** Whether an interrupted first start may have left this file before it wrote the marker. */
export function isInitialFile(name: string): boolean {
  return name === 'iam.lock' || name.startsWith('iam.lock.') || name === 'iam-store.json.tmp';
}

/** The name of a complete dump that replaces the contents of the folder. */
export function replacementName(number: number): string {
  return `iam.replacement.${number}.json`;
}

/** The number of a replacement, from its name; undefined for other names. */
export function replacementNumber(name: string): number | undefined {
  return numberIn(REPLACEMENT, name);
}

/** The name of a quarantined file of this replacement. Such files are never read and never removed. */
export function setAsideName(number: number, name: string): string {
  return `set-aside.${number}.${name}`;
}

/** The next unused replacement number. */
export function nextReplacement(names: readonly string[]): number {
  const used = names.map((name) => replacementNumber(name) ?? numberIn(SET_ASIDE, name) ?? 0);
  return Math.max(0, ...used) + 1;
}

/** Whether a file is a temporary one that a crash left behind. */
export function isTemporary(name: string): boolean {
  return /^(iam\.json|iam-store\.json|journal\.jsonl|iam\.replacement\.\d+\.json)\.tmp$/.test(name);
}

/** Whether a file contains rows, unlike the marker and the lock. */
export function isStateFile(name: string): boolean {
  const known = ['iam.json', 'iam.previous.json', 'journal.jsonl', 'journal.next.jsonl'];
  return known.includes(name) || closedSegmentFirst(name) !== undefined;
}

function numberIn(pattern: RegExp, name: string): number | undefined {
  const digits = pattern.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
