/** The names of a store's files. */
import { join } from 'node:path';

export const FORMAT_VERSION = 1;

const CLOSED_SEGMENT = /^journal\.(\d{12,})\.jsonl$/;

export interface Layout {
  readonly folder: string;
  /** Says that the folder is a store, and whether its first start was finished. */
  readonly marker: string;
  readonly lock: string;
  readonly checkpoint: string;
  /** The checkpoint before that one. */
  readonly previous: string;
  /** The segment of the journal that is written to. It is there at any time, save within a rotation. */
  readonly journal: string;
  /** What becomes `journal` when a rotation is done. */
  readonly nextJournal: string;
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
    journal: path('journal.jsonl'),
    nextJournal: path('journal.next.jsonl'),
    path,
  };
}

/** The name of a segment that is no longer written to, by the sequence of its first record. */
export function closedSegmentName(first: number): string {
  return `journal.${String(first).padStart(12, '0')}.jsonl`;
}

/** The sequence of the first record of a closed segment, by its name; undefined for other names. */
export function closedSegmentFirst(name: string): number | undefined {
  const digits = CLOSED_SEGMENT.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Whether a first start that was broken off before it wrote the marker may have left the name behind. */
export function isFirstTrace(name: string): boolean {
  return name === 'iam.lock' || name.startsWith('iam.lock.') || name === 'iam-store.json.tmp';
}
