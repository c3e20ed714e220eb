/** Text messages by a POST of JSON `{id, to, text}`. Loaded with the first one that goes out. */
import { Agent, request } from 'undici';
import { type Letter, type Relay, RelayRefusal } from './relay.ts';

export interface SmsHookOptions {
  readonly url: string;
  /** Milliseconds for the whole call. */
  readonly timeout: number;
}

/** Statuses of a 4xx kind that pass. */
const passing: readonly number[] = [408, 425, 429];

export function createSmsHookRelay({ url, timeout }: SmsHookOptions): Relay {
  const dispatcher = new Agent({ connect: { timeout } });
  return {
    async deliver({ id, to, text }: Letter) {
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
      throw statusCode >= 500 || passing.includes(statusCode) ? new HookFailure(reason) : new RelayRefusal(reason);
    },
    close: () => void dispatcher.destroy(),
  };
}

/** It may take the same later. */
class HookFailure extends Error {
  readonly code = 'EHOOK';
}
