/** The time of the reader beside UTC. */

/**
 * The time of the reader, with its date where that is another one; undefined in UTC.
 * @param offset minutes from the local time to UTC; default: that of this machine
 */
export function formatLocalTime(at: string, offset = new Date(at).getTimezoneOffset()): string | undefined {
  if (offset === 0) return undefined;
  const utc = new Date(at).toISOString();
  const local = new Date(Date.parse(at) - offset * 60_000).toISOString();
  const [date, time] = [local.slice(0, 10), local.slice(11, 19)];
  return utc.startsWith(date) ? `${time} local` : `${date} ${time} local`;
}
