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
  eventsOf,
  expiringEvents,
  hour,
  type SourceEvent,
  secondsUntilBelow,
  sourceDigest,
  withEvent,
} from './source-events.ts';
import type { StoreKey } from './store-key.ts';

const codesPerSource = 5;
const codesOverall = 20;
/** By how much clocks may be corrected without a count being lost. */
const clockDifference = 60;

interface Deps {
  readonly clock: Clock;
  readonly storeKey: StoreKey;
  /** Setting disable-rate-limits: counts nothing. */
  readonly disableRateLimits: boolean;
}

interface SendingOptions {
  /** Where sources make no difference, all count as one: five an hour. */
  readonly source?: OtpSource;
  /** Returns false in the place of a refusal. */
  readonly quiet?: boolean;
}

const oneSource: OtpSource = { key: '', isKnown: false };

/**
 * Counts a code that goes to a contact, or is asked for under a name.
 * @returns false where `quiet` and it is one too many. @throws IamError TOO_MANY_CODES with Retry-After.
 */
export async function countSending(
  tx: Transaction,
  name: string,
  deps: Deps,
  { source = oneSource, quiet = false }: SendingOptions = {},
): Promise<boolean> {
  if (deps.disableRateLimits) return true;
  const now = epochSeconds(deps.clock);
  // Callers choose contacts: names that they could sort would keep expired rows out of the reach of `clearExpired`.
  const contact = deps.storeKey.digest('otp-sendings', name);
  const row = await tx.sendings.get(contact);
  // Those of a time that is still to come were sent before a clock was set back.
  const events = eventsIn(row).filter(({ at }) => at > now - hour && at <= now + clockDifference);
  const digest = sourceDigest(name, source.key, deps.storeKey);
  const retryAfter = Math.max(
    secondsUntilBelow(eventsOf(events, digest), codesPerSource, now),
    source.isKnown ? 0 : secondsUntilBelow(events, codesOverall, now),
  );
  if (retryAfter > 0) {
    if (quiet) return false;
    throw retryLater('TOO_MANY_CODES', retryAfter);
  }
  const counted = { contact, events: withEvent(events, digest, now) };
  if (row) await tx.sendings.replace(counted);
  else await tx.sendings.insert(counted);
  await clearExpired(expiringEvents(tx.sendings, eventsIn), (row) => row.contact, now, contact);
  return true;
}

/** Rows without events are of a version that counted over all sources only. */
function eventsIn(row: Row<'sendings'> | undefined): readonly SourceEvent[] {
  return row?.events ?? (row?.times ?? []).map((at) => ({ at }));
}
