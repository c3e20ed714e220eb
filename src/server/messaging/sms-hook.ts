/** Relay for text messages: POSTs JSON `{id, to, text}` to a URL. Loaded when the first message is sent. */
import { Agent, request } from 'undici';
import { type OutgoingMessage, type Relay, RelayRejection } from './relay.ts';

export interface SmsHookOptions {
  readonly url: string;
  /** Timeout of the whole request in milliseconds. */
  readonly timeout: number;
}

/** Transient 4xx statuses. */
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
      const reason = `status ${statusCode}`;
      throw statusCode >= 500 || transientStatuses.includes(statusCode)
        ? new SmsHookError(reason)
        : new RelayRejection(reason);
    },
    close: () => void dispatcher.destroy(),
  };
}

/** A transient error: the hook may accept the message later. */
class SmsHookError extends Error {
  readonly code = 'EHOOK';
}
