/**
 * Reads the files of the audit log from their ends, in blocks, for the events that are no longer in memory. Each file is in
 * the order of the sequence numbers, which go on after a restart, so a position in it is found by bisection.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { type AuditFilter, matchesAuditFilter } from '../../contract/audit.ts';
import type { AuditClass, AuditSinks } from './audit.ts';
import type { ObjectChange } from './changes.ts';
import type { AuditEvent, RecordedEvent } from './event.ts';
import { ignoreMissing, maxRotatedFiles } from './file.ts';

export type AuditFiles = Readonly<Record<AuditClass, string>>;

/** Max bytes that one request reads. A search that finds less than a page goes on with the next page. */
export interface ReadBudget {
  left: number;
  /** Default: 128 KiB. */
  readonly blockBytes?: number;
}

export interface HistoryQuery {
  /** Only events before this sequence number. */
  readonly before: number;
  /** Only events from this sequence number on: those of a sandbox begin with it. */
  readonly first: number;
  readonly sandbox: string | undefined;
  readonly filter: AuditFilter;
  readonly budget: ReadBudget;
}

/** All events of the class from this sequence number on are read; `event` is the one with this number, if it matches. */
export interface FoundEvent {
  readonly sequence: number;
  readonly event?: RecordedEvent | undefined;
}

export interface AuditHistory {
  /** Newest first. The first result is the start of the search: no file is read for it. */
  read(auditClass: AuditClass, query: HistoryQuery): AsyncGenerator<FoundEvent, void>;
  /** The highest sequence number in the files; 0 if there is none. */
  findLastSequence(): Promise<number>;
  /** Whether the log had more files than are kept: the oldest ones are deleted. */
  hasDeletedFiles(): Promise<boolean>;
}

const defaultBlockBytes = 128 * 1024;
/** More than a line has. */
const maxLineBytes = 256 * 1024;
/** How far from its end a file is searched for its last event at the start. */
const lastSequenceBytes = 1024 * 1024;

/** @param sinks write what they have accepted before the files are read */
export function createAuditHistory(files: AuditFiles, sinks: AuditSinks): AuditHistory {
  const classes = Object.keys(files) as AuditClass[];
  return {
    async *read(auditClass, query) {
      yield { sequence: query.before };
      await sinks[auditClass].flush();
      yield* readClass(files[auditClass], query.before, (line) => readEvent(line, query), query);
    },
    async findLastSequence() {
      const last = await Promise.all(classes.map((name) => findLastOf(files[name])));
      return Math.max(0, ...last);
    },
    async hasDeletedFiles() {
      const oldest = classes.map((name) => `${files[name]}.${maxRotatedFiles}`);
      const found = await Promise.all(oldest.map((name) => stat(name).catch(ignoreMissing)));
      return found.some((one) => one !== undefined);
    },
  };
}

async function findLastOf(file: string): Promise<number> {
  const budget = { left: lastSequenceBytes };
  const found = readClass(file, Number.POSITIVE_INFINITY, () => undefined, { first: 0, budget });
  for await (const { sequence } of found) {
    if (sequence < Number.POSITIVE_INFINITY) return sequence;
    if (budget.left <= 0) break;
  }
  return 0;
}

async function* readClass(
  file: string,
  before: number,
  toEvent: (line: Buffer) => RecordedEvent | undefined,
  { first, budget }: Pick<HistoryQuery, 'first' | 'budget'>,
): AsyncGenerator<FoundEvent, void> {
  let bound = before;
  // A rotation meanwhile leads to a file that was read already, of which no line is before the last one.
  for (let number = 0; number <= maxRotatedFiles; number += 1) {
    const handle = await open(number === 0 ? file : `${file}.${number}`, 'r').catch(ignoreMissing);
    if (!handle) continue;
    try {
      const end = await findEnd(handle, bound, budget);
      for await (const lines of readLinesBackward(handle, end, budget)) {
        for (const line of lines) {
          const sequence = readSequence(line);
          if (sequence === undefined || sequence >= bound) continue;
          if (sequence < first) return;
          bound = sequence;
          yield { sequence, event: toEvent(line) };
        }
        yield { sequence: bound };
      }
    } finally {
      await handle.close();
    }
  }
}

/** A position near the first line from this sequence number on, and not before it. */
async function findEnd(handle: FileHandle, before: number, budget: ReadBudget): Promise<number> {
  let [low, high] = [0, (await handle.stat()).size];
  if (before === Number.POSITIVE_INFINITY) return high;
  while (high - low > blockBytesOf(budget)) {
    const found = await findLineAfter(handle, { start: low + Math.floor((high - low) / 2), end: high }, budget);
    if (found === undefined) break;
    if (found.sequence >= before) high = found.start;
    else low = found.start;
  }
  return high;
}

