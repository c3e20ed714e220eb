/** A short part of the suites that start servers; needs dist/ (npm run build). */
import { describe, expect, test } from 'vitest';
import { countBudget } from './budget.ts';
import { fairnessSuite } from './hostile/fairness.ts';
import { parsersSuite } from './hostile/parsers.ts';
import type { SystemCall } from './strace.ts';
import { kills } from './suites/process-kills.ts';
import { ackOrder, assertSyncOrder } from './suites/system-calls.ts';

/** For machines that others keep busy. */
const PATIENCE_MS = 180_000;

test.each([
  ['kills', kills, 2],
  ['ack-order', ackOrder, 1],
  ['parsers', parsersSuite, 1],
  ['fairness', fairnessSuite, 1],
] as const)(
  '%s finds nothing',
  async (_, suite, count) => {
    expect(await suite.run(countBudget(count, 2))).toEqual([]);
  },
  PATIENCE_MS,
);

describe('the order of syncs and answers', () => {
  const commit = '7</s/journal.jsonl>, "{\\"groupId\\":\\"g1\\"}", 19, 0)';
  const answer = '9<TCP:[1]>, "HTTP/1.1 201 Created\\r\\n\\r\\n{\\"groupId\\":\\"g1\\"}", 50)';
  const whole = (call: string, given: string, result = 0): SystemCall => ({
    thread: '1',
    call,
    args: given,
    starts: true,
    ends: true,
    result,
  });
  const written = whole('pwrite64', commit, 19);
  const synced = whole('fdatasync', '7</s/journal.jsonl>)');
  const answered = whole('write', answer, 50);

  test('is right where the sync has returned before the answer leaves', () => {
    expect(assertSyncOrder([written, synced, answered])).toBe(1);
  });

  test.each([
    ['is never called', [written, answered]],
    ['is called later', [written, answered, synced]],
    ['fails', [written, { ...synced, result: -1 }, answered]],
    ['has not returned', [written, { ...synced, ends: false }, answered]],
    ['began before the write had ended', [{ ...written, ends: false }, { ...synced, thread: '2' }, answered]],
  ] as const)('is wrong where the sync %s', (_, lines) => {
    expect(() => assertSyncOrder(lines)).toThrow('left before its commit was synced');
  });
});
