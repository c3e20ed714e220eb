/** Expired rows are deleted, so that unauthenticated callers cannot fill the store. */
import { expect, test } from 'vitest';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { hashSecret } from '../../../src/server/lib/secrets.ts';
import { recordFailedAttempt } from '../../../src/server/mfa/otp-attempts.ts';
import { consumeOtpRateLimit } from '../../../src/server/mfa/otp-rate-limit.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Transaction } from '../../../src/server/store/store.ts';
import { issueOneTimeToken } from '../../../src/server/tokens/one-time-tokens.ts';
import { createFakeClock } from '../../harness.ts';

const source = { key: '192.0.2.1', isKnown: false, groups: [] };

/** Inserts rows one at a time, of which 120 are valid at any time. @returns the maximum number of rows. */
async function maxRows(table: 'tickets' | 'codeFailures' | 'sendings', rows: number): Promise<number> {
  const store = openMemoryStore();
  const clock = createFakeClock();
  const storeSecret = { digest: (use: string, text: string) => hashSecret(`${use}\n${text}`).slice(7) };
  const deps = { clock, random: systemRandom, storeSecret, disableRateLimits: false } as never;
  const ticket = { kind: 'certificate-nonce', clientId: 'app' } as const;
  const make = {
    tickets: (tx: Transaction) => issueOneTimeToken(tx, ticket, deps),
    codeFailures: (tx: Transaction, name: string) =>
      recordFailedAttempt(tx, { purpose: 'recovery', subject: `asked:${name}` }, source, deps),
    sendings: (tx: Transaction, name: string) => consumeOtpRateLimit(tx, `asked:${name}`, deps, { source }),
  };
  let max = 0;
  for (let row = 0; row < rows; row += 1) {
    clock.advance(table === 'tickets' ? 1 : 30);
    // In ascending order, which callers can choose.
    const name = String(row).padStart(8, '0');
    await store.transaction<unknown>((tx) => make[table](tx, name));
    max = Math.max(max, await store[table].count());
  }
  return max;
}

test.each(['tickets', 'codeFailures', 'sendings'] as const)(
  '%s has as few rows after 4n inserts as after n',
  async (table) => {
    expect(await maxRows(table, 1000)).toBeLessThan(300);
    expect(await maxRows(table, 4000)).toBeLessThan(300);
  },
);