interface Section {
  readonly start: number;
  readonly end: number;
}

/** The first event that begins in the section, if it is near its start. */
async function findLineAfter(handle: FileHandle, { start, end }: Section, budget: ReadBudget) {
  const block = await readBlock(handle, { start, end: Math.min(end, start + blockBytesOf(budget)) }, budget);
  for (let at = block.indexOf(lineBreak) + 1; at > 0 && at < block.length; at = block.indexOf(lineBreak, at) + 1) {
    const sequence = readSequence(block.subarray(at, at + maxPrefixLength));
    if (sequence !== undefined) return { sequence, start: start + at };
  }
  return undefined;
}

const lineBreak = 0x0a;

/** The lines of each block, the last one first. A line that is longer than any event is dropped. */
async function* readLinesBackward(handle: FileHandle, from: number, budget: ReadBudget) {
  let rest = Buffer.alloc(0);
  for (let end = from; end > 0; ) {
    const start = Math.max(0, end - blockBytesOf(budget));
    const bytes = Buffer.concat([await readBlock(handle, { start, end }, budget), rest]);
    const lines: Buffer[] = [];
    let lineEnd = bytes.length;
    while (lineEnd > 0) {
      const at = bytes.lastIndexOf(lineBreak, lineEnd - 1);
      if (at === -1) break;
      lines.push(bytes.subarray(at + 1, lineEnd));
      lineEnd = at;
    }
    rest = bytes.subarray(0, lineEnd);
    if (start === 0) lines.push(rest);
    if (rest.length > maxLineBytes) rest = Buffer.alloc(0);
    yield lines;
    end = start;
  }
}

async function readBlock(handle: FileHandle, { start, end }: Section, budget: ReadBudget): Promise<Buffer> {
  const block = Buffer.alloc(end - start);
  const { bytesRead } = await handle.read(block, 0, block.length, start);
  budget.left -= block.length;
  return block.subarray(0, bytesRead);
}

function blockBytesOf({ blockBytes = defaultBlockBytes }: ReadBudget): number {
  return blockBytes;
}

const maxPrefixLength = 32;

/** The number at the start of a line; undefined for what is no event, such as a line that a kill cut off. */
function readSequence(line: Buffer): number | undefined {
  const [, digits] = /^\{"sequence":(\d{1,15}),/.exec(line.toString('latin1', 0, maxPrefixLength)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** What the control plane returns of a line: another version may have written other fields. */
const storedFields = [
  ...(['server', 'time', 'event', 'requestId', 'callerRequestId', 'traceId', 'operation', 'result', 'status'] as const),
  ...([
    'code',
    'reason',
    'actor',
    'byConsole',
    'subject',
    'objects',
    'changed',
    'truncated',
    'rule',
    'remoteAddress',
  ] as const),
  ...(['repeated', 'since'] as const),
] satisfies readonly (keyof AuditEvent)[];

function readEvent(line: Buffer, { filter, sandbox }: HistoryQuery): RecordedEvent | undefined {
  if (!mayMatch(line, filter, sandbox)) return undefined;
  const stored = parseLine(line);
  if (stored === undefined || stored.sandbox !== sandbox || !matchesAuditFilter(stored, filter)) return undefined;
  const { sequence, changes } = stored;
  const fields = Object.fromEntries(storedFields.map((name) => [name, stored[name]]));
  return { sequence, ...fields, changesText: changes && JSON.stringify(changes) } as RecordedEvent;
}

/** Whether the line contains what is searched for: that costs less than to parse it. */
function mayMatch(
  line: Buffer,
  { caller, object, operation, changed }: AuditFilter,
  sandbox: string | undefined,
): boolean {
  const contains = (text: string) => !/^[\w.-]+$/.test(text) || line.includes(`"${text}"`);
  return (
    (changed !== true || line.includes('"changed":true')) &&
    [caller, operation, sandbox].every((text) => text === undefined || contains(text)) &&
    (object === undefined || object.some(contains))
  );
}

/** A line of a file. */
export type StoredEvent = RecordedEvent & { readonly changes?: readonly ObjectChange[] };

/** Returns undefined for a line that is no event: it was cut off, or edited. */
function parseLine(line: Buffer): StoredEvent | undefined {
  try {
    const stored = JSON.parse(line.toString()) as Partial<StoredEvent>;
    const isEvent = [stored.time, stored.event, stored.result, stored.actor?.kind, stored.requestId].every(isText);
    return isEvent ? (stored as StoredEvent) : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
