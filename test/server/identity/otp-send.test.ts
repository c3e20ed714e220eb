/** Sending codes: which code goes where, what it does to the one before, and five an hour to one contact. */
import { describe, expect, test } from 'vitest';
import { emailContact } from '../../../src/server/identity/contacts.ts';
import { createDecoyOtpTransaction, sendOtp } from '../../../src/server/identity/otp.ts';
import { consumeOtpRateLimit } from '../../../src/server/identity/otp-rate-limit.ts';
import type { OtpSource } from '../../../src/server/identity/otp-source.ts';
import { generateSixDigits } from '../../../src/server/identity/otp-value.ts';
import { systemRandom } from '../../../src/server/random.ts';
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
  test('is told with its end, and in words that fit its purpose', async () => {
    const world = new OtpHarness();
    const sent = await world.store.transaction((tx) =>
      sendOtp(tx, { ...annBinding, contacts: [annContact], source: homeSource }, world.deps),
    );
    expect(sent).toEqual({ codeId: expect.any(String), expiresAt: startTime + 600, expiresIn: '600' });
    const { message } = await world.send({ ...annBinding, purpose: 'mfa' });
    expect(message).toMatchObject({ purpose: 'mfa', expiresAt: '2026-03-01T12:10:00.000Z' });
    expect(message?.text).toMatch(/^Your sign-in code is \{code\}\. It is good for ten minutes\./);
    expect((await world.send()).message?.text).toMatch(/^Your code is \{code\}\./);
    const { clock, random } = world.deps;
    expect(createDecoyOtpTransaction({ clock, random })).toEqual({ ...sent, codeId: expect.any(String) });
  });

  test('takes the place of the one before of its holder, and says so where that was still good', async () => {
    const world = new OtpHarness();
    const first = await world.send();
    const others = await world.send(bobBinding);
    const next = await world.send();
    expect([first.message?.voids, others.message?.voids, next.message?.voids]).toEqual([
      undefined,
      undefined,
      first.codeId,
    ]);
    expect(await world.enter(first.code)).toEqual(wrongCode);
    expect(await world.enter(next.code)).toEqual(consumed);
    expect((await world.send()).message?.voids).toBeUndefined();
    world.now += 600;
    expect((await world.send()).message?.voids).toBeUndefined();
  });

  test('goes to every contact as the same one, and is good also where it goes to none', async () => {
    const world = new OtpHarness();
    await world.send(annBinding, [annContact, second]);
    const messages = await world.store.messages.list();
    expect(messages.map(({ to }) => to)).toEqual([annContact.to, second.to]);
    expect(new Set(messages.map(({ codeId }) => codeId)).size).toBe(1);
    await world.send(bobBinding, []);
    expect(await world.store.codes.find('subject', 'user:bob')).toMatchObject([{ used: false }]);
    expect(await world.store.messages.list()).toHaveLength(2);
  });

  test('that is over is cleared away when others are sent, and no other one', async () => {
    const world = new OtpHarness();
    await world.send();
    world.now += 599;
    await world.send(bobBinding);
    expect(await world.store.codes.list()).toHaveLength(2);
    world.now += 1;
    await world.send(bobBinding);
    expect(await world.store.codes.list()).toMatchObject([{ subject: bobBinding.subject }]);
  });

  test('is what its contacts chose, where all of them chose the same', async () => {
    const fixed = (code: string) => ({ kind: 'fixed', code }) as const;
    const outcomes = { a: fixed('123456'), b: fixed('123456'), c: fixed('654321'), d: { kind: 'twice' } } as const;
    const codeFor = async (...names: string[]) =>
      (await new OtpHarness({ outcomes }).send(annBinding, names.map(emailContact))).code;
    expect([await codeFor('a'), await codeFor('a', 'b')]).toEqual(['123456', '123456']);
    for (const names of [['a', 'c'], ['a', 'x'], ['d']])
      expect(await codeFor(...names)).toMatch(/^(?!123456|654321)\d{6}$/);
  });

  test('has six digits, each as likely as any other', () => {
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
  test('is refused until the first of them is an hour old, and quietly leaves the last one good', async () => {
    const world = new OtpHarness();
    let last = await world.send();
    for (let time = 1; time < 5; time += 1) {
      world.now += 10;
      last = await world.send();
    }
    const sixth = world.store.transaction((tx) =>
      sendOtp(tx, { ...annBinding, contacts: [annContact], source: homeSource }, world.deps),
    );
    expect(await readOutcome(sixth)).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '3560' } });
    expect(await world.send(annBinding, [emailContact('ANN@example.com')])).toMatchObject({ message: undefined });
    expect(await world.enter(last.code)).toEqual(consumed);
    world.now = startTime + 3599;
    expect(await world.send()).toMatchObject({ message: undefined });
    world.now += 1;
    expect((await world.send()).message).toBeDefined();
  });

  test('is refused aloud, unless quiet is asked for', async () => {
    const world = new OtpHarness();
    const count = () => world.store.transaction((tx) => consumeOtpRateLimit(tx, 'name', world.deps));
    for (let time = 0; time < 5; time += 1) expect(await count()).toBe(true);
    expect(await readOutcome(count())).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '3600' } });
  });

  test('goes to the others that it is for', async () => {
    const world = new OtpHarness();
    for (let time = 0; time < 5; time += 1) await world.send();
    const { message, code } = await world.send(annBinding, [annContact, second]);
    expect(message).toMatchObject({ to: second.to });
    expect(await world.enter(code)).toEqual(consumed);
  });

  test('is none with disable-rate-limits', async () => {
    const world = new OtpHarness({ disableRateLimits: true });
    for (let time = 0; time < 7; time += 1) expect((await world.send()).message).toBeDefined();
    expect(await world.store.sendings.list()).toEqual([]);
  });

  test('is none where the clock was set back by more than a minute since', async () => {
    const send = async (world: OtpHarness) =>
      world.store.transaction((tx) => consumeOtpRateLimit(tx, 'name', world.deps, { quiet: true }));
    for (const [back, goes] of [
      [60, false],
      [61, true],
    ] as const) {
      const world = new OtpHarness();
      for (let time = 0; time < 5; time += 1) expect(await send(world)).toBe(true);
      world.now -= back;
      expect(await send(world)).toBe(goes);
    }
  });

  test('counts for an hour after the last, and is cleared away with the next that count', async () => {
    const world = new OtpHarness();
    const count = (name: string) => world.store.transaction((tx) => consumeOtpRateLimit(tx, name, world.deps));
    const rows = () => world.store.sendings.count();
    await count('one');
    world.now += 1800;
    await count('one');
    world.now += 3599;
    await count('two');
    expect(await rows()).toBe(2);
    world.now += 1;
    await count('two');
    expect(await rows()).toBe(1);
  });
});

