import { expect, test } from 'vitest';
import { createLoginEventExchange, type LoginEvent } from '../../../src/server/limits/login-events.ts';
import type { JournalEvent } from '../../../src/server/store/store.ts';

const event: LoginEvent = { kind: 'clear', names: ['alice'] };

/** A journal whose reads end when the test says so. */
function createJournal() {
  const reads: { resolve(events: readonly JournalEvent[]): void; reject(error: Error): void }[] = [];
  return {
    reads,
    publish: () => Promise.resolve(),
    readNew: () =>
      new Promise<readonly JournalEvent[]>((resolve, reject) => {
        reads.push({ resolve, reject });
      }),
  };
}

test('calls during a read share the next one, whose events are applied once', async () => {
  const journal = createJournal();
  const applied: LoginEvent[] = [];
  const { receive } = createLoginEventExchange(journal, (_throttle, received) => applied.push(received));
  const first = receive();
  const later = [receive(), receive()];
  expect(journal.reads.length).toBe(1);
  journal.reads[0]?.resolve([]);
  await first;
  expect(journal.reads.length).toBe(2);
  journal.reads[1]?.resolve([{ event: { throttle: 'login', event }, age: 0 }]);
  await Promise.all(later);
  expect(applied).toEqual([event]);
  const last = receive();
  journal.reads[2]?.resolve([]);
  await last;
});

test('calls during a read that fails fail with it, and the next one reads again', async () => {
  const journal = createJournal();
  const { receive } = createLoginEventExchange(journal, () => undefined);
  const calls = [receive(), receive(), receive()];
  journal.reads[0]?.reject(new Error('no database'));
  for (const outcome of await Promise.allSettled(calls)) expect(outcome.status).toBe('rejected');
  expect(journal.reads.length).toBe(1);
  const next = receive();
  journal.reads[1]?.resolve([]);
  await next;
});
