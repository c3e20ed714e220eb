/** One-time codes requested and typed from several sources: the limits of each, and the isolation between them. */
import { describe, expect, test } from 'vitest';
import type { SourceGroup } from '../../../src/server/lib/request-source.ts';
import { consumeFirstMatchingOtp, type OtpBinding, sendOtp } from '../../../src/server/mfa/otp.ts';
import type { OtpSource } from '../../../src/server/mfa/otp-source.ts';
import {
  annBinding,
  annContact,
  bobBinding,
  consumed,
  homeSource,
  knownSource,
  OtpHarness,
  otherCode,
  readOutcome,
  throttledFor,
  unknownSourceNumber,
  wrongCode,
} from './otp-harness.ts';

const mfaSource = (number: number): OtpSource => ({ ...knownSource(number), isKnownByMfa: true });
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('five wrong codes from a source', () => {
  test('block that source only, also for a code that it requests later', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    await harness.guess(code, 5, annBinding, unknownSourceNumber());
    expect(await harness.enter(code, annBinding, { source: unknownSourceNumber() })).toEqual(throttledFor(3600));
    const later = await harness.send(annBinding, [annContact], { source: unknownSourceNumber() });
    expect(await harness.enter(later.code, annBinding, { source: unknownSourceNumber() })).toEqual(throttledFor(3600));
    expect(await harness.countRemaining()).toBe(5);
    expect(await harness.enter(code)).toEqual(consumed);
  });

  test('are cleared by a right code of the same source only', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    await harness.guess(code, 4);
    await harness.guess(code, 4, annBinding, unknownSourceNumber());
    expect(await harness.enter(code)).toEqual(consumed);
    expect([await harness.countRemaining(), await harness.countRemaining(annBinding, unknownSourceNumber())]).toEqual([
      5, 1,
    ]);
  });
});

describe('20 wrong codes within an hour over all sources', () => {
  async function spent(harness: OtpHarness, code: string): Promise<void> {
    for (const number of numbers(4)) await harness.guess(code, 5, annBinding, unknownSourceNumber(number));
  }

  test('leave the codes open to known sources, and to each source the code that it requested', async () => {
    const harness = new OtpHarness();
    const own = await harness.send();
    const others = await harness.send(annBinding, [annContact], { source: knownSource() });
    await spent(harness, otherCode(own.code) === others.code ? otherCode(own.code) : own.code);
    expect(await harness.enter(others.code, annBinding, { source: unknownSourceNumber(5) })).toEqual(
      throttledFor(3600),
    );
    expect(await harness.enter(others.code)).toEqual(wrongCode);
    expect(await harness.countRemaining()).toBe(4);
    expect(await harness.enter(others.code, annBinding, { source: knownSource(2) })).toEqual(consumed);
    expect(await harness.enter(own.code)).toEqual(consumed);
    // After it uses its code the source has none.
    expect(await harness.enter(own.code)).toEqual(throttledFor(3600));
  });

  test('are exactly 20', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send(annBinding, [annContact], { source: knownSource() });
    await spent(harness, code);
    const open = new OtpHarness();
    const again = await open.send(annBinding, [annContact], { source: knownSource() });
    for (const number of numbers(19)) await open.guess(again.code, 1, annBinding, unknownSourceNumber(number));
    expect(await open.enter(again.code, annBinding, { source: unknownSourceNumber(20) })).toEqual(consumed);
    expect(await harness.enter(code, annBinding, { source: unknownSourceNumber(20) })).toEqual(throttledFor(3600));
  });

  test('expire as soon as one of them is an hour old', async () => {
    const harness = new OtpHarness();
    await harness.guess('000000', 5, annBinding, unknownSourceNumber(1));
    harness.now += 1800;
    for (const number of [2, 3, 4]) await harness.guess('000000', 5, annBinding, unknownSourceNumber(number));
    expect(await harness.enter('000000', annBinding, { source: unknownSourceNumber(5) })).toEqual(throttledFor(1800));
    harness.now += 1800;
    expect(await harness.enter('000000', annBinding, { source: unknownSourceNumber(5) })).toEqual(wrongCode);
  });

  test('leave every source five attempts on the code that it requested', async () => {
    const harness = new OtpHarness();
    await spent(harness, '000001');
    const { code } = await harness.send();
    await harness.guess(code, 5);
    expect(await harness.enter(code)).toEqual(throttledFor(3600));
  });

  test('are counted for each subject and purpose', async () => {
    const harness = new OtpHarness();
    await spent(harness, '000000');
    for (const holder of [bobBinding, { ...annBinding, purpose: 'mfa' }] satisfies OtpBinding[])
      expect(await harness.enter('000000', holder, { source: unknownSourceNumber(5) })).toEqual(wrongCode);
  });

  test('are no limit with disable-rate-limits, and are not stored', async () => {
    const harness = new OtpHarness({ disableRateLimits: true });
    const { code } = await harness.send();
    await spent(harness, code);
    expect(await harness.store.codeFailures.list()).toEqual([]);
    expect(await harness.enter(code, annBinding, { source: unknownSourceNumber(5) })).toEqual(consumed);
  });
});

