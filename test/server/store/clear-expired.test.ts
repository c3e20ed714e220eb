/** Expired rows are deleted, so that unauthenticated callers cannot fill the store. */
import { expect, test } from 'vitest';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { hashSecret } from '../../../src/server/lib/secrets.ts';
import { emailContact } from '../../../src/server/messaging/contacts.ts';
import { enqueueMessage } from '../../../src/server/messaging/messages.ts';
import { recordFailedAttempt } from '../../../src/server/mfa/otp-attempts.ts';
import { consumeOtpRateLimit } from '../../../src/server/mfa/otp-rate-limit.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import type { Transaction } from '../../../src/server/store/store.ts';
import { issueOneTimeToken } from '../../../src/server/tokens/one-time-tokens.ts';
import { createFakeClock } from '../../harness.ts';

const source = { key: '192.0.2.1', isKnown: false, groups: [] };

/** The time after which 120 rows are valid: those of the tables live for 2 minutes, an hour, an hour and 7 days. */
const secondsBetween = { tickets: 1, codeFailures: 30, sendings: 30, messages: 5040 };

/** Inserts rows one at a time, of which 120 are valid at any time. @returns the maximum number of rows. */
async function maxRows(table: 'tickets' | 'codeFailures' | 'sendings' | 'messages', rows: number): Promise<number> {
  const store = openMemoryStore();
  const clock = createFakeClock();
  const storeSecret = { digest: (use: string, text: string) => hashSecret(`${use}\n${text}`).slice(7) };
  const outbox = {
    isRelayed: () => false,
    findOutcome: () => undefined,
    createMessageId: async () => String(clock.now().getTime()),
  };
  const deps = { clock, random: systemRandom, storeSecret, disableRateLimits: false, outbox } as never;
  const ticket = { kind: 'certificate-nonce', clientId: 'app' } as const;
  const make = {
    tickets: (tx: Transaction) => issueOneTimeToken(tx, ticket, deps),
    codeFailures: (tx: Transaction, name: string) =>
      recordFailedAttempt(tx, { purpose: 'recovery', subject: `asked:${name}` }, source, deps),
    sendings: (tx: Transaction, name: string) => consumeOtpRateLimit(tx, `asked:${name}`, deps, { source }),
    messages: (tx: Transaction) =>
      enqueueMessage(tx, { contact: emailContact('a@example.com'), purpose: 'mfa', text: '' }, deps),
  };
  let max = 0;
  for (let row = 0; row < rows; row += 1) {
    clock.advance(secondsBetween[table]);
    // In ascending order, which callers can choose.
    const name = String(row).padStart(8, '0');
    await store.transaction<unknown>((tx) => make[table](tx, name));
    max = Math.max(max, await store[table].count());
  }
  return max;
}

test.each(['tickets', 'codeFailures', 'sendings', 'messages'] as const)(
  '%s has as few rows after 4n inserts as after n',
  async (table) => {
    expect(await maxRows(table, 1000)).toBeLessThan(300);
    expect(await maxRows(table, 4000)).toBeLessThan(300);
  },
);
