/** Text messages by a POST of JSON `{id, to, text}`. Loaded with the first one that goes out. */
import { Agent, request } from 'undici';
import { type OutgoingMessage, type Relay, RelayRejection } from './relay.ts';

export interface SmsHookOptions {
  readonly url: string;
  /** Milliseconds for the whole call. */
  readonly timeout: number;
}

/** Statuses of a 4xx kind that pass. */
const transientStatuses: readonly number[] = [408, 425, 429];

export function createSmsHookRelay({ url, timeout }: SmsHookOptions): Relay {
  const dispatcher = new Agent({ connect: { timeout } });
  return {
    async deliver({ id, to, text }: OutgoingMessage) {
      const { statusCode, body } = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id, to, text }),
        signal: AbortSignal.timeout(timeout),
        dispatcher,
      });
      await body.dump();
      if (statusCode >= 200 && statusCode < 300) return;
      const reason = `answered ${statusCode}`;
      throw statusCode >= 500 || transientStatuses.includes(statusCode)
        ? new SmsHookError(reason)
        : new RelayRejection(reason);
    },
    close: () => void dispatcher.destroy(),
  };
}

/** It may take the same later. */
class SmsHookError extends Error {
  readonly code = 'EHOOK';
}
