/**
 * Events of a window, by default the last hour, under one key, with their source: the basis of limits per source and over
 * all sources. A source is stored as a keyed digest that differs for each key.
 */
import type { ExpiringTable } from '../store/clear-expired.ts';
import type { Range } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';

export const hourSeconds = 3600;

export interface SourceEvent {
  readonly source: string;
  /** Epoch seconds. */
  readonly at: number;
  /** More than one if events were counted together; `at` is then that of the last one. */
  readonly count?: number | undefined;
}

/** Sources counted individually within an hour; later ones are counted together, to bound the size of a row. */
const maxCountedSources = 64;
const remainingSources = 'remaining';
const digestLength = 32;

/** The digest of a source in the rows of this name. */
export function sourceDigest(name: string, key: string, storeSecret: Pick<StoreSecret, 'digest'>): string {
  return storeSecret.digest('otp-source', `${name}\n${key}`).slice(0, digestLength);
}

/** The events that count for this source: its own or, beyond the first 64 sources, those of all remaining ones. */
export function filterEvents(events: readonly SourceEvent[], source: string): readonly SourceEvent[] {
  const counted = toCountedSource(events, source);
  return events.filter((event) => event.source === counted);
}

export function addEvent(events: readonly SourceEvent[], source: string, at: number): SourceEvent[] {
  return [...events, { source: toCountedSource(events, source), at }];
}

function toCountedSource(events: readonly SourceEvent[], source: string): string {
  const sources = new Set(events.map((event) => event.source));
  return sources.has(source) || sources.size < maxCountedSources ? source : remainingSources;
}

/** Events of a shared count that are less than this apart may be stored as one, which bounds the size of a row. */
const sharedSeconds = 300;

/** Adds an event without its source, to those of the last hour. Never counts one for less than that. */
export function addSharedEvent(events: readonly SourceEvent[], at: number): SourceEvent[] {
  const current = events.filter((event) => event.at > at - hourSeconds);
  const last = current.at(-1);
  const slotOf = (time: number) => Math.floor(time / sharedSeconds);
  if (!last || slotOf(last.at) !== slotOf(at)) return [...current, { source: '', at, count: 1 }];
  return [...current.slice(0, -1), { source: '', at, count: (last.count ?? 1) + 1 }];
}

/** Seconds until fewer than `limit` of these events, oldest first, are within the window; 0 if that is already so. */
export function secondsUntilBelow(
  events: readonly SourceEvent[],
  limit: number,
  now: number,
  windowSeconds = hourSeconds,
): number {
  let count = 0;
  for (const event of events.filter(({ at }) => at > now - windowSeconds).toReversed()) {
    count += event.count ?? 1;
    if (count >= limit) return event.at + windowSeconds - now;
  }
  return 0;
}

export function findLatest(events: readonly SourceEvent[]): number {
  return events.reduce((latest, { at }) => Math.max(latest, at), 0);
}

interface EventRow {
  readonly events: readonly SourceEvent[];
  readonly windowSeconds?: number | undefined;
}

/** Adapts a table of rows with events to `clearExpired`: a row expires when its latest event leaves the window. */
export function toExpiringTable<R extends EventRow>(table: ExpiringTable<R>) {
  const expiryOf = ({ events, windowSeconds = hourSeconds }: R) => findLatest(events) + windowSeconds;
  return {
    list: async (range: Range) => (await table.list(range)).map((row) => ({ ...row, expiresAt: expiryOf(row) })),
    delete: (key: string) => table.delete(key),
  };
}
