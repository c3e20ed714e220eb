/** How many codes go out to one contact, or are asked for under one name: five an hour. */
import { fault } from '../../contract/errors.ts';
import { type Clock, epochSeconds } from '../clock.ts';
import type { Randomness } from '../randomness.ts';
import type { Transaction } from '../store/store.ts';
import { clearExpired } from './clear-expired.ts';

const hour = 3600;
const codesAnHour = 5;
/** By how much clocks may be corrected without a count being lost. */
const clockDifference = 60;

interface SendingTools {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Setting disable-rate-limits: counts nothing. */
  readonly disableRateLimits: boolean;
}

/**
 * Counts a code that is asked for under a name of the caller's choosing, whoever it leads to: at most five an hour.
 * @returns false where `quiet` and it is one too many. @throws IamError TOO_MANY_CODES with Retry-After.
 */
export async function countSending(
  tx: Transaction,
  name: string,
  { clock, randomness, disableRateLimits }: SendingTools,
  quiet = false,
): Promise<boolean> {
  if (disableRateLimits) return true;
  const now = epochSeconds(clock);
  const row = await tx.sendings.get(name);
  // Those of a time that is still to come were sent before a clock was set back.
  const times = (row?.times ?? []).filter((at) => at > now - hour && at <= now + clockDifference);
  if (times.length >= codesAnHour) {
    if (quiet) return false;
    throw fault('TOO_MANY_CODES', undefined, { 'Retry-After': String((times[0] ?? now) + hour - now) });
  }
  const counted = { contact: name, times: [...times, now] };
  if (row) await tx.sendings.replace(counted);
  else await tx.sendings.insert(counted);
  await clearExpired(
    {
      list: async (range) =>
        (await tx.sendings.list(range)).map((one) => ({ ...one, expiresAt: (one.times.at(-1) ?? 0) + hour })),
      delete: (key) => tx.sendings.delete(key),
    },
    ({ contact }) => contact,
    now,
    randomness,
  );
  return true;
}
