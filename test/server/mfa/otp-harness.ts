/** One-time codes with a store in memory and a controlled clock, without a server. */
import { createHash } from 'node:crypto';
import { IamError } from '../../../src/contract/errors.ts';
import { createIds } from '../../../src/server/lib/ids.ts';
import type { Random } from '../../../src/server/lib/random.ts';
import { emailContact } from '../../../src/server/messaging/contacts.ts';
import { decryptMessageCode } from '../../../src/server/messaging/messages.ts';
import type { DeliveryOutcome } from '../../../src/server/messaging/test-recipients.ts';
import { consumeOtp, type OtpBinding, type OtpRequest, sendOtp } from '../../../src/server/mfa/otp.ts';
import { countRemainingAttempts, formatAttemptsKey } from '../../../src/server/mfa/otp-attempts.ts';
import type { OtpSource } from '../../../src/server/mfa/otp-source.ts';
import type { OtpDeps } from '../../../src/server/mfa/otp-value.ts';
import { sourceDigest } from '../../../src/server/mfa/source-events.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { createStoreSecret } from '../../../src/server/store/store-secret.ts';
import type { Message } from '../../../src/server/store/tables.ts';

export const startTime = Date.parse('2026-03-01T12:00:00.000Z') / 1000;
export const annBinding: OtpBinding = { purpose: 'recovery', subject: 'user:ann' };
export const bobBinding: OtpBinding = { purpose: 'recovery', subject: 'user:bob' };
export const annContact = emailContact('ann@example.com');

/** A right code, consumed. */
export const consumed = { status: 'taken' } as const;
export const wrongCode = { code: 'CODE_INVALID', headers: {} } as const;
export const throttledFor = (seconds: number) => ({
  code: 'CODE_FAILURES',
  headers: { 'Retry-After': String(seconds) },
});

/** Returns the same values in every run. */
function createSeededRandom(): Random {
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

/** An unknown source, which most of these tests use; and others. */
export const homeSource: OtpSource = { key: '192.0.2.1', isKnown: false, groups: [] };
export const unknownSourceNumber = (number = 1): OtpSource => ({
  key: `198.51.100.${number}`,
  isKnown: false,
  groups: [],
});
export const knownSource = (number = 1): OtpSource => ({
  key: `203.0.113.${number}`,
  isKnown: true,
  groups: [],
});

interface EnterOptions {
  readonly codeId?: string;
  readonly source?: OtpSource;
}

type Outcomes = Readonly<Record<string, DeliveryOutcome>>;

export class OtpHarness {
  readonly store = openMemoryStore();
  readonly deps: OtpDeps;
  /** Epoch seconds. */
  now = startTime;

  constructor({ disableRateLimits = false, outcomes = {} }: { disableRateLimits?: boolean; outcomes?: Outcomes } = {}) {
    const clock = { now: () => new Date(this.now * 1000) };
    const random = createSeededRandom();
    this.deps = {
      clock,
      disableRateLimits,
      store: this.store,
      random,
      ids: createIds(clock, random),
      storeSecret: createStoreSecret(Buffer.alloc(32, 7), random),
      outbox: {
        isRelayed: () => false,
        findOutcome: ({ to }) => outcomes[to],
        createMessageId: async () => this.deps.ids.newId(),
        wake: () => undefined,
      },
    };
  }

  /** Sends a code and reads it from the message. */
  async send(
    holder: OtpBinding = annBinding,
    contacts = [annContact],
    options: Partial<OtpRequest> = {},
  ): Promise<{ codeId: string; code: string; message: Message | undefined }> {
    const request = { ...holder, contacts, source: homeSource, quiet: true, ...options };
    const { codeId } = await this.store.transaction((tx) => sendOtp(tx, request, this.deps));
    const message = (await this.store.messages.list()).find((row) => row.codeId === codeId && row.delivery !== 'decoy');
    return { codeId, message, code: (message && decryptMessageCode(message, this.deps.storeSecret)) ?? '' };
  }

  /** The result of an attempt: accepted, or the error code and headers of the rejection. */
  async enter(
    code: string,
    holder: OtpBinding = annBinding,
    { codeId, source = homeSource }: EnterOptions = {},
  ): Promise<object> {
    return readOutcome(consumeOtp({ ...holder, code, codeId, source }, this.deps, async () => 'done'));
  }

  /** Attempts with wrong codes. */
  async guess(code: string, times: number, holder: OtpBinding = annBinding, source = homeSource): Promise<void> {
    for (let time = 0; time < times; time += 1) await this.enter(otherCode(code), holder, { source });
  }

  /** How many more wrong codes of this source are checked. */
  async countRemaining(holder: OtpBinding = annBinding, source = homeSource): Promise<number> {
    const counted = sourceDigest(formatAttemptsKey(holder, this.deps.storeSecret), source.key, this.deps.storeSecret);
    return countRemainingAttempts(this.store, { ...holder, source: counted }, this.now, this.deps.storeSecret);
  }
}

/** A code that differs from this one. */
export function otherCode(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

export async function readOutcome(work: Promise<unknown>): Promise<object> {
  try {
    await work;
    return consumed;
  } catch (error) {
    if (!(error instanceof IamError)) throw error;
    return { code: error.code, headers: error.headers };
  }
}
