/** Reads server-sent events as a browser does. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Timer } from '../../../../../src/server/lib/timer.ts';
import type { TestServer } from '../../../../harness.ts';

export interface SseEvent {
  /** Empty if the event has none. */
  readonly id: string;
  /** Empty if the event has no name. */
  readonly name: string;
  readonly data: Record<string, unknown>;
}

export interface SseStream extends Disposable {
  readonly response: IncomingMessage;
  /** Resolves with all events once that many have arrived; with fewer if the stream has ended. */
  events(count: number): Promise<readonly SseEvent[]>;
  /** Resolves once that many comments have arrived. */
  comments(count: number): Promise<number>;
  /** Resolves when the server has ended the stream: true if cleanly. */
  readonly ended: Promise<boolean>;
}

/** Resolves once the response has begun: later messages are reported. */
export async function openStream(
  server: Pick<TestServer, 'url'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SseStream> {
  const { outgoing, response } = await sendRequest(server, path, headers);
  let text = '';
  let changed = () => {};
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    changed();
  });
  const ended = new Promise<boolean>((resolve) => {
    response.on('error', () => undefined);
    response.once('close', () => resolve(response.complete));
  });
  void ended.then(() => changed());
  const parts = () => text.split('\n\n').slice(0, -1);
  async function until<Found>(look: () => readonly Found[], count: number): Promise<readonly Found[]> {
    while (look().length < count && !response.destroyed)
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
    return look();
  }
  return {
    response,
    events: (count) =>
      until(
        () =>
          parts()
            .filter((part) => part !== ':')
            .map(parseEvent),
        count,
      ),
    comments: async (count) => (await until(() => parts().filter((part) => part === ':'), count)).length,
    ended,
    [Symbol.dispose]: () => void outgoing.destroy(),
  };
}

function sendRequest({ url }: Pick<TestServer, 'url'>, path: string, headers: Readonly<Record<string, string>>) {
  return new Promise<{ outgoing: ClientRequest; response: IncomingMessage }>((resolve, reject) => {
    const outgoing = request(url + path, { headers, agent: false }, (response) => resolve({ outgoing, response }));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function parseEvent(part: string): SseEvent {
  const [, id = '', name = '', data = ''] = /^(?:id: (.*)\n)?(?:event: (.*)\n)?data: (.*)$/.exec(part) ?? [];
  return { id, name, data: JSON.parse(data) as Record<string, unknown> };
}

/** A timer that fires when a test triggers it. */
export function createFakeTimer(): Timer & { pass(milliseconds: number): void; readonly pending: number } {
  let now = 0;
  let due: { readonly at: number; readonly work: () => void }[] = [];
  return {
    after(milliseconds, work) {
      const one = { at: now + milliseconds, work };
      due.push(one);
      return () => {
        due = due.filter((other) => other !== one);
      };
    },
    pass(milliseconds) {
      now += milliseconds;
      const over = due.filter(({ at }) => at <= now);
      due = due.filter(({ at }) => at > now);
      for (const { work } of over) work();
    },
    get pending() {
      return due.length;
    },
  };
}
