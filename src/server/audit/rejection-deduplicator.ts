/**
 * Collapses repeated rejections: the first is recorded immediately; equal ones within a minute become one event with a count.
 * A flood therefore costs a few lines per minute at any rate. The number of distinct kinds is limited as well.
 */
import type { Timer } from '../lib/timer.ts';
import type { AuditEvent } from './event.ts';

export interface RejectionDeduplicator {
  record(event: AuditEvent, network: string): void;
  /** Records pending counts, and stops. */
  stop(): void;
}

interface RejectionCount {
  /** Time of the last recorded rejection. */
  since: string;
  /** The latest rejection after it, and the number of these. */
  latest: AuditEvent;
  count: number;
  /** Undefined if several networks share the count. */
  readonly network?: string;
}

interface Rejection {
  readonly event: AuditEvent;
  readonly network?: string;
}

const windowMs = 60_000;
/** Max kinds of rejections per minute; further ones are grouped by event, operation and code only. */
const defaultCapacity = 1000;
/** Max share of the kinds per network, so that one network does not hide the origin of other rejections. */
const maxNetworkShare = 0.1;

export function createRejectionDeduplicator(
  write: (event: AuditEvent) => void,
  timer: Timer,
  capacity = defaultCapacity,
): RejectionDeduplicator {
  const kinds = new Map<string, RejectionCount>();
  /** Number of kinds per network. */
  const used = new Map<string, number>();
  /** By event, operation and code, which limits their number. */
  const others = new Map<string, RejectionCount>();
  let cancel: (() => void) | undefined;

  function adjustUsage(network: string, change: number): void {
    const count = (used.get(network) ?? 0) + change;
    if (count > 0) used.set(network, count);
    else used.delete(network);
  }

  function hasRoom(network: string): boolean {
    return kinds.size < capacity && (used.get(network) ?? 0) < capacity * maxNetworkShare;
  }

  function track(map: Map<string, RejectionCount>, kind: string, { event, network }: Rejection): void {
    const known = map.get(kind);
    if (known) {
      known.latest = event;
      known.count += 1;
      return;
    }
    map.set(kind, { since: event.time, latest: event, count: 0, ...(network === undefined ? {} : { network }) });
    if (network !== undefined) adjustUsage(network, 1);
    write(event);
    cancel ??= timer.after(windowMs, sweep);
  }

  function writeRepeated(map: Map<string, RejectionCount>): void {
    for (const [kind, repeated] of map) {
      const { latest, count, since, network } = repeated;
      if (count === 0) {
        map.delete(kind);
        if (network !== undefined) adjustUsage(network, -1);
        continue;
      }
      write({ ...latest, targets: undefined, repeated: count, since });
      map.set(kind, { ...repeated, since: latest.time, count: 0 });
    }
  }

  function sweep(): void {
    cancel = undefined;
    writeRepeated(kinds);
    writeRepeated(others);
    if (kinds.size + others.size > 0) cancel = timer.after(windowMs, sweep);
  }

  return {
    record(event, network) {
      const kind = formatKey(event, network);
      if (kinds.has(kind) || hasRoom(network)) track(kinds, kind, { event, network });
      else track(others, JSON.stringify([event.event, event.operation, event.code]), { event: stripOrigin(event) });
    },
    stop() {
      sweep();
      cancel?.();
    },
  };
}

function formatKey({ event, operation, code, sandbox, actor, subject }: AuditEvent, network: string): string {
  const ids = [actor.clientId, actor.userId, actor.logon, subject?.clientId, subject?.userId, subject?.logon];
  return JSON.stringify([network, event, operation, code, sandbox, ...ids]);
}

/** Removes what grouped rejections do not have in common. */
function stripOrigin(event: AuditEvent): AuditEvent {
  return { ...event, actor: { kind: 'various' }, subject: undefined, targets: undefined, remoteAddress: 'various' };
}
