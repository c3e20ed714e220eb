/**
 * Counts wrong one-time codes per subject and purpose, across all codes sent in the meantime (NIST SP 800-63B, 3.1.3.2).
 * After five from one source, that source cannot use the codes of the subject for an hour. After 20 within an hour over
 * all sources, only known sources are served; any other source may use only a code that it requested itself. An attacker
 * who exhausts the limit therefore cannot lock the owner out.
 */
import { epochSeconds } from '../lib/clock.ts';
import { clearExpired } from '../store/clear-expired.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Otp, Row } from '../store/tables.ts';
import type { OtpSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';
import {
  addEvent,
  filterEvents,
  findLatest,
  hourSeconds,
  type SourceEvent,
  secondsUntilBelow,
  sourceDigest,
  toExpiringTable,
} from './source-events.ts';

const maxAttemptsPerSource = 5;
const maxAttemptsOverall = 20;

type AttemptSubject = Pick<Otp, 'purpose' | 'subject'>;

/** The codes of a subject that a source may try now: all, those that it requested, or none; retryAfter is in seconds. */
export type OtpAccess = { readonly to: 'all' } | { readonly to: 'own' | 'none'; readonly retryAfter: number };

/**
 * The key for the wrong codes of a subject. It is a digest: callers choose subjects, and keys with a chosen order would
 * keep expired rows out of reach of `clearExpired`.
 */
export function formatAttemptsKey(
  { purpose, subject }: AttemptSubject,
  storeSecret: Pick<StoreSecret, 'digest'>,
): string {
  return storeSecret.digest('otp-attempts', `${purpose}/${subject}`);
}

/** How many more wrong codes are allowed for the source that requested this code. */
export async function countRemainingAttempts(
  reader: Pick<Reader, 'codeFailures'>,
  code: AttemptSubject & Pick<Otp, 'source'>,
  now: number,
  storeSecret: Pick<StoreSecret, 'digest'>,
): Promise<number> {
  const row = await reader.codeFailures.get(formatAttemptsKey(code, storeSecret));
  const wrong = filterEvents(listCurrentEvents(row, now), code.source);
  return Math.max(0, maxAttemptsPerSource - wrong.length);
}

export async function checkOtpAccess(
  tx: Transaction,
  subject: AttemptSubject,
  source: OtpSource,
  deps: OtpDeps,
): Promise<OtpAccess> {
  const name = formatAttemptsKey(subject, deps.storeSecret);
  const now = epochSeconds(deps.clock);
  const row = await tx.codeFailures.get(name);
  const events = listCurrentEvents(row, now);
  // If the clock was set back, later events count as now, so that the wait does not last until the old time.
  if (row && findLatest(row.events) > now) await tx.codeFailures.replace({ name, events });
  const own = filterEvents(events, sourceDigest(name, source.key, deps.storeSecret));
  if (deps.disableRateLimits) return { to: 'all' };
  if (own.length >= maxAttemptsPerSource) return { to: 'none', retryAfter: findLatest(own) + hourSeconds - now };
  const retryAfter = secondsUntilBelow(events, maxAttemptsOverall, now);
  return retryAfter > 0 && !source.isKnown ? { to: 'own', retryAfter } : { to: 'all' };
}

/** Counts a wrong code. Deletes a few expired counts. */
export async function recordFailedAttempt(
  tx: Transaction,
  subject: AttemptSubject,
  source: OtpSource,
  deps: OtpDeps,
): Promise<void> {
  if (deps.disableRateLimits) return;
  const name = formatAttemptsKey(subject, deps.storeSecret);
  const now = epochSeconds(deps.clock);
  const before = await tx.codeFailures.get(name);
  const digest = sourceDigest(name, source.key, deps.storeSecret);
  const row = { name, events: addEvent(listCurrentEvents(before, now), digest, now) };
  if (before) await tx.codeFailures.replace(row);
  else await tx.codeFailures.insert(row);
  await clearExpired(toExpiringTable(tx.codeFailures), (row) => row.name, now, name);
}

/** Clears the wrong codes of a source that submitted a valid code. Those of other sources remain. */
export async function clearFailedAttempts(
  tx: Transaction,
  subject: AttemptSubject,
  source: OtpSource,
  deps: OtpDeps,
): Promise<void> {
  const name = formatAttemptsKey(subject, deps.storeSecret);
  const row = await tx.codeFailures.get(name);
  if (!row) return;
  const events = listCurrentEvents(row, epochSeconds(deps.clock));
  const own = new Set(filterEvents(events, sourceDigest(name, source.key, deps.storeSecret)));
  const others = events.filter((event) => !own.has(event));
  if (others.length === 0) await tx.codeFailures.delete(name);
  else await tx.codeFailures.replace({ name, events: others });
}

/** Oldest first. Each event counts until an hour after the last event of its source. */
function listCurrentEvents(row: Row<'codeFailures'> | undefined, now: number): SourceEvent[] {
  const events = (row?.events ?? []).map((event) => ({ ...event, at: Math.min(event.at, now) }));
  const latest = new Map<string, number>();
  for (const { source, at } of events) latest.set(source, Math.max(latest.get(source) ?? 0, at));
  return events.filter(({ source }) => (latest.get(source) ?? 0) + hourSeconds > now);
}