test('100 concurrent wrong codes are counted one by one', async () => {
  const harness = new OtpHarness();
  const { code } = await harness.send();
  const guesses = numbers(100).map((at) =>
    harness.enter(otherCode(code), annBinding, { source: unknownSourceNumber(at % 10) }),
  );
  const outcomes = await Promise.all(guesses);
  expect(outcomes.filter((outcome) => 'code' in outcome && outcome.code === 'CODE_INVALID')).toHaveLength(20);
});

test('beyond 64 sources within an hour the remaining ones share one count', async () => {
  const harness = new OtpHarness();
  for (const number of numbers(64)) await harness.guess('000000', 1, annBinding, knownSource(number));
  for (const number of numbers(5)) await harness.guess('000000', 1, annBinding, knownSource(64 + number));
  expect(await harness.enter('000000', annBinding, { source: knownSource(70) })).toEqual(throttledFor(3600));
  expect(await harness.enter('000000', annBinding, { source: knownSource(64) })).toEqual(wrongCode);
  const [row] = await harness.store.codeFailures.list();
  expect(new Set(row?.events?.map(({ source }) => source)).size).toBe(65);
});

describe('as second factor', () => {
  const mfa: OtpBinding = { purpose: 'mfa', subject: 'user:ann', target: 'session' };

  test('20 wrong codes leave no code to a source that is not known, and five wrong ones to one that is', async () => {
    const harness = new OtpHarness();
    const { code, codeId } = await harness.send(mfa);
    for (const number of numbers(4)) await harness.guess(code, 5, mfa, unknownSourceNumber(number));
    expect(await harness.enter(code, mfa)).toEqual(throttledFor(3600));
    await harness.guess(code, 5, mfa, knownSource(1));
    expect(await harness.enter(code, mfa, { source: knownSource(1) })).toEqual(throttledFor(3600));
    expect(await harness.enter(code, mfa, { codeId, source: knownSource(2) })).toEqual(consumed);
  });

  test('a source with fewer guesses left than the session has codes guesses at no more, its own first', async () => {
    const factor: OtpBinding = { ...mfa, purpose: 'factor' };
    const start = async () => {
      const harness = new OtpHarness();
      const sent = [];
      for (const number of numbers(4))
        sent.push(await harness.send(factor, [annContact], { source: unknownSourceNumber(number) }));
      const enter = (code: string | undefined, number = 1) =>
        harness.enter(code ?? '', factor, { source: unknownSourceNumber(number) });
      expect(await enter('abcdef')).toEqual(wrongCode);
      expect(await harness.countRemaining(factor, unknownSourceNumber())).toBe(1);
      return { codes: sent.map(({ code }) => code), enter };
    };
    const owner = await start();
    expect(await owner.enter(owner.codes[0])).toEqual(consumed);
    const attacker = await start();
    expect(await attacker.enter(attacker.codes[1])).toEqual(wrongCode);
    expect(await attacker.enter(attacker.codes[0])).toEqual(throttledFor(3600));
    // 5 of 20 are counted for the first source, and 15 are left for three others.
    for (const number of [2, 3, 4]) expect(await attacker.enter('abcdef', number)).toEqual(wrongCode);
    for (const number of [2, 3]) expect(await attacker.enter('abcdef', number)).toEqual(wrongCode);
    expect(await attacker.enter(attacker.codes[2], 5)).toEqual(wrongCode);
    expect(await attacker.enter(attacker.codes[3], 6)).toEqual(throttledFor(3600));
  });

  test('a right code clears the wrong ones of its source only where it proves all contacts', async () => {
    for (const [purpose, left] of [
      ['mfa', 5],
      ['factor', 1],
      ['legacy-association', 1],
    ] as const) {
      const harness = new OtpHarness();
      const holder: OtpBinding = { purpose, subject: 'user:ann' };
      const { code } = await harness.send(holder);
      await harness.guess(code, 4, holder);
      expect(await harness.enter(code, holder)).toEqual(consumed);
      expect(await harness.countRemaining(holder), purpose).toBe(left);
    }
  });
});

