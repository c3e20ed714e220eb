/**
 * Limits codes per contact and per requested name: five an hour from one source and 20 over all sources; beyond that
 * only known sources are served.
 */
import { retryLater } from '../../contract/errors.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
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

const maxOtpsPerSource = 5;
const maxOtpsOverall = 20;
/** Clock corrections up to this size do not lose counts. */
const clockToleranceSeconds = 60;

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
}

const sharedSource: OtpSource = { key: '', isKnown: false };

/**
 * Counts a code that is sent to a contact or requested under a name.
 * @returns false if `quiet` and the limit is reached. @throws IamError TOO_MANY_CODES with Retry-After.
 */
export async function consumeOtpRateLimit(
  tx: Transaction,
  name: string,
  deps: Deps,
  { source = sharedSource, quiet = false }: OtpRateLimitOptions = {},
): Promise<boolean> {
  if (deps.disableRateLimits) return true;
  const now = epochSeconds(deps.clock);
  // Callers choose contacts: keys with a chosen order would keep expired rows out of reach of `clearExpired`.
  const contact = deps.storeSecret.digest('otp-sendings', quiet ? `quiet:${name}` : name);
  const row = await tx.sendings.get(contact);
  // Ignore events in the future, from before the clock was set back.
  const events = (row?.events ?? []).filter(({ at }) => at > now - hourSeconds && at <= now + clockToleranceSeconds);
  const digest = sourceDigest(name, source.key, deps.storeSecret);
  const retryAfter = Math.max(
    secondsUntilBelow(filterEvents(events, digest), maxOtpsPerSource, now),
    source.isKnown ? 0 : secondsUntilBelow(events, maxOtpsOverall, now),
  );
  const isAllowed = retryAfter === 0;
  if (!isAllowed && !quiet) throw retryLater('TOO_MANY_CODES', retryAfter);
  // Written in any case: that less is written would show that the limit is reached, and so that the contact exists.
  const updated = { contact, events: isAllowed ? addEvent(events, digest, now) : events };
  if (row) await tx.sendings.replace(updated);
  else await tx.sendings.insert(updated);
  await clearExpired(toExpiringTable(tx.sendings), (row) => row.contact, now, contact);
  return isAllowed;
}
