/** Sending codes: which code goes where, what it does to the one before, and five an hour to one contact. */
import { describe, expect, test } from 'vitest';
import { emailContact } from '../../../src/server/identity/contacts.ts';
import { pretendedCode, sendCode } from '../../../src/server/identity/otp.ts';
import { countSending } from '../../../src/server/identity/otp-rate-limit.ts';
import type { OtpSource } from '../../../src/server/identity/otp-source.ts';
import { sixDigits } from '../../../src/server/identity/otp-value.ts';
import { systemRandomness } from '../../../src/server/randomness.ts';
import {
  address,
  ann,
  bob,
  CodesWorld,
  familiar,
  home,
  outcomeOf,
  start,
  stranger,
  taken,
  wrong,
} from './otp-world.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

const second = emailContact('second@example.com');

describe('a code', () => {
  test('is told with its end, and in words that fit its purpose', async () => {
    const world = new CodesWorld();
    const sent = await world.store.transaction((tx) =>
      sendCode(tx, { ...ann, contacts: [address], source: home }, world.tools),
    );
    expect(sent).toEqual({ codeId: expect.any(String), expiresAt: start + 600, expiresIn: '600' });
    const { message } = await world.send({ ...ann, purpose: 'mfa' });
    expect(message).toMatchObject({ purpose: 'mfa', expiresAt: '2026-03-01T12:10:00.000Z' });
    expect(message?.text).toMatch(/^Your sign-in code is \{code\}\. It is good for ten minutes\./);
    expect((await world.send()).message?.text).toMatch(/^Your code is \{code\}\./);
    const { clock, randomness } = world.tools;
    expect(pretendedCode({ clock, randomness })).toEqual({ ...sent, codeId: expect.any(String) });
  });

  test('takes the place of the one before of its holder, and says so where that was still good', async () => {
    const world = new CodesWorld();
    const first = await world.send();
    const others = await world.send(bob);
    const next = await world.send();
    expect([first.message?.voids, others.message?.voids, next.message?.voids]).toEqual([
      undefined,
      undefined,
      first.codeId,
    ]);
    expect(await world.give(first.code)).toEqual(wrong);
    expect(await world.give(next.code)).toEqual(taken);
    expect((await world.send()).message?.voids).toBeUndefined();
    world.now += 600;
    expect((await world.send()).message?.voids).toBeUndefined();
  });

  test('goes to every contact as the same one, and is good also where it goes to none', async () => {
    const world = new CodesWorld();
    await world.send(ann, [address, second]);
    const messages = await world.store.messages.list();
    expect(messages.map(({ to }) => to)).toEqual([address.to, second.to]);
    expect(new Set(messages.map(({ codeId }) => codeId)).size).toBe(1);
    await world.send(bob, []);
    expect(await world.store.codes.find('subject', 'user:bob')).toMatchObject([{ used: false }]);
    expect(await world.store.messages.list()).toHaveLength(2);
  });

  test('that is over is cleared away when others are sent, and no other one', async () => {
    const world = new CodesWorld();
    await world.send();
    world.now += 599;
    await world.send(bob);
    expect(await world.store.codes.list()).toHaveLength(2);
    world.now += 1;
    await world.send(bob);
    expect(await world.store.codes.list()).toMatchObject([{ subject: bob.subject }]);
  });

  test('is what its contacts chose, where all of them chose the same', async () => {
    const fixed = (code: string) => ({ kind: 'fixed', code }) as const;
    const outcomes = { a: fixed('123456'), b: fixed('123456'), c: fixed('654321'), d: { kind: 'twice' } } as const;
    const codeFor = async (...names: string[]) =>
      (await new CodesWorld({ outcomes }).send(ann, names.map(emailContact))).code;
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
      return { ...systemRandomness, bytes: () => draws.shift() ?? Buffer.alloc(0) };
    };
    expect(sixDigits(drawing(42))).toBe('000042');
    expect(sixDigits(drawing(4_293_999_999))).toBe('999999');
    expect(sixDigits(drawing(4_294_000_000, 0xffff_ffff, 7))).toBe('000007');
  });
});

describe('a sixth code to one contact within an hour', () => {
  test('is refused until the first of them is an hour old, and quietly leaves the last one good', async () => {
    const world = new CodesWorld();
    let last = await world.send();
    for (let time = 1; time < 5; time += 1) {
      world.now += 10;
      last = await world.send();
    }
    const sixth = world.store.transaction((tx) =>
      sendCode(tx, { ...ann, contacts: [address], source: home }, world.tools),
    );
    expect(await outcomeOf(sixth)).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '3560' } });
    expect(await world.send(ann, [emailContact('ANN@example.com')])).toMatchObject({ message: undefined });
    expect(await world.give(last.code)).toEqual(taken);
    world.now = start + 3599;
    expect(await world.send()).toMatchObject({ message: undefined });
    world.now += 1;
    expect((await world.send()).message).toBeDefined();
  });

  test('is refused aloud, unless quiet is asked for', async () => {
    const world = new CodesWorld();
    const count = () => world.store.transaction((tx) => countSending(tx, 'name', world.tools));
    for (let time = 0; time < 5; time += 1) expect(await count()).toBe(true);
    expect(await outcomeOf(count())).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '3600' } });
  });

  test('goes to the others that it is for', async () => {
    const world = new CodesWorld();
    for (let time = 0; time < 5; time += 1) await world.send();
    const { message, code } = await world.send(ann, [address, second]);
    expect(message).toMatchObject({ to: second.to });
    expect(await world.give(code)).toEqual(taken);
  });

  test('is none with disable-rate-limits', async () => {
    const world = new CodesWorld({ disableRateLimits: true });
    for (let time = 0; time < 7; time += 1) expect((await world.send()).message).toBeDefined();
    expect(await world.store.sendings.list()).toEqual([]);
  });

  test('is none where the clock was set back by more than a minute since', async () => {
    const send = async (world: CodesWorld) =>
      world.store.transaction((tx) => countSending(tx, 'name', world.tools, { quiet: true }));
    for (const [back, goes] of [
      [60, false],
      [61, true],
    ] as const) {
      const world = new CodesWorld();
      for (let time = 0; time < 5; time += 1) expect(await send(world)).toBe(true);
      world.now -= back;
      expect(await send(world)).toBe(goes);
    }
  });

  test('counts for an hour after the last, and is cleared away with the next that count', async () => {
    const world = new CodesWorld();
    const count = (name: string) => world.store.transaction((tx) => countSending(tx, name, world.tools));
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
  const send = async (world: CodesWorld, source: OtpSource) =>
    (await world.send(ann, [address], { source })).message !== undefined;

  test('are five from a source and 20 over all; then they go for known sources, five each', async () => {
    const world = new CodesWorld();
    for (const number of numbers(4)) {
      for (let time = 0; time < 5; time += 1) expect(await send(world, stranger(number))).toBe(true);
      expect(await send(world, stranger(number))).toBe(false);
    }
    expect(await send(world, stranger(5))).toBe(false);
    for (let time = 0; time < 5; time += 1) expect(await send(world, familiar())).toBe(true);
    expect(await send(world, familiar())).toBe(false);
    world.now = start + 3600;
    expect(await send(world, stranger(5))).toBe(true);
  });

  test('say by Retry-After when the next one goes', async () => {
    const world = new CodesWorld();
    for (const number of numbers(20)) {
      await send(world, stranger(number));
      world.now += 1;
    }
    const request = { ...ann, contacts: [address], source: stranger(21) };
    const refused = world.store.transaction((tx) => sendCode(tx, request, world.tools));
    expect(await outcomeOf(refused)).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '3580' } });
  });
});