describe('wrong codes for many subjects', () => {
  const groupsOf = (network: number): SourceGroup[] => [
    { kind: 'network', key: `2001:db8:1:${network}::/64` },
    { kind: 'site', key: '2001:db8:1::/48' },
  ];
  const inSite = (network: number): OtpSource => ({ key: `net ${network}`, isKnown: false, groups: groupsOf(network) });
  const userNumber = (number: number): OtpBinding => ({ purpose: 'recovery', subject: `user:${number}` });

  /** Enters wrong codes for this many new subjects. */
  async function fail(harness: OtpHarness, source: OtpSource, count: number, prefix = ''): Promise<void> {
    for (const number of numbers(count))
      expect(await harness.enter('abcdef', { purpose: 'recovery', subject: `${prefix}${number}` }, { source })).toEqual(
        wrongCode,
      );
  }

  test('are 50 an hour of a network and 500 of a site, then none of its codes is checked', async () => {
    const harness = new OtpHarness();
    for (const network of numbers(10)) await fail(harness, inSite(network), 50, `${network} `);
    const { code } = await harness.send();
    expect(await harness.enter(code, annBinding, { source: inSite(11) })).toEqual(throttledFor(3600));
    harness.now += 1800;
    expect(await harness.enter(code, annBinding, { source: inSite(1) })).toEqual(throttledFor(1800));
    expect(await harness.enter(code, annBinding, { source: { ...inSite(11), isKnown: true } })).toEqual(wrongCode);
    harness.now += 1800;
    expect(await harness.enter('abcdef', annBinding, { source: inSite(1) })).toEqual(wrongCode);
  });

  test('count for an hour each, in a row of bounded size', async () => {
    const harness = new OtpHarness();
    for (const number of numbers(400)) {
      harness.now += 100;
      await harness.enter('abcdef', userNumber(number), { source: inSite(1) });
    }
    const shared = (await harness.store.codeFailures.list()).filter(({ events }) => events[0]?.source === '');
    expect(shared).toHaveLength(2);
    for (const { events } of shared) {
      expect(events.length).toBeLessThanOrEqual(13);
      expect(events.reduce((sum, { count = 1 }) => sum + count, 0)).toBeGreaterThanOrEqual(36);
    }
  });

  test('are 1,000 of a client that forwards no address', async () => {
    const harness = new OtpHarness();
    const source: OtpSource = { key: 'office', isKnown: false, groups: [{ kind: 'client', key: 'shop' }] };
    await fail(harness, source, 1000);
    expect(await harness.enter('abcdef', annBinding, { source })).toEqual(throttledFor(3600));
  });

  test('count once for a request with several bindings, and not for a code that was used', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    expect(await harness.enter(code, annBinding, { source: inSite(1) })).toEqual(consumed);
    expect(await harness.enter(code, annBinding, { source: inSite(1) })).toEqual(wrongCode);
    const check = { code: 'abcdef', source: inSite(1) };
    const checks = [
      { ...annBinding, ...check },
      { ...bobBinding, ...check },
    ] as const;
    await readOutcome(consumeFirstMatchingOtp([checks[0], checks[1]], harness.deps, async () => 'done'));
    const shared = (await harness.store.codeFailures.list()).filter(({ events }) => events[0]?.source === '');
    expect(shared.map(({ events }) => events)).toEqual([
      [{ source: '', at: harness.now, count: 1 }],
      [{ source: '', at: harness.now, count: 1 }],
    ]);
  });

  test('expire when the clock is set back: the wait starts again from then', async () => {
    const harness = new OtpHarness();
    await fail(harness, inSite(1), 50);
    harness.now -= 7200;
    expect(await harness.enter('abcdef', annBinding, { source: inSite(1) })).toEqual(throttledFor(3600));
    harness.now += 3600;
    expect(await harness.enter('abcdef', annBinding, { source: inSite(1) })).toEqual(wrongCode);
  });
});