describe('codes to one contact within an hour', () => {
  const send = async (world: OtpHarness, source: OtpSource) =>
    (await world.send(annBinding, [annContact], { source })).message !== undefined;

  test('are five from a source and 20 over all; then they go for known sources, five each', async () => {
    const world = new OtpHarness();
    for (const number of numbers(4)) {
      for (let time = 0; time < 5; time += 1) expect(await send(world, unknownSourceNumber(number))).toBe(true);
      expect(await send(world, unknownSourceNumber(number))).toBe(false);
    }
    expect(await send(world, unknownSourceNumber(5))).toBe(false);
    for (let time = 0; time < 5; time += 1) expect(await send(world, knownSource())).toBe(true);
    expect(await send(world, knownSource())).toBe(false);
    world.now = startTime + 3600;
    expect(await send(world, unknownSourceNumber(5))).toBe(true);
  });

  test('say by Retry-After when the next one goes', async () => {
    const world = new OtpHarness();
    for (const number of numbers(20)) {
      await send(world, unknownSourceNumber(number));
      world.now += 1;
    }
    const request = { ...annBinding, contacts: [annContact], source: unknownSourceNumber(21) };
    const refused = world.store.transaction((tx) => sendOtp(tx, request, world.deps));
    expect(await readOutcome(refused)).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '3580' } });
  });
});
