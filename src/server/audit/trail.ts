/** The audit events of one service, for the control plane: the last ones in memory, and behind them those of the files. */
import { type AuditExtent, type AuditFilter, type AuditObject, matchesAuditFilter } from '../../contract/audit.ts';
import type { Page } from '../../contract/operation.ts';
import { toPage } from '../store/pages.ts';
import type { AuditClass } from './audit.ts';
import { type ChangeDescriber, createChangeDescriber } from './changes.ts';
import type { AuditEvent, RecordedEvent } from './event.ts';
import type { AuditHistory, FoundEvent, ReadBudget } from './history.ts';
import { mergeNewestFirst } from './newest-first.ts';
import { type AuditSequence, createAuditSequence } from './sequence.ts';

interface PageRange {
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface AuditTrail {
  /** @returns the event with its sequence number. */
  add(event: AuditEvent, auditClass: AuditClass): AuditEvent;
  /** Returns the events from this sequence number on, oldest first. */
  since(sequence: number): readonly RecordedEvent[];
  /**
   * A page of the events that match, newest first. It is short if the files have too few matching events among those that
   * one request reads; the next page goes on.
   */
  read(filter: AuditFilter, range: PageRange): Promise<Page<RecordedEvent>>;
  /** What the list can contain at most. */
  findExtent(): Promise<AuditExtent>;
  /** The sequence number of the next event. */
  readonly next: number;
  /** Whether an event from this sequence number on is no longer stored. */
  hasMissed(sequence: number): boolean;
  /** The objects of the events with their last names, also those that were deleted since. */
  namedObjects(): readonly Required<AuditObject>[];
  readonly describeChanges: ChangeDescriber;
}

export const maxAuditEvents = 5_000;

/** About a quarter of a second. */
const maxBytesPerRead = 32 * 1024 * 1024;

export interface AuditTrailOptions {
  /** The name of this server, if several share the store: each has the events of its own requests. */
  readonly server?: string | undefined;
  /** The name of the sandbox whose events these are. */
  readonly sandbox?: string | undefined;
  /** Shared by all services whose events are in the same files. */
  readonly sequence?: AuditSequence | undefined;
  /** Missing if no files are written. */
  readonly history?: AuditHistory | undefined;
  onAdded?(): void;
  readonly limit?: number;
  readonly bytesPerRead?: number;
  readonly blockBytes?: number;
}

/**
 * Above the limit, the oldest event of the largest class is evicted: events that anyone can cause do not evict those of
 * administrators.
 */
export function createAuditTrail({
  server,
  sandbox,
  history,
  onAdded,
  sequence = createAuditSequence(),
  limit = maxAuditEvents,
  bytesPerRead = maxBytesPerRead,
  blockBytes,
}: AuditTrailOptions): AuditTrail {
  const classes: Readonly<Record<AuditClass, RecordedEvent[]>> = { granted: [], selfService: [], refused: [] };
  let [size, lastEvicted] = [0, 0];
  /** Events of an earlier sandbox of this name are before it. */
  const first = sandbox === undefined ? 0 : sequence.next;

  function evictOldest(): void {
    const largest = Object.values(classes).reduce((one, other) => (other.length > one.length ? other : one));
    lastEvicted = Math.max(lastEvicted, largest.shift()?.sequence ?? 0);
  }

  function listNewest(start: number): readonly RecordedEvent[] {
    return Object.values(classes)
      .flatMap((events) => events.slice(events.findLastIndex((event) => event.sequence < start) + 1))
      .sort((one, other) => other.sequence - one.sequence);
  }

  /** Of each class those in memory, and those of its file before them. */
  function openSources(filter: AuditFilter, before: number, budget: ReadBudget) {
    const isMatch = (event: RecordedEvent) => event.sequence < before && matchesAuditFilter(event, filter);
    const sources = [iterate(listNewest(0).filter(isMatch))];
    if (!history) return sources;
    const names = (Object.keys(classes) as AuditClass[]).filter(
      (name) => filter.result === undefined || (filter.result === 'granted') === (name !== 'refused'),
    );
    const query = { first, sandbox, filter, budget };
    const readBefore = (name: AuditClass) => Math.min(before, classes[name][0]?.sequence ?? sequence.next);
    return [...sources, ...names.map((name) => history.read(name, { ...query, before: readBefore(name) }))];
  }

  return {
    async read(filter, range) {
      const before = range.after === undefined ? Number.POSITIVE_INFINITY : Number(range.after);
      const budget = { left: bytesPerRead, ...(blockBytes === undefined ? {} : { blockBytes }) };
      const matches: RecordedEvent[] = [];
      for await (const found of mergeNewestFirst(openSources(filter, before, budget))) {
        if (found.event) matches.push(found.event);
        if (matches.length > range.limit) break;
        if (budget.left <= 0 && found.sequence < before) return { items: matches, next: String(found.sequence) };
      }
      return toPage(matches, range.limit, (event) => String(event.sequence));
    },
    async findExtent() {
      if (!history) return 'run';
      return (await history.hasDeletedFiles()) ? 'files' : 'all';
    },
    add(event, auditClass) {
      const recorded = { sequence: sequence.take(), server, ...event };
      classes[auditClass].push(recorded);
      if (size === limit) evictOldest();
      else size += 1;
      onAdded?.();
      return recorded;
    },
    since: (start) => listNewest(start).toReversed(),
    get next() {
      return sequence.next;
    },
    namedObjects: () => [
      ...new Map(
        Object.values(classes)
          .flat()
          .flatMap(({ objects = [] }) => objects)
          .filter((object): object is Required<AuditObject> => object.name !== undefined)
          .map((object) => [`${object.entity} ${object.id}`, object]),
      ).values(),
    ],
    hasMissed: (start) => start <= lastEvicted,
    describeChanges: createChangeDescriber(),
  };
}

async function* iterate(events: readonly RecordedEvent[]): AsyncGenerator<FoundEvent, void> {
  for (const event of events) yield { sequence: event.sequence, event };
}
