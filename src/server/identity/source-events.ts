/**
 * What happened under one name within the last hour, and which source it came from: the base of limits that hold per
 * source and over all sources. A source is stored as a keyed digest that differs for each name.
 */
import type { Range } from '../store/store.ts';
import type { StoreKey } from './store-key.ts';

export const hour = 3600;

export interface SourceEvent {
  /** Missing in rows of a version that counted without sources. */
  readonly source?: string | undefined;
  /** Epoch seconds. */
  readonly at: number;
}

/** So many sources are counted one by one within an hour; later ones count together, so that a row stays small. */
const sourcesCounted = 64;
const remainingSources = 'remaining';
const digestLength = 32;

/** How a source is named in the rows of this name. */
export function sourceDigest(name: string, key: string, storeKey: Pick<StoreKey, 'digest'>): string {
  return storeKey.digest('otp-source', `${name}\n${key}`).slice(0, digestLength);
}

/** The events that count for this source: its own or, beyond the first 64 sources, those of all remaining ones. */
export function eventsOf(events: readonly SourceEvent[], source: string): readonly SourceEvent[] {
  const counted = countedAs(events, source);
  return events.filter((event) => event.source === counted);
}

export function withEvent(events: readonly SourceEvent[], source: string, at: number): SourceEvent[] {
  return [...events, { source: countedAs(events, source), at }];
}

function countedAs(events: readonly SourceEvent[], source: string): string {
  const sources = new Set(events.map((event) => event.source));
  return sources.has(source) || sources.size < sourcesCounted ? source : remainingSources;
}

/** Seconds until fewer than `limit` of these events, oldest first, are within the hour; 0 where that is so now. */
export function secondsUntilBelow(events: readonly SourceEvent[], limit: number, now: number): number {
  const last = events.filter(({ at }) => at > now - hour).at(-limit);
  return last ? last.at + hour - now : 0;
}

export function latestOf(events: readonly SourceEvent[]): number {
  return events.reduce((latest, { at }) => Math.max(latest, at), 0);
}

interface EventTable<R> {
  list(range: Range): Promise<readonly R[]>;
  delete(key: string): Promise<boolean>;
}

/** A table of rows with events as `clearExpired` reads it: a row expires an hour after its latest event. */
export function expiringEvents<R extends object>(table: EventTable<R>, eventsIn: (row: R) => readonly SourceEvent[]) {
  return {
    list: async (range: Range) =>
      (await table.list(range)).map((row) => ({ ...row, expiresAt: latestOf(eventsIn(row)) + hour })),
    delete: (key: string) => table.delete(key),
  };
}
