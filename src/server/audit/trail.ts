/** The last audit events of one service, in memory, for the control plane. */
import type { AuditObject } from '../../contract/audit.ts';
import type { AuditClass } from './audit.ts';
import { type ChangeDescriber, createChangeDescriber } from './changes.ts';
import type { AuditEvent } from './event.ts';

/** An event whose changes are one text: the collector copies it in less time than many objects. */
export interface RecordedEvent extends Omit<AuditEvent, 'changes'> {
  readonly sequence: number;
}

export interface AuditTrail {
  /** @returns the event with its sequence number. */
  add(event: AuditEvent, auditClass: AuditClass): AuditEvent;
  /** Returns the events from this sequence number on, oldest first. */
  since(sequence: number): readonly RecordedEvent[];
  /** The sequence number of the next event. */
  readonly next: number;
  /** Whether an event from this sequence number on is no longer stored. */
  hasMissed(sequence: number): boolean;
  /** The objects of the events with their last names, also those that were deleted since. */
  namedObjects(): readonly Required<AuditObject>[];
  readonly describeChanges: ChangeDescriber;
}

export const maxAuditEvents = 5_000;

export interface AuditTrailOptions {
  /** The name of this server, if several share the store: each has the events of its own requests. */
  readonly server?: string | undefined;
  onAdded?(): void;
  readonly limit?: number;
}

/**
 * Above the limit, the oldest event of the largest class is evicted: events that anyone can cause do not evict those of
 * administrators.
 */
export function createAuditTrail({ server, onAdded, limit = maxAuditEvents }: AuditTrailOptions): AuditTrail {
  const classes: Readonly<Record<AuditClass, RecordedEvent[]>> = { granted: [], selfService: [], refused: [] };
  let [next, size, lastEvicted] = [1, 0, 0];

  function evictOldest(): void {
    const [largest] = Object.values(classes).sort((one, other) => other.length - one.length);
    lastEvicted = Math.max(lastEvicted, largest?.shift()?.sequence ?? 0);
  }

  return {
    add(event, auditClass) {
      const recorded = { sequence: next, server, ...event };
      const { changes: _, ...stored } = recorded;
      classes[auditClass].push(stored);
      next += 1;
      if (size === limit) evictOldest();
      else size += 1;
      onAdded?.();
      return recorded;
    },
    since: (sequence) =>
      Object.values(classes)
        .flatMap((events) => events.slice(events.findLastIndex((event) => event.sequence < sequence) + 1))
        .sort((one, other) => one.sequence - other.sequence),
    get next() {
      return next;
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
    hasMissed: (sequence) => sequence <= lastEvicted,
    describeChanges: createChangeDescriber(),
  };
}
