/** Sending codes: the contacts, the effect on an earlier code, and the limit of five an hour to one contact. */
import { describe, expect, test } from 'vitest';
import { listMessages, toInboxItem } from '../../../src/server/control/inbox-items.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { emailContact } from '../../../src/server/messaging/contacts.ts';
import { decryptMessageCode } from '../../../src/server/messaging/messages.ts';
import { createDecoyOtpTransaction, sendOtp } from '../../../src/server/mfa/otp.ts';
import { deleteDecoyMessages } from '../../../src/server/mfa/otp-decoys.ts';
import { consumeOtpRateLimit } from '../../../src/server/mfa/otp-rate-limit.ts';
import type { OtpSource } from '../../../src/server/mfa/otp-source.ts';
import { generateSixDigits } from '../../../src/server/mfa/otp-value.ts';
import type { Message } from '../../../src/server/store/tables.ts';
import {
  annBinding,
  annContact,
  bobBinding,
  consumed,
  homeSource,
  knownSource,
  OtpHarness,
  readOutcome,
  startTime,
  unknownSourceNumber,
  wrongCode,
} from './otp-harness.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

const second = emailContact('second@example.com');

describe('a code', () => {
  test('is sent with its expiry, in a text for its purpose', async () => {
    const harness = new OtpHarness();
    const sent = await harness.store.transaction((tx) =>
      sendOtp(tx, { ...annBinding, contacts: [annContact], source: homeSource }, harness.deps),
    );
    expect(sent).toEqual({ codeId: expect.any(String), expiresAt: startTime + 600, expiresIn: '600' });
    const { message } = await harness.send({ ...annBinding, purpose: 'mfa' });
    expect(message).toMatchObject({ purpose: 'mfa', expiresAt: '2026-03-01T12:10:00.000Z' });
    expect(message?.text).toMatch(/^Your sign-in code is \{code\}\. It expires in ten minutes\./);
    expect((await harness.send()).message?.text).toMatch(/^Your code is \{code\}\./);
    const { clock, random } = harness.deps;
    expect(createDecoyOtpTransaction({ clock, random })).toEqual({ ...sent, codeId: expect.any(String) });
  });

  test('replaces the earlier one of its holder, and reports it where that was still valid', async () => {
    const harness = new OtpHarness();
    const first = await harness.send();
    const others = await harness.send(bobBinding);
    const next = await harness.send();
    expect([first.message?.voids, others.message?.voids, next.message?.voids]).toEqual([
      undefined,
      undefined,
      first.codeId,
    ]);
    expect(await harness.enter(first.code)).toEqual(wrongCode);
    expect(await harness.enter(next.code)).toEqual(consumed);
    expect((await harness.send()).message?.voids).toBeUndefined();
    harness.now += 600;
    expect((await harness.send()).message?.voids).toBeUndefined();
  });

  test('to a decoy is stored as a message that no inbox shows and that contains no code', async () => {
    const harness = new OtpHarness();
    const decoys = ['first', 'last'].map((name) => emailContact(`unknown:${name}`));
    const { store, deps } = harness;
    await store.transaction((tx) =>
      sendOtp(tx, { ...annBinding, contacts: [annContact], decoys, source: homeSource }, deps),
    );
    const stored = await store.messages.list();
    expect(stored.map(({ delivery }) => delivery)).toEqual([undefined, 'decoy']);
    expect(decryptMessageCode(stored[1] as Message, deps.storeSecret)).toBe('000000');
    const outbox = { deliverDue: async () => {} };
    expect(await listMessages({ store, outbox }, {})).toEqual([stored[0]]);
    await deleteDecoyMessages(store);
    expect(await store.messages.list()).toEqual([stored[0]]);
  });

  test('is not shown as replaced by a message to a decoy', async () => {
    const harness = new OtpHarness();
    const { message } = await harness.send();
    const { store, deps } = harness;
    const decoys = [emailContact('unknown:first')];
    await store.transaction((tx) => sendOtp(tx, { ...annBinding, contacts: [], decoys, source: homeSource }, deps));
    expect(await store.messages.find('voids', message?.codeId ?? '')).toMatchObject([{ delivery: 'decoy' }]);
    expect(await toInboxItem(message as Message, deps)).not.toHaveProperty('supersededBy');
  });

  test('is the same one for every contact, and is valid even where there is no contact', async () => {
    const harness = new OtpHarness();
    await harness.send(annBinding, [annContact, second]);
    const messages = await harness.store.messages.list();
    expect(messages.map(({ to }) => to)).toEqual([annContact.to, second.to]);
    expect(new Set(messages.map(({ codeId }) => codeId)).size).toBe(1);
    await harness.send(bobBinding, []);
    expect(await harness.store.codes.find('subject', 'user:bob')).toMatchObject([{ used: false }]);
    expect(await harness.store.messages.list()).toHaveLength(2);
  });

  test('is deleted after it expires when others are sent, and no other one is', async () => {
    const harness = new OtpHarness();
    await harness.send();
    harness.now += 599;
    await harness.send(bobBinding);
    expect(await harness.store.codes.list()).toHaveLength(2);
    harness.now += 1;
    await harness.send(bobBinding);
    expect(await harness.store.codes.list()).toMatchObject([{ subject: bobBinding.subject }]);
  });

  test('is the one that its contacts chose, where all of them chose the same', async () => {
    const fixed = (code: string) => ({ kind: 'fixed', code }) as const;
    const outcomes = { a: fixed('123456'), b: fixed('123456'), c: fixed('654321'), d: { kind: 'twice' } } as const;
    const codeFor = async (...names: string[]) =>
      (await new OtpHarness({ outcomes }).send(annBinding, names.map(emailContact))).code;
    expect([await codeFor('a'), await codeFor('a', 'b')]).toEqual(['123456', '123456']);
    for (const names of [['a', 'c'], ['a', 'x'], ['d']])
      expect(await codeFor(...names)).toMatch(/^(?!123456|654321)\d{6}$/);
  });

  test('has six digits, all equally likely', () => {
    const drawing = (...numbers: number[]) => {
      const draws = numbers.map((number) => {
        const bytes = Buffer.alloc(4);
        bytes.writeUInt32BE(number);
        return bytes;
      });
      return { ...systemRandom, bytes: () => draws.shift() ?? Buffer.alloc(0) };
    };
    expect(generateSixDigits(drawing(42))).toBe('000042');
    expect(generateSixDigits(drawing(4_293_999_999))).toBe('999999');
    expect(generateSixDigits(drawing(4_294_000_000, 0xffff_ffff, 7))).toBe('000007');
  });
});

