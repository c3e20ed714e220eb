/** Short runs of the suites that start servers; need dist/ (npm run build). */
import { describe, expect, test } from 'vitest';
import { effort, isFullRun } from '../effort.ts';
import { countBudget } from './budget.ts';
import { historySuites } from './histories/index.ts';
import { fairnessSuite } from './hostile/fairness.ts';
import { parsersSuite } from './hostile/parsers.ts';
import type { SystemCall } from './strace.ts';
import type { Suite } from './suite.ts';
import { auditKills } from './suites/audit-kills.ts';
import { kills } from './suites/process-kills.ts';
import { ackOrder, assertSyncOrder } from './suites/system-calls.ts';

// In `npm test`, test/server/store/file/kill.test.ts has kills.
test.runIf(isFullRun).each([
  ['ack-order', ackOrder, 1],
  ['kills', kills, 1],
  ['audit-kills', auditKills, 1],
] as const)('%s finds nothing', async (_, suite, count) => {
  expect(await suite.run(countBudget(count * effort, 2))).toEqual([]);
});

// Their limits are times on a machine that does nothing else. Besides, test/security measures the cost of each parser,
// and test/server/limits/hash-fairness.test.ts the shares of sources.
describe.runIf(isFullRun)('under load', () => {
  test.each([
    ['parsers', parsersSuite],
    ['fairness', fairnessSuite],
  ] as const)('%s finds nothing', async (_, suite) => {
    expect(await suite.run(countBudget(2, 2))).toEqual([]);
  });
});

const [folderHistories, postgresHistories] = historySuites as [Suite, Suite];

test.runIf(isFullRun)('histories-folder finds nothing', async () => {
  expect(await folderHistories.run(countBudget(effort, 2))).toEqual([]);
});

describe.runIf(isFullRun)('histories', () => {
  test('on PostgreSQL nothing is found', async () => {
    expect(await postgresHistories.run(countBudget(effort, 2))).toEqual([]);
  });

  test.each([
    ['write-later', folderHistories],
    ['stale-reads', postgresHistories],
  ] as const)('find the seeded bug %s', async (bug, suite) => {
    const [first] = await suite.run(countBudget(effort, 2, bug));
    expect(first?.problem).toContain('has no order');
  });
});

test.runIf(isFullRun)('audit-kills finds the seeded bug audit-later', async () => {
  const [first] = await auditKills.run(countBudget(1, 2, 'audit-later'));
  expect(first?.problem).toMatch(/acknowledged changes have no audit line$/);
});

describe('the order of syncs and responses', () => {
  const commit = '7</s/journal.jsonl>, "{\\"groupId\\":\\"g1\\"}", 19, 0)';
  const response = '9<TCP:[1]>, "HTTP/1.1 201 Created\\r\\n\\r\\n{\\"groupId\\":\\"g1\\"}", 50)';
  const complete = (call: string, args: string, result = 0): SystemCall => ({
    thread: '1',
    call,
    args,
    starts: true,
    ends: true,
    result,
  });
  const written = complete('pwrite64', commit, 19);
  const synced = complete('fdatasync', '7</s/journal.jsonl>)');
  const responded = complete('write', response, 50);

  test('is accepted when the sync returns before the response is sent', () => {
    expect(assertSyncOrder([written, synced, responded])).toBe(1);
  });

  test.each([
    ['is never called', [written, responded]],
    ['is called after the response', [written, responded, synced]],
    ['fails', [written, { ...synced, result: -1 }, responded]],
    ['has not returned', [written, { ...synced, ends: false }, responded]],
    ['starts before the write has ended', [{ ...written, ends: false }, { ...synced, thread: '2' }, responded]],
  ] as const)('is rejected when the sync %s', (_, lines) => {
    expect(() => assertSyncOrder(lines)).toThrow('was sent before its commit was synced');
  });
});
