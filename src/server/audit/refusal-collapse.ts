/**
 * Collapses repeated refusals: the first is recorded at once, those like it within a minute become one event with their
 * number. So a flood costs a few lines a minute, whatever its rate, and the number of different ones is bounded as well.
 */
import type { Timer } from '../integrations/timer.ts';
import type { AuditEvent } from './event.ts';

export interface RefusalCollapse {
  record(event: AuditEvent, network: string): void;
  /** Records what is still to be told, and stops. */
  stop(): void;
}

interface RefusalCount {
  /** The one that was recorded last. */
  since: string;
  /** The latest of those that came after it, and how many did. */
  latest: AuditEvent;
  count: number;
  /** Missing where several share it. */
  readonly network?: string;
}

interface Refusal {
  readonly event: AuditEvent;
  readonly network?: string;
}

const windowMs = 60_000;
/** So many kinds of refusals are told apart in a minute; what is more is told by event, operation and code alone. */
const defaultCapacity = 1000;
/** The part of them that one network may use, so that it does not hide where refusals of others come from. */
const maxNetworkShare = 0.1;

export function createRefusalCollapse(
  write: (event: AuditEvent) => void,
  timer: Timer,
  capacity = defaultCapacity,
): RefusalCollapse {
  const kinds = new Map<string, RefusalCount>();
  /** How many of the kinds are of a network. */
  const used = new Map<string, number>();
  /** By event, operation and code, so there are only so many. */
  const others = new Map<string, RefusalCount>();
  let cancel: (() => void) | undefined;

  function adjustUsage(network: string, change: number): void {
    const count = (used.get(network) ?? 0) + change;
    if (count > 0) used.set(network, count);
    else used.delete(network);
  }

  function hasRoom(network: string): boolean {
    return kinds.size < capacity && (used.get(network) ?? 0) < capacity * maxNetworkShare;
  }

  function track(map: Map<string, RefusalCount>, kind: string, { event, network }: Refusal): void {
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

  function writeRepeated(map: Map<string, RefusalCount>): void {
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

/** Of refusals that are told together, whatever they have not in common. */
function stripOrigin(event: AuditEvent): AuditEvent {
  return { ...event, actor: { kind: 'various' }, subject: undefined, targets: undefined, remoteAddress: 'various' };
}