describe('a sixth code to one contact within an hour', () => {
  /** Sends five codes, 10 seconds apart. @returns the last */
  async function sendFive(harness: OtpHarness, options: { readonly quiet?: boolean } = {}) {
    let last = await harness.send(annBinding, [annContact], options);
    for (let time = 1; time < 5; time += 1) {
      harness.now += 10;
      last = await harness.send(annBinding, [annContact], options);
    }
    return last;
  }

  test('is rejected until the first of them is an hour old, and leaves the last one valid', async () => {
    const harness = new OtpHarness();
    const last = await sendFive(harness, { quiet: false });
    const sixth = () => harness.send(annBinding, [emailContact('ANN@example.com')], { quiet: false });
    expect(await readOutcome(sixth())).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '3560' } });
    expect(await harness.enter(last.code)).toEqual(consumed);
    harness.now = startTime + 3600;
    expect((await sixth()).message).toBeDefined();
  });

  test('is not sent, without an error, if quiet is set, and leaves the last one valid', async () => {
    const harness = new OtpHarness();
    const last = await sendFive(harness);
    const sixth = await harness.send(annBinding, [emailContact('ANN@example.com')]);
    expect([sixth.message, sixth.codeId === last.codeId]).toEqual([undefined, false]);
    expect(await harness.enter(last.code)).toEqual(consumed);
    harness.now = startTime + 3599;
    expect(await harness.send()).toMatchObject({ message: undefined });
    harness.now += 1;
    expect((await harness.send()).message).toBeDefined();
  });

  test('is stored if quiet is set and no earlier one of the source is valid, but sent to no contact', async () => {
    const harness = new OtpHarness();
    await sendFive(harness);
    harness.now += 600;
    const { codeId, message } = await harness.send();
    expect(message).toBeUndefined();
    expect(await harness.store.codes.get(codeId)).toMatchObject({ used: false, subject: annBinding.subject });
  });

  test('counts separately if quiet is set', async () => {
    const harness = new OtpHarness();
    await sendFive(harness);
    expect((await harness.send(annBinding, [annContact], { quiet: false })).message).toBeDefined();
  });

  test('is rejected with an error unless quiet is set', async () => {
    const harness = new OtpHarness();
    const count = () => harness.store.transaction((tx) => consumeOtpRateLimit(tx, 'name', harness.deps));
    for (let time = 0; time < 5; time += 1) expect(await count()).toBe(true);
    expect(await readOutcome(count())).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '3600' } });
  });

  test('is sent to the other contacts', async () => {
    const harness = new OtpHarness();
    for (let time = 0; time < 5; time += 1) await harness.send();
    const { message, code } = await harness.send(annBinding, [annContact, second]);
    expect(message).toMatchObject({ to: second.to });
    expect(await harness.enter(code)).toEqual(consumed);
  });

  test('is sent with disable-rate-limits', async () => {
    const harness = new OtpHarness({ disableRateLimits: true });
    for (let time = 0; time < 7; time += 1) expect((await harness.send()).message).toBeDefined();
    expect(await harness.store.sendings.list()).toEqual([]);
  });

  test('is sent where the clock was set back by more than a minute since', async () => {
    const send = async (harness: OtpHarness) =>
      harness.store.transaction((tx) => consumeOtpRateLimit(tx, 'name', harness.deps, { quiet: true }));
    for (const [back, goes] of [
      [60, false],
      [61, true],
    ] as const) {
      const harness = new OtpHarness();
      for (let time = 0; time < 5; time += 1) expect(await send(harness)).toBe(true);
      harness.now -= back;
      expect(await send(harness)).toBe(goes);
    }
  });

  test('counts for an hour after the last, and is deleted with the next that count', async () => {
    const harness = new OtpHarness();
    const count = (name: string) => harness.store.transaction((tx) => consumeOtpRateLimit(tx, name, harness.deps));
    const rows = () => harness.store.sendings.count();
    await count('one');
    harness.now += 1800;
    await count('one');
    harness.now += 3599;
    await count('two');
    expect(await rows()).toBe(2);
    harness.now += 1;
    await count('two');
    expect(await rows()).toBe(1);
  });
});

