/**
 * Events of the last hour under one key, with their source: the basis of limits per source and over all sources. A source
 * is stored as a keyed digest that differs for each key.
 */
import type { ExpiringTable } from '../store/clear-expired.ts';
import type { Range } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';

export const hourSeconds = 3600;

export interface SourceEvent {
  readonly source: string;
  /** Epoch seconds. */
  readonly at: number;
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

/** Seconds until fewer than `limit` of these events, oldest first, are within the hour; 0 if that is already so. */
export function secondsUntilBelow(events: readonly SourceEvent[], limit: number, now: number): number {
  const last = events.filter(({ at }) => at > now - hourSeconds).at(-limit);
  return last ? last.at + hourSeconds - now : 0;
}

export function findLatest(events: readonly SourceEvent[]): number {
  return events.reduce((latest, { at }) => Math.max(latest, at), 0);
}

/** Adapts a table of rows with events to `clearExpired`: a row expires an hour after its latest event. */
export function toExpiringTable<R extends { readonly events: readonly SourceEvent[] }>(table: ExpiringTable<R>) {
  return {
    list: async (range: Range) =>
      (await table.list(range)).map((row) => ({ ...row, expiresAt: findLatest(row.events) + hourSeconds })),
    delete: (key: string) => table.delete(key),
  };
}