describe('a new code', () => {
  const ask = (harness: OtpHarness, source: OtpSource, holder: OtpBinding = annBinding) =>
    harness.send(holder, [annContact], { source });

  test('voids only the one that its own source requested', async () => {
    const harness = new OtpHarness();
    const own = await ask(harness, homeSource);
    const before = await ask(harness, unknownSourceNumber());
    const after = await ask(harness, unknownSourceNumber());
    expect([own.message?.voids, before.message?.voids, after.message?.voids]).toEqual([
      undefined,
      undefined,
      before.codeId,
    ]);
    expect(await harness.enter(before.code)).toEqual(wrongCode);
    expect(await harness.enter(own.code)).toEqual(consumed);
    expect(await harness.enter(after.code)).toEqual(consumed);
  });

  test('as the fifth displaces the oldest of an unknown source, else of one that is known by a login only', async () => {
    const harness = new OtpHarness();
    const first = await ask(harness, knownSource(1));
    const second = await ask(harness, unknownSourceNumber(1));
    const third = await ask(harness, unknownSourceNumber(2));
    await ask(harness, knownSource(2));
    expect((await ask(harness, unknownSourceNumber(3))).message?.voids).toBe(second.codeId);
    expect((await ask(harness, knownSource(3))).message?.voids).toBe(third.codeId);
    await ask(harness, knownSource(4));
    const fourth = await ask(harness, unknownSourceNumber(4));
    expect(fourth.message?.voids).toBe(first.codeId);
    expect((await ask(harness, unknownSourceNumber(5))).message?.voids).toBe(fourth.codeId);
    expect((await harness.store.codes.list()).filter(({ used }) => !used)).toHaveLength(4);
  });

  test('as the fifth of known sources displaces the oldest of them', async () => {
    const harness = new OtpHarness();
    const first = await ask(harness, knownSource(1));
    for (const number of [2, 3, 4]) await ask(harness, knownSource(number));
    expect((await ask(harness, knownSource(5))).message?.voids).toBe(first.codeId);
  });

  test('as the fifth displaces one of the same source first, where that has several for different targets', async () => {
    const harness = new OtpHarness();
    await ask(harness, unknownSourceNumber());
    const sent = [];
    for (const target of ['a', 'b', 'c', 'd']) sent.push(await ask(harness, knownSource(), { ...annBinding, target }));
    expect(sent.at(-1)?.message?.voids).toBe(sent[0]?.codeId);
  });

  test('never displaces one of a source known by a second factor for another one, until the first of them expires', async () => {
    const harness = new OtpHarness();
    const first = await ask(harness, mfaSource(1));
    for (const number of [2, 3, 4]) {
      harness.now += 10;
      await ask(harness, mfaSource(number));
    }
    harness.now += 10;
    for (const source of [unknownSourceNumber(), knownSource(9)]) {
      const request = { ...annBinding, contacts: [annContact], source };
      const rejected = harness.store.transaction((tx) => sendOtp(tx, request, harness.deps));
      expect(await readOutcome(rejected)).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '560' } });
      expect(await ask(harness, source)).toMatchObject({ message: undefined, code: '' });
    }
    expect((await ask(harness, mfaSource(5))).message?.voids).toBe(first.codeId);
  });

  test('leaves at most three void ones beside the valid ones', async () => {
    const harness = new OtpHarness();
    for (const number of numbers(9)) {
      const { code } = await ask(harness, knownSource(number));
      expect(await harness.enter(code, annBinding, { source: knownSource(number) })).toEqual(consumed);
      expect(await harness.enter(code, annBinding, { source: knownSource(number) })).toEqual(wrongCode);
    }
    expect((await harness.store.codes.list()).length).toBeLessThanOrEqual(4);
    expect(await harness.store.codeFailures.list()).toEqual([]);
  });
});

describe('attempts by a typed name', () => {
  const byName = (typed: string, holder: OtpBinding = annBinding) => ({ ...holder, loginSubject: typed });

  test('are reported for that name only, while the user is blocked for the source under any name', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    await harness.guess(code, 5, byName('asked:one'));
    expect(await harness.enter(code, byName('asked:one'))).toEqual(throttledFor(3600));
    for (let time = 0; time < 5; time += 1) expect(await harness.enter(code, byName('asked:two'))).toEqual(wrongCode);
    expect(await harness.enter(code, byName('asked:two'))).toEqual(throttledFor(3600));
    expect(await harness.enter(code, byName('asked:one'), { source: unknownSourceNumber() })).toEqual(consumed);
  });

  test('are cleared by a right code', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    await harness.guess(code, 4, byName('asked:one'));
    expect(await harness.enter(code, byName('asked:one'))).toEqual(consumed);
    expect(await harness.store.codeFailures.list()).toEqual([]);
  });
});
