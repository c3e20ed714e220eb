import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLoginEventExchange, type LoginEvent } from '../../../src/server/limits/login-events.ts';
import { createThrottles } from '../../../src/server/limits/throttles.ts';
import type { JournalEvent } from '../../../src/server/store/store.ts';
import { createFakeClock } from '../../harness.ts';
import { user } from '../store/rows.ts';

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

test('what follows a commit does not fail if it does not reach the other servers', async () => {
  const fails = () => Promise.reject(new Error('no database'));
  const clock = createFakeClock();
  const throttles = createThrottles(clock, { disabled: false, loginEvents: { publish: fails, readNew: fails } });
  const alice = user('alice-id', { userName: 'alice' });
  // With a failure to clear, so that there is something to publish.
  const attempt = { name: hash('sha256', 'alice', 'base64url'), caller: 'phone', isLoopback: false, isKnown: false };
  for (const change of ['recordLogin', 'recordExternalLogin', 'clear'] as const) {
    throttles.login.apply({ kind: 'failure', attempt });
    await expect(throttles[change](alice, 'phone')).resolves.toBeUndefined();
  }
});
