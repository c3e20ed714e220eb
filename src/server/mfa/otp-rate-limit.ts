/**
 * Limits codes per contact and per requested name: five an hour from one source and 20 over all sources; beyond that
 * only known sources are served. Codes to contacts that a user has not verified, and that may belong to another person,
 * are besides limited per user.
 */
import { retryLater } from '../../contract/errors.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { RequestSource } from '../lib/request-source.ts';
import { limits } from '../limits/table.ts';
import { type Contact, contactKey } from '../messaging/contacts.ts';
import { clearExpired } from '../store/clear-expired.ts';
import type { Transaction } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { OtpSource } from './otp-source.ts';
import {
  addEvent,
  filterEvents,
  hourSeconds,
  secondsUntilBelow,
  sourceDigest,
  toExpiringTable,
} from './source-events.ts';

const hourlyLimit: OtpLimit = {
  perSource: limits.codesPerSource.max,
  overall: limits.codesPerContact.max,
  windowSeconds: hourSeconds,
};
const unverifiedLimit: OtpLimit = {
  perSource: limits.unverifiedCodesPerUser.max,
  overall: limits.unverifiedCodesPerUser.max,
  windowSeconds: 24 * hourSeconds,
};
/** Clock corrections up to this size do not lose counts. */
const clockToleranceSeconds = 60;

interface OtpLimit {
  readonly perSource: number;
  readonly overall: number;
  readonly windowSeconds: number;
}

interface Deps {
  readonly clock: Clock;
  readonly storeSecret: StoreSecret;
  /** Setting disable-rate-limits: counts nothing. */
  readonly disableRateLimits: boolean;
}

interface OtpRateLimitOptions {
  /** Without a source, all requests count together: five an hour. */
  readonly source?: OtpSource;
  /** Returns false instead of throwing. Counts separately: otherwise others that throw would show the count. */
  readonly quiet?: boolean;
  readonly limit?: OtpLimit;
}

const sharedSource: OtpSource = { key: '', isKnown: false, groups: [] };

/** Callers choose contacts: keys with a chosen order would keep expired rows out of reach of `clearExpired`. */
const formatRowKey = (name: string, { storeSecret }: Pick<Deps, 'storeSecret'>) =>
  storeSecret.digest('otp-sendings', name);

/**
 * The name that codes to a contact count by as second factor of a user. It is not the one of the contact, because callers
 * without a session could exhaust that, and only a second factor makes a source known.
 */
export function formatSecondFactorLimit(contact: Contact): string {
  return `second-factor:${contactKey(contact)}`;
}

/** Clears the count of a name, that of quiet requests included. */
export async function clearOtpRateLimit(tx: Transaction, name: string, deps: Deps): Promise<void> {
  for (const key of [name, `quiet:${name}`]) await tx.sendings.delete(formatRowKey(key, deps));
}

/** Counts a code to a contact that the user has not verified: 20 a day, except on loopback. @throws IamError TOO_MANY_CODES. */
export async function consumeUnverifiedOtpLimit(
  tx: Transaction,
  userId: string,
  deps: Deps & { readonly source: RequestSource },
): Promise<void> {
  if (deps.source.isLoopback) return;
  await consumeOtpRateLimit(tx, `unverified:${userId}`, deps, { limit: unverifiedLimit });
}

/**
 * Counts a code that is sent to a contact or requested under a name.
 * @returns false if `quiet` and the limit is reached. @throws IamError TOO_MANY_CODES with Retry-After.
 */
export async function consumeOtpRateLimit(
  tx: Transaction,
  name: string,
  deps: Deps,
  { source = sharedSource, quiet = false, limit = hourlyLimit }: OtpRateLimitOptions = {},
): Promise<boolean> {
  if (deps.disableRateLimits) return true;
  const { perSource, overall, windowSeconds } = limit;
  const now = epochSeconds(deps.clock);
  const contact = formatRowKey(quiet ? `quiet:${name}` : name, deps);
  const row = await tx.sendings.get(contact);
  // Ignore events in the future, from before the clock was set back.
  const events = (row?.events ?? []).filter(({ at }) => at > now - windowSeconds && at <= now + clockToleranceSeconds);
  const digest = sourceDigest(name, source.key, deps.storeSecret);
  const retryAfter = Math.max(
    secondsUntilBelow(filterEvents(events, digest), perSource, now, windowSeconds),
    source.isKnown ? 0 : secondsUntilBelow(events, overall, now, windowSeconds),
  );
  const isAllowed = retryAfter === 0;
  if (!isAllowed && !quiet) throw retryLater('TOO_MANY_CODES', retryAfter);
  // Written in any case: that less is written would show that the limit is reached, and so that the contact exists.
  const updated = {
    contact,
    events: isAllowed ? addEvent(events, digest, now) : events,
    ...(windowSeconds === hourSeconds ? {} : { windowSeconds }),
  };
  if (row) await tx.sendings.replace(updated);
  else await tx.sendings.insert(updated);
  await clearExpired(toExpiringTable(tx.sendings), (row) => row.contact, now, contact);
  return isAllowed;
}
