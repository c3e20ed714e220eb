/** The names of a store's files. */
import { join } from 'node:path';

export const FORMAT_VERSION = 1;

const CLOSED_SEGMENT = /^journal\.(\d{12,})\.jsonl$/;
const REPLACEMENT = /^iam\.replacement\.(\d+)\.json$/;
const SET_ASIDE = /^set-aside\.(\d+)\./;

export interface Layout {
  readonly folder: string;
  /** Says that the folder is a store, and whether its first start was finished. */
  readonly marker: string;
  readonly lock: string;
  readonly checkpoint: string;
  /** The checkpoint before that one. */
  readonly previous: string;
  /** The segment of the journal that is written to. It is there at any time, save within a rotation. */
  readonly wal: string;
  /** What becomes `journal` when a rotation is done. */
  readonly nextWal: string;
  readonly path: (name: string) => string;
}

/** The files of the store in a folder. */
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

/** The name of a segment that is no longer written to, by the sequence of its first record. */
export function closedSegmentName(first: number): string {
  return `journal.${String(first).padStart(12, '0')}.jsonl`;
}

/** The sequence of the first record of a closed segment, by its name; undefined for other names. */
export function closedSegmentFirst(name: string): number | undefined {
  return numberIn(CLOSED_SEGMENT, name);
}

/** Whether a first start that was broken off before it wrote the marker may have left the name behind. */
export function isInitialFile(name: string): boolean {
  return name === 'iam.lock' || name.startsWith('iam.lock.') || name === 'iam-store.json.tmp';
}

/** The name of a state that is to take the place of all that the folder holds, as soon as it is whole. */
export function replacementName(number: number): string {
  return `iam.replacement.${number}.json`;
}

/** Which replacement a name is that of; undefined for other names. */
export function replacementNumber(name: string): number | undefined {
  return numberIn(REPLACEMENT, name);
}

/** What a file is called from the replacement of this number on: never read, never removed. */
export function setAsideName(number: number, name: string): string {
  return `set-aside.${number}.${name}`;
}

/** A number that no replacement before had. */
export function nextReplacement(names: readonly string[]): number {
  const taken = names.map((name) => replacementNumber(name) ?? numberIn(SET_ASIDE, name) ?? 0);
  return Math.max(0, ...taken) + 1;
}

/** Whether a file was to become another one, and a crash came between. */
export function isTemporary(name: string): boolean {
  return /^(iam\.json|iam-store\.json|journal\.jsonl|iam\.replacement\.\d+\.json)\.tmp$/.test(name);
}

/** Whether a file holds some of the state, and not who has it or that it is there. */
export function isStateFile(name: string): boolean {
  const known = ['iam.json', 'iam.previous.json', 'journal.jsonl', 'journal.next.jsonl'];
  return known.includes(name) || closedSegmentFirst(name) !== undefined;
}

function numberIn(pattern: RegExp, name: string): number | undefined {
  const digits = pattern.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
