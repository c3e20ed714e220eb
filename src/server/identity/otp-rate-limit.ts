/**
 * How many codes go to one contact, or are asked for under one name: five an hour from one source and 20 over all
 * sources, beyond which only known sources are served.
 */
import { retryLater } from '../../contract/errors.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import type { Transaction } from '../store/store.ts';
import type { Row } from '../store/tables.ts';
import { clearExpired } from './clear-expired.ts';
import type { OtpSource } from './otp-source.ts';
import {
  addEvent,
  filterEvents,
  hour,
  type SourceEvent,
  secondsUntilBelow,
  sourceDigest,
  toExpiringTable,
} from './source-events.ts';
import type { StoreSecret } from './store-secret.ts';

const maxOtpsPerSource = 5;
const maxOtpsOverall = 20;
/** By how much clocks may be corrected without a count being lost. */
const clockToleranceSeconds = 60;

interface Deps {
  readonly clock: Clock;
  readonly storeSecret: StoreSecret;
  /** Setting disable-rate-limits: counts nothing. */
  readonly disableRateLimits: boolean;
}

interface OtpRateLimitOptions {
  /** Where sources make no difference, all count as one: five an hour. */
  readonly source?: OtpSource;
  /** Returns false in the place of a refusal. */
  readonly quiet?: boolean;
}

const sharedSource: OtpSource = { key: '', isKnown: false };

/**
 * Counts a code that goes to a contact, or is asked for under a name.
 * @returns false where `quiet` and it is one too many. @throws IamError TOO_MANY_CODES with Retry-After.
 */
export async function consumeOtpRateLimit(
  tx: Transaction,
  name: string,
  deps: Deps,
  { source = sharedSource, quiet = false }: OtpRateLimitOptions = {},
): Promise<boolean> {
  if (deps.disableRateLimits) return true;
  const now = epochSeconds(deps.clock);
  // Callers choose contacts: names that they could sort would keep expired rows out of the reach of `clearExpired`.
  const contact = deps.storeSecret.digest('otp-sendings', name);
  const row = await tx.sendings.get(contact);
  // Those of a time that is still to come were sent before a clock was set back.
  const events = readEvents(row).filter(({ at }) => at > now - hour && at <= now + clockToleranceSeconds);
  const digest = sourceDigest(name, source.key, deps.storeSecret);
  const retryAfter = Math.max(
    secondsUntilBelow(filterEvents(events, digest), maxOtpsPerSource, now),
    source.isKnown ? 0 : secondsUntilBelow(events, maxOtpsOverall, now),
  );
  if (retryAfter > 0) {
    if (quiet) return false;
    throw retryLater('TOO_MANY_CODES', retryAfter);
  }
  const counted = { contact, events: addEvent(events, digest, now) };
  if (row) await tx.sendings.replace(counted);
  else await tx.sendings.insert(counted);
  await clearExpired(toExpiringTable(tx.sendings, readEvents), (row) => row.contact, now, contact);
  return true;
}

/** Rows without events are of a version that counted over all sources only. */
function readEvents(row: Row<'sendings'> | undefined): readonly SourceEvent[] {
  return row?.events ?? (row?.times ?? []).map((at) => ({ at }));
}
