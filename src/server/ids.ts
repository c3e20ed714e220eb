/** Ids made by the server: 24 hexadecimal characters, ordered by time, different also within one millisecond. */
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export interface Ids {
  /** A new id, after all that were made before in this process. */
  newId(): string;
  /** A name for one request, for logs and the X-Request-Id header. */
  newRequestId(): string;
}

const countDigits = 4;
const countLimit = 16 ** countDigits;

/** 12 digits of milliseconds, 4 of a counter within the millisecond, 8 random ones. A clock set back does not go back here. */
export function createIds(clock: Clock, random: Random): Ids {
  let lastTime = 0;
  let count = 0;
  let requests = 0;
  const processPrefix = random.bytes(6).toString('hex');

  function advance(): void {
    const now = clock.now().getTime();
    count = now > lastTime ? 0 : count + 1;
    lastTime = Math.max(now, lastTime);
    if (count < countLimit) return;
    lastTime += 1;
    count = 0;
  }

  return {
    newId() {
      advance();
      const suffix = random.bytes(4).toString('hex');
      return lastTime.toString(16).padStart(12, '0') + count.toString(16).padStart(countDigits, '0') + suffix;
    },
    newRequestId() {
      requests += 1;
      return `${processPrefix}-${requests.toString(36)}`;
    },
  };
}
