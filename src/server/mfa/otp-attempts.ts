/**
 * Counts wrong one-time codes per subject and purpose, across all codes sent in the meantime (NIST SP 800-63B, 3.1.3.2).
 * After five from one source, that source cannot use the codes of the subject for an hour. After 20 within an hour over
 * all sources, only known sources are served; any other source may use only a code that it requested itself. An attacker
 * who exhausts the limit therefore cannot lock the owner out.
 *
 * Second factors are stricter, because their attacker has the password and so a session in which to request codes: a code
 * that a source requested itself is no exception, and only a second factor makes a source known. The owner whose sources
 * are all unknown recovers the account, which clears the count.
 */
import { epochSeconds } from '../lib/clock.ts';
import type { SourceGroup } from '../lib/request-source.ts';
import { limits } from '../limits/table.ts';
import { clearExpired } from '../store/clear-expired.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Otp, Row } from '../store/tables.ts';
import type { OtpSource } from './otp-source.ts';
import type { OtpDeps } from './otp-value.ts';
import {
  addEvent,
  addSharedEvent,
  filterEvents,
  findLatest,
  hourSeconds,
  type SourceEvent,
  secondsUntilBelow,
  sourceDigest,
  toExpiringTable,
} from './source-events.ts';

const maxAttemptsPerSource = limits.wrongCodesPerSource.max;
const maxAttemptsOverall = limits.wrongCodesPerUser.max;

type AttemptSubject = Pick<Otp, 'purpose' | 'subject'>;

/** The purposes of codes that are submitted in a session, beside the password. */
export const secondFactorPurposes = ['mfa', 'factor', 'legacy-association'] as const;

/** Whether a right code shows that the caller controls every contact of the subject, and so may have more attempts. */
const clearsAttempts = ({ purpose }: AttemptSubject) => purpose === 'mfa' || !isSecondFactor(purpose);

function isSecondFactor(purpose: string): boolean {
  return (secondFactorPurposes as readonly string[]).includes(purpose);
}

/**
 * The codes of a subject that a source may try now: all, those that it requested, or none; `left`: the wrong codes that it
 * may still enter, retryAfter is in seconds.
 */
export type OtpAccess =
  | { readonly to: 'all'; readonly left: number }
  | { readonly to: 'own' | 'none'; readonly left: number; readonly retryAfter: number };

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
  const events = await readEvents(tx, name, now);
  const own = filterEvents(events, sourceDigest(name, source.key, deps.storeSecret));
  if (deps.disableRateLimits) return { to: 'all', left: Number.POSITIVE_INFINITY };
  const ofSource = maxAttemptsPerSource - own.length;
  if (ofSource <= 0) return { to: 'none', left: 0, retryAfter: findLatest(own) + hourSeconds - now };
  const retryAfter = secondsUntilBelow(events, maxAttemptsOverall, now);
  if (source.isKnown) return { to: 'all', left: ofSource };
  const current = events.filter(({ at }) => at > now - hourSeconds).length;
  if (retryAfter === 0) return { to: 'all', left: Math.min(ofSource, maxAttemptsOverall - current) };
  return isSecondFactor(subject.purpose)
    ? { to: 'none', left: 0, retryAfter }
    : { to: 'own', left: ofSource, retryAfter };
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
  const digest = sourceDigest(name, source.key, deps.storeSecret);
  await writeEvents(tx, name, (events, now) => addEvent(events, digest, now), deps);
}

/** Wrong codes within an hour, over all users and purposes. An authenticated client may have many callers. */
const maxAttemptsOfGroup: Readonly<Record<SourceGroup['kind'], number>> = {
  network: limits.wrongCodesPerNetwork.max,
  site: limits.wrongCodesPerSite.max,
  client: limits.wrongCodesPerClient.max,
};

const formatGroupKey = ({ kind, key }: SourceGroup, { storeSecret }: Pick<OtpDeps, 'storeSecret'>) =>
  storeSecret.digest('otp-group-attempts', `${kind}/${key}`);

/** Seconds for which no code of this source is checked, right or wrong, because it submitted too many wrong ones; else 0. */
export async function findGroupWait(tx: Transaction, source: OtpSource, deps: OtpDeps): Promise<number> {
  if (deps.disableRateLimits || source.isKnown) return 0;
  const now = epochSeconds(deps.clock);
  let wait = 0;
  for (const group of source.groups) {
    const events = await readEvents(tx, formatGroupKey(group, deps), now);
    wait = Math.max(wait, secondsUntilBelow(events, maxAttemptsOfGroup[group.kind], now));
  }
  return wait;
}

/** Counts a wrong code for its source over all users, unless the source is known for this one. */
export async function recordGroupAttempt(tx: Transaction, source: OtpSource, deps: OtpDeps): Promise<void> {
  if (deps.disableRateLimits || source.isKnown) return;
  for (const group of source.groups) await writeEvents(tx, formatGroupKey(group, deps), addSharedEvent, deps);
}

/** Clears all wrong codes of a subject. */
export async function clearAllAttempts(tx: Transaction, subject: AttemptSubject, deps: OtpDeps): Promise<void> {
  await tx.codeFailures.delete(formatAttemptsKey(subject, deps.storeSecret));
}

/** Returns whether this was not called for the subject within the last hour. */
export async function isFirstWithinHour(tx: Transaction, subject: string, deps: OtpDeps): Promise<boolean> {
  const name = deps.storeSecret.digest('otp-attempts-cleared', subject);
  if ((await readEvents(tx, name, epochSeconds(deps.clock))).length > 0) return false;
  await writeEvents(tx, name, addSharedEvent, deps);
  return true;
}

/** If the clock was set back, later events count as now, so that the wait does not last until the old time. */
async function readEvents(tx: Transaction, name: string, now: number): Promise<SourceEvent[]> {
  const row = await tx.codeFailures.get(name);
  const events = listCurrentEvents(row, now);
  if (row && findLatest(row.events) > now) await tx.codeFailures.replace({ name, events });
  return events;
}

async function writeEvents(
  tx: Transaction,
  name: string,
  add: (events: readonly SourceEvent[], now: number) => SourceEvent[],
  deps: OtpDeps,
): Promise<void> {
  const now = epochSeconds(deps.clock);
  const before = await tx.codeFailures.get(name);
  const row = { name, events: add(listCurrentEvents(before, now), now) };
  if (before) await tx.codeFailures.replace(row);
  else await tx.codeFailures.insert(row);
  await clearExpired(toExpiringTable(tx.codeFailures), (row) => row.name, now, name);
}

/** Clears the wrong codes of a source that submitted a valid code. Those of other sources remain, also in its group. */
export async function clearFailedAttempts(
  tx: Transaction,
  subject: AttemptSubject,
  source: OtpSource,
  deps: OtpDeps,
): Promise<void> {
  const name = formatAttemptsKey(subject, deps.storeSecret);
  const row = await tx.codeFailures.get(name);
  if (!row || !clearsAttempts(subject)) return;
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
