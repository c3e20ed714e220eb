/** Codes upon a store in memory: what they do at each second, with no server around them. */
import { createHash } from 'node:crypto';
import { IamError } from '../../../src/contract/errors.ts';
import { emailContact } from '../../../src/server/identity/contacts.ts';
import { codeOf } from '../../../src/server/identity/messages.ts';
import { type CodeHolder, type CodeRequest, sendCode, takeCode } from '../../../src/server/identity/otp.ts';
import { attemptsLeft, attemptsName } from '../../../src/server/identity/otp-attempts.ts';
import type { OtpSource } from '../../../src/server/identity/otp-source.ts';
import type { OtpDeps } from '../../../src/server/identity/otp-value.ts';
import type { Outcome } from '../../../src/server/identity/reserved-recipients.ts';
import { sourceDigest } from '../../../src/server/identity/source-events.ts';
import { createStoreKey } from '../../../src/server/identity/store-key.ts';
import { createIds } from '../../../src/server/ids.ts';
import type { Randomness } from '../../../src/server/randomness.ts';
import { openMemoryStore } from '../../../src/server/store/memory.ts';
import type { Message } from '../../../src/server/store/tables.ts';

export const start = Date.parse('2026-03-01T12:00:00.000Z') / 1000;
export const ann: CodeHolder = { purpose: 'recovery', subject: 'user:ann' };
export const bob: CodeHolder = { purpose: 'recovery', subject: 'user:bob' };
export const address = emailContact('ann@example.com');

/** A right code, used up. */
export const taken = { status: 'taken' } as const;
export const wrong = { code: 'CODE_INVALID', headers: {} } as const;
export const heldFor = (seconds: number) => ({ code: 'CODE_FAILURES', headers: { 'Retry-After': String(seconds) } });

/** Draws the same in every run. */
function repeatable(): Randomness {
  let drawn = 0;
  const draw = () => createHash('sha256').update(`draw ${drawn++}`).digest();
  return {
    bytes: (length) => draw().subarray(0, length),
    uuid: () =>
      draw()
        .toString('hex', 0, 16)
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  };
}

/** A source that nothing is known of, as most of these tests have it; and others. */
export const home: OtpSource = { key: '192.0.2.1', isKnown: false };
export const stranger = (number = 1): OtpSource => ({ key: `198.51.100.${number}`, isKnown: false });
export const familiar = (number = 1): OtpSource => ({ key: `203.0.113.${number}`, isKnown: true });

interface Giving {
  readonly codeId?: string;
  readonly source?: OtpSource;
}

type Outcomes = Readonly<Record<string, Outcome>>;

export class CodesWorld {
  readonly store = openMemoryStore();
  readonly tools: OtpDeps;
  /** Epoch seconds. */
  now = start;

  constructor({ disableRateLimits = false, outcomes = {} }: { disableRateLimits?: boolean; outcomes?: Outcomes } = {}) {
    const clock = { now: () => new Date(this.now * 1000) };
    const randomness = repeatable();
    this.tools = {
      clock,
      disableRateLimits,
      store: this.store,
      randomness,
      ids: createIds(clock, randomness),
      storeKey: createStoreKey(Buffer.alloc(32, 7), randomness),
      outbox: { relays: () => false, outcomeOf: ({ to }) => outcomes[to], kept: () => undefined },
    };
  }

  /** Sends a code, and reads it where it went. */
  async send(
    holder: CodeHolder = ann,
    contacts = [address],
    options: Partial<CodeRequest> = {},
  ): Promise<{ codeId: string; code: string; message: Message | undefined }> {
    const request = { ...holder, contacts, source: home, quiet: true, ...options };
    const { codeId } = await this.store.transaction((tx) => sendCode(tx, request, this.tools));
    const message = (await this.store.messages.list()).find((row) => row.codeId === codeId);
    return { codeId, message, code: (message && codeOf(message, this.tools.storeKey)) ?? '' };
  }

  /** What comes of giving a code: that it was taken, or the code and the headers of the refusal. */
  async give(code: string, holder: CodeHolder = ann, { codeId, source = home }: Giving = {}): Promise<object> {
    return outcomeOf(takeCode({ ...holder, code, codeId, source }, this.tools, async () => 'done'));
  }

  /** Gives wrong codes. */
  async guess(code: string, times: number, holder: CodeHolder = ann, source = home): Promise<void> {
    for (let time = 0; time < times; time += 1) await this.give(other(code), holder, { source });
  }

  /** How many more wrong codes of this source are looked at. */
  async left(holder: CodeHolder = ann, source = home): Promise<number> {
    const counted = sourceDigest(attemptsName(holder, this.tools.storeKey), source.key, this.tools.storeKey);
    return attemptsLeft(this.store, { ...holder, source: counted }, this.now, this.tools.storeKey);
  }
}

/** A code that is not this one. */
export function other(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

export async function outcomeOf(work: Promise<unknown>): Promise<object> {
  try {
    await work;
    return taken;
  } catch (error) {
    if (!(error instanceof IamError)) throw error;
    return { code: error.code, headers: error.headers };
  }
}
