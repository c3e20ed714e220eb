/**
 * Wrong one-time codes, counted per subject and purpose whatever codes are sent meanwhile (NIST SP 800-63B, 3.1.3.2).
 * Five from one source close the codes of the subject to that source for an hour. After 20 within an hour over all
 * sources only known sources are served, and each other one for the code that it asked for itself: a stranger who uses
 * the budget up does not lock the owner out.
 */
import { epochSeconds } from '../clock.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { Otp, Row } from '../store/tables.ts';
import { clearExpired } from './clear-expired.ts';
import type { OtpSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';
import {
  addEvent,
  filterEvents,
  findLatest,
  hour,
  type SourceEvent,
  secondsUntilBelow,
  sourceDigest,
  toExpiringTable,
} from './source-events.ts';
import type { StoreSecret } from './store-secret.ts';

const maxAttemptsPerSource = 5;
const maxAttemptsOverall = 20;

type AttemptSubject = Pick<Otp, 'purpose' | 'subject'>;

/** Which codes of a subject a source may try now: all, those that it asked for, or none; and for how many seconds. */
export type OtpAccess = { readonly to: 'all' } | { readonly to: 'own' | 'none'; readonly retryAfter: number };

/**
 * The name under which the wrong codes of a holder count. A digest: callers choose subjects, and names that they could
 * sort would keep expired rows out of the reach of `clearExpired`.
 */
export function formatAttemptsKey(
  { purpose, subject }: AttemptSubject,
  storeSecret: Pick<StoreSecret, 'digest'>,
): string {
  return storeSecret.digest('otp-attempts', `${purpose}/${subject}`);
}

/** How many more wrong codes may come from the source that asked for this code. */
export async function countRemainingAttempts(
  reader: Pick<Reader, 'codeFailures'>,
  code: AttemptSubject & Pick<Otp, 'source'>,
  now: number,
  storeSecret: Pick<StoreSecret, 'digest'>,
): Promise<number> {
  const row = await reader.codeFailures.get(formatAttemptsKey(code, storeSecret));
  const wrong = code.source === undefined ? [] : filterEvents(listCurrentEvents(row, now), code.source);
  return Math.max(0, maxAttemptsPerSource - wrong.length);
}

export async function checkOtpAccess(
  tx: Transaction,
  holder: AttemptSubject,
  source: OtpSource,
  deps: OtpDeps,
): Promise<OtpAccess> {
  const name = formatAttemptsKey(holder, deps.storeSecret);
  const now = epochSeconds(deps.clock);
  const row = await tx.codeFailures.get(name);
  const events = listCurrentEvents(row, now);
  // After a clock was set back, later events count as if just now: the wait ends before the clock is there again.
  if (row && findLatest(readEvents(row)) > now) await tx.codeFailures.replace({ name, events });
  const own = filterEvents(events, sourceDigest(name, source.key, deps.storeSecret));
  if (deps.disableRateLimits) return { to: 'all' };
  if (own.length >= maxAttemptsPerSource) return { to: 'none', retryAfter: findLatest(own) + hour - now };
  const retryAfter = secondsUntilBelow(events, maxAttemptsOverall, now);
  return retryAfter > 0 && !source.isKnown ? { to: 'own', retryAfter } : { to: 'all' };
}

/** Counts a wrong code. Counts that are over are cleared away. */
export async function recordFailedAttempt(
  tx: Transaction,
  holder: AttemptSubject,
  source: OtpSource,
  deps: OtpDeps,
): Promise<void> {
  if (deps.disableRateLimits) return;
  const name = formatAttemptsKey(holder, deps.storeSecret);
  const now = epochSeconds(deps.clock);
  const before = await tx.codeFailures.get(name);
  const digest = sourceDigest(name, source.key, deps.storeSecret);
  const counted = { name, events: addEvent(listCurrentEvents(before, now), digest, now) };
  if (before) await tx.codeFailures.replace(counted);
  else await tx.codeFailures.insert(counted);
  await clearExpired(toExpiringTable(tx.codeFailures, readEvents), (row) => row.name, now, name);
}

/** Clears the wrong codes of a source that gave a right one. Those of other sources stay. */
export async function clearFailedAttempts(
  tx: Transaction,
  holder: AttemptSubject,
  source: OtpSource,
  deps: OtpDeps,
): Promise<void> {
  const name = formatAttemptsKey(holder, deps.storeSecret);
  const row = await tx.codeFailures.get(name);
  if (!row) return;
  const events = listCurrentEvents(row, epochSeconds(deps.clock));
  const own = new Set(filterEvents(events, sourceDigest(name, source.key, deps.storeSecret)));
  const others = events.filter((event) => !own.has(event));
  if (others.length === 0) await tx.codeFailures.delete(name);
  else await tx.codeFailures.replace({ name, events: others });
}

/** Oldest first. Each counts until an hour after the last one of its source. */
function listCurrentEvents(row: Row<'codeFailures'> | undefined, now: number): SourceEvent[] {
  const events = readEvents(row).map((event) => ({ ...event, at: Math.min(event.at, now) }));
  const latest = new Map<string | undefined, number>();
  for (const { source, at } of events) latest.set(source, Math.max(latest.get(source) ?? 0, at));
  return events.filter(({ source }) => (latest.get(source) ?? 0) + hour > now);
}

/** Rows without events are of a version that counted over all sources only. */
function readEvents(row: Row<'codeFailures'> | undefined): readonly SourceEvent[] {
  if (row?.events) return row.events;
  const { failures = 0, lastAt = 0 } = row ?? {};
  return Array.from({ length: Math.min(failures, maxAttemptsOverall) }, () => ({ at: lastAt }));
}
