/**
 * Wrong one-time codes, counted per subject and purpose whatever codes are sent meanwhile (NIST SP 800-63B, 3.1.3.2).
 * Five from one source close the codes of the subject to that source for an hour. After 20 within an hour over all
 * sources only known sources are served, and each other one for the code that it asked for itself: a stranger who uses
 * the budget up does not lock the owner out.
 */
import { epochSeconds } from '../clock.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Code, Row } from '../store/tables.ts';
import { clearExpired } from './clear-expired.ts';
import type { OtpSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';
import {
  eventsOf,
  expiringEvents,
  hour,
  latestOf,
  type SourceEvent,
  secondsUntilBelow,
  sourceDigest,
  withEvent,
} from './source-events.ts';
import type { StoreKey } from './store-key.ts';

const attemptsPerSource = 5;
const attemptsOverall = 20;

type Counted = Pick<Code, 'purpose' | 'subject'>;

/** Which codes of a subject a source may try now: all, those that it asked for, or none; and for how many seconds. */
export type Access = { readonly to: 'all' } | { readonly to: 'own' | 'none'; readonly retryAfter: number };

/**
 * The name under which the wrong codes of a holder count. A digest: callers choose subjects, and names that they could
 * sort would keep expired rows out of the reach of `clearExpired`.
 */
export function attemptsName({ purpose, subject }: Counted, storeKey: Pick<StoreKey, 'digest'>): string {
  return storeKey.digest('otp-attempts', `${purpose}/${subject}`);
}

/** How many more wrong codes may come from the source that asked for this code. */
export async function attemptsLeft(
  reader: Pick<Reader, 'codeFailures'>,
  code: Counted & Pick<Code, 'source'>,
  now: number,
  storeKey: Pick<StoreKey, 'digest'>,
): Promise<number> {
  const row = await reader.codeFailures.get(attemptsName(code, storeKey));
  const wrong = code.source === undefined ? [] : eventsOf(currentOf(row, now), code.source);
  return Math.max(0, attemptsPerSource - wrong.length);
}

export async function accessFor(tx: Transaction, holder: Counted, source: OtpSource, deps: OtpDeps): Promise<Access> {
  const name = attemptsName(holder, deps.storeKey);
  const now = epochSeconds(deps.clock);
  const row = await tx.codeFailures.get(name);
  const events = currentOf(row, now);
  // After a clock was set back, later events count as if just now: the wait ends before the clock is there again.
  if (row && latestOf(eventsIn(row)) > now) await tx.codeFailures.replace({ name, events });
  const own = eventsOf(events, sourceDigest(name, source.key, deps.storeKey));
  if (deps.disableRateLimits) return { to: 'all' };
  if (own.length >= attemptsPerSource) return { to: 'none', retryAfter: latestOf(own) + hour - now };
  const retryAfter = secondsUntilBelow(events, attemptsOverall, now);
  return retryAfter > 0 && !source.isKnown ? { to: 'own', retryAfter } : { to: 'all' };
}

/** Counts a wrong code. Counts that are over are cleared away. */
export async function countAttempt(tx: Transaction, holder: Counted, source: OtpSource, deps: OtpDeps): Promise<void> {
  if (deps.disableRateLimits) return;
  const name = attemptsName(holder, deps.storeKey);
  const now = epochSeconds(deps.clock);
  const before = await tx.codeFailures.get(name);
  const digest = sourceDigest(name, source.key, deps.storeKey);
  const counted = { name, events: withEvent(currentOf(before, now), digest, now) };
  if (before) await tx.codeFailures.replace(counted);
  else await tx.codeFailures.insert(counted);
  await clearExpired(expiringEvents(tx.codeFailures, eventsIn), (row) => row.name, now, name);
}

/** Clears the wrong codes of a source that gave a right one. Those of other sources stay. */
export async function clearAttempts(tx: Transaction, holder: Counted, source: OtpSource, deps: OtpDeps): Promise<void> {
  const name = attemptsName(holder, deps.storeKey);
  const row = await tx.codeFailures.get(name);
  if (!row) return;
  const events = currentOf(row, epochSeconds(deps.clock));
  const own = new Set(eventsOf(events, sourceDigest(name, source.key, deps.storeKey)));
  const others = events.filter((event) => !own.has(event));
  if (others.length === 0) await tx.codeFailures.delete(name);
  else await tx.codeFailures.replace({ name, events: others });
}

/** Oldest first. Each counts until an hour after the last one of its source. */
function currentOf(row: Row<'codeFailures'> | undefined, now: number): SourceEvent[] {
  const events = eventsIn(row).map((event) => ({ ...event, at: Math.min(event.at, now) }));
  const latest = new Map<string | undefined, number>();
  for (const { source, at } of events) latest.set(source, Math.max(latest.get(source) ?? 0, at));
  return events.filter(({ source }) => (latest.get(source) ?? 0) + hour > now);
}

/** Rows without events are of a version that counted over all sources only. */
function eventsIn(row: Row<'codeFailures'> | undefined): readonly SourceEvent[] {
  if (row?.events) return row.events;
  const { failures = 0, lastAt = 0 } = row ?? {};
  return Array.from({ length: Math.min(failures, attemptsOverall) }, () => ({ at: lastAt }));
}