describe('codes to one contact within an hour', () => {
  const send = async (harness: OtpHarness, source: OtpSource) =>
    (await harness.send(annBinding, [annContact], { source })).message !== undefined;

  test('are five from a source and 20 in total; then known sources may request five each', async () => {
    const harness = new OtpHarness();
    for (const number of numbers(4)) {
      for (let time = 0; time < 5; time += 1) expect(await send(harness, unknownSourceNumber(number))).toBe(true);
      expect(await send(harness, unknownSourceNumber(number))).toBe(false);
    }
    expect(await send(harness, unknownSourceNumber(5))).toBe(false);
    for (let time = 0; time < 5; time += 1) expect(await send(harness, knownSource())).toBe(true);
    expect(await send(harness, knownSource())).toBe(false);
    harness.now = startTime + 3600;
    expect(await send(harness, unknownSourceNumber(5))).toBe(true);
  });

  test('have a Retry-After with the time of the next one', async () => {
    const harness = new OtpHarness();
    for (const number of numbers(20)) {
      await harness.send(annBinding, [annContact], { source: unknownSourceNumber(number), quiet: false });
      harness.now += 1;
    }
    const request = { ...annBinding, contacts: [annContact], source: unknownSourceNumber(21) };
    const rejected = harness.store.transaction((tx) => sendOtp(tx, request, harness.deps));
    expect(await readOutcome(rejected)).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '3580' } });
  });
});
