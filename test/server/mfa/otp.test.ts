/** Consuming codes: once, before they expire, by their holder, with at most five wrong ones an hour. */
import { describe, expect, test } from 'vitest';
import { apiError } from '../../../src/contract/errors.ts';
import { emailContact } from '../../../src/server/messaging/contacts.ts';
import {
  consumeFirstMatchingOtp,
  consumeOtp,
  restoreOtp,
  revokeOtps,
  sendOtp,
  subjectOfContact,
  subjectOfLogon,
  subjectOfUnknownName,
  subjectOfUser,
  verifyOtp,
} from '../../../src/server/mfa/otp.ts';
import {
  annBinding,
  annContact,
  bobBinding,
  consumed,
  homeSource,
  OtpHarness,
  otherCode,
  readOutcome,
  throttledFor,
  unknownSourceNumber,
  wrongCode,
} from './otp-harness.ts';

describe('a right code', () => {
  test('passes on its row; a second use is an error, and does not count as wrong', async () => {
    const harness = new OtpHarness();
    const { code, codeId } = await harness.send(annBinding, [annContact], { about: 'something' });
    const done = await consumeOtp({ ...annBinding, source: homeSource, code }, harness.deps, async (_, row) => row);
    expect(done).toMatchObject({ codeId, about: 'something', used: false });
    for (let time = 0; time < 6; time += 1) expect(await harness.enter(code)).toEqual(wrongCode);
    expect(await harness.countRemaining()).toBe(5);
  });

  test('is valid for ten minutes to the second, and does not count as wrong after them', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    harness.now += 599;
    expect(await readOutcome(verifyOtp({ ...annBinding, source: homeSource, code }, harness.deps))).toEqual(consumed);
    harness.now += 1;
    expect(await harness.enter(code)).toEqual(wrongCode);
    expect(await harness.countRemaining()).toBe(5);
  });

  test('is valid only for the transaction that it was sent in, where one is named', async () => {
    const harness = new OtpHarness();
    const { code, codeId } = await harness.send();
    expect(await harness.enter(code, annBinding, { codeId: 'another' })).toEqual(wrongCode);
    expect(await harness.countRemaining()).toBe(4);
    expect(await harness.enter(code, annBinding, { codeId })).toEqual(consumed);
  });

  test.each([
    ['another subject', bobBinding],
    ['another purpose', { ...annBinding, purpose: 'mfa' }],
    ['a target', { ...annBinding, target: 'factor' }],
  ] as const)('is a wrong one for %s', async (_, holder) => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    expect(await harness.enter(code, holder)).toEqual(wrongCode);
    expect(await harness.countRemaining(holder)).toBe(4);
    expect(await harness.enter(code)).toEqual(consumed);
  });

  test('stays valid where its operation fails, and earlier failures remain', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    await harness.guess(code, 2);
    const failing = consumeOtp({ ...annBinding, source: homeSource, code }, harness.deps, async () => {
      throw apiError('LOGIN_NAME_TAKEN');
    });
    expect(await readOutcome(failing)).toMatchObject({ code: 'LOGIN_NAME_TAKEN' });
    expect(await harness.countRemaining()).toBe(3);
    expect(await harness.enter(code)).toEqual(consumed);
    expect(await harness.countRemaining()).toBe(5);
  });

  test('stays valid where it is only checked; a wrong one counts nevertheless', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    for (const sent of [code, otherCode(code), code])
      expect(await readOutcome(verifyOtp({ ...annBinding, source: homeSource, code: sent }, harness.deps))).toEqual(
        sent === code ? consumed : wrongCode,
      );
    await harness.guess(code, 5);
    expect(await readOutcome(verifyOtp({ ...annBinding, source: homeSource, code }, harness.deps))).toEqual(
      throttledFor(3600),
    );
  });

  test('is restored only where its row still exists', async () => {
    const harness = new OtpHarness();
    const { code, codeId } = await harness.send();
    await harness.enter(code);
    await harness.store.transaction((tx) => restoreOtp(tx, 'none'));
    expect(await harness.enter(code)).toEqual(wrongCode);
    await harness.store.transaction((tx) => restoreOtp(tx, codeId));
    expect(await harness.enter(code)).toEqual(consumed);
  });
});

describe('void codes', () => {
  test('are those of the subject, for any purpose, and of no other subject', async () => {
    const harness = new OtpHarness();
    const own = await harness.send();
    const second = await harness.send({ ...annBinding, purpose: 'mfa' });
    const others = await harness.send(bobBinding);
    await harness.store.transaction((tx) => revokeOtps(tx, annBinding.subject));
    expect(await harness.enter(own.code)).toEqual(wrongCode);
    expect(await harness.enter(second.code, { ...annBinding, purpose: 'mfa' })).toEqual(wrongCode);
    expect(await harness.enter(others.code, bobBinding)).toEqual(consumed);
  });

  test('are recognized after their own use, and do not count as wrong', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    await consumeOtp({ ...annBinding, source: homeSource, code }, harness.deps, (tx) =>
      revokeOtps(tx, annBinding.subject),
    );
    expect(await harness.enter(code)).toEqual(wrongCode);
    expect(await harness.countRemaining()).toBe(5);
  });

  test('do not include a new one that their own use sent', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    await consumeOtp({ ...annBinding, source: homeSource, code }, harness.deps, (tx) =>
      sendOtp(tx, { ...annBinding, contacts: [annContact], source: homeSource }, harness.deps),
    );
    expect(await harness.store.codes.list()).toMatchObject([{ used: false }]);
    expect(await harness.enter(code)).toEqual(wrongCode);
    expect(await harness.countRemaining()).toBe(4);
  });
});

describe('five wrong codes', () => {
  test('block the subject for an hour after the last, which further attempts do not extend', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    for (let time = 0; time < 5; time += 1) {
      expect(await harness.countRemaining()).toBe(5 - time);
      expect(await harness.enter(otherCode(code))).toEqual(wrongCode);
      harness.now += 1;
    }
    expect(await harness.countRemaining()).toBe(0);
    expect(await harness.enter(code)).toEqual(throttledFor(3599));
    harness.now += 3598;
    expect(await harness.enter(code)).toEqual(throttledFor(1));
    harness.now += 1;
    expect(await harness.countRemaining()).toBe(5);
    const next = await harness.send();
    await harness.guess(next.code, 1);
    expect(await harness.countRemaining()).toBe(4);
    expect(await harness.enter(next.code)).toEqual(consumed);
  });

  test('count for a purpose, over all targets and codes', async () => {
    const harness = new OtpHarness();
    for (const target of ['one', 'two', 'three', 'four', 'five']) {
      const { code } = await harness.send({ ...annBinding, target });
      await harness.guess(code, 1, { ...annBinding, target });
    }
    const more = [emailContact('more@example.com')];
    const { code } = await harness.send(annBinding, more);
    expect(await harness.enter(code)).toEqual(throttledFor(3600));
    const another = { ...annBinding, purpose: 'mfa' } as const;
    expect(await harness.enter((await harness.send(another, more)).code, another)).toEqual(consumed);
  });

  test('count as if just now where the clock was set back since', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send();
    await harness.guess(code, 5);
    harness.now -= 86_400;
    expect(await harness.enter(code)).toEqual(throttledFor(3600));
    harness.now += 3600;
    expect(await harness.enter(code)).toEqual(consumed);
  });

  test('count for an unknown subject as well, and block no subject with disable-rate-limits', async () => {
    const harness = new OtpHarness();
    await harness.guess('000000', 5, bobBinding);
    expect(await harness.enter('000000', bobBinding)).toEqual(throttledFor(3600));
    const unlimited = new OtpHarness({ disableRateLimits: true });
    const { code } = await unlimited.send();
    await unlimited.guess(code, 9);
    expect(await unlimited.enter(code)).toEqual(consumed);
  });

  test('are deleted after an hour, with the next that count', async () => {
    const harness = new OtpHarness();
    await harness.guess('000000', 1, bobBinding);
    harness.now += 3599;
    await harness.guess('000000', 1);
    expect(await harness.store.codeFailures.list()).toHaveLength(2);
    harness.now += 1;
    await harness.guess('000000', 1);
    expect(await harness.store.codeFailures.list()).toMatchObject([{ events: [{}, {}] }]);
  });
});

describe('a code with two possible holders', () => {
  const verifyForBoth = (harness: OtpHarness, code: string, onValid: () => Promise<unknown> = async () => 'done') => {
    const createError = () => apiError('PROOF_INVALID');
    const checks = [
      { ...annBinding, source: homeSource, code, createError },
      { ...bobBinding, source: homeSource, code },
    ] as const;
    return readOutcome(consumeFirstMatchingOtp(checks, harness.deps, onValid));
  };

  test('is accepted as that of the second, whose failures alone are cleared', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send(bobBinding);
    for (let time = 0; time < 2; time += 1)
      expect(await verifyForBoth(harness, otherCode(code))).toEqual({ code: 'PROOF_INVALID', headers: {} });
    expect([await harness.countRemaining(annBinding), await harness.countRemaining(bobBinding)]).toEqual([3, 3]);
    expect(await verifyForBoth(harness, code)).toEqual(consumed);
    expect([await harness.countRemaining(annBinding), await harness.countRemaining(bobBinding)]).toEqual([3, 5]);
  });

  test('does not count as wrong for either where it was used as that of one', async () => {
    const harness = new OtpHarness();
    const { code } = await harness.send(bobBinding);
    await verifyForBoth(harness, code);
    expect(await verifyForBoth(harness, code)).toMatchObject({ code: 'PROOF_INVALID' });
    expect([await harness.countRemaining(annBinding), await harness.countRemaining(bobBinding)]).toEqual([5, 5]);
  });

  test.each([
    ['a valid', 0],
    ['a used', 1],
  ])('counts as wrong for the first although it is %s one of the second', async (_, uses) => {
    const harness = new OtpHarness();
    const { code: victims } = await harness.send(annBinding);
    for (let guess = 0; guess < 5; guess += 1) {
      const { code } = await harness.send(bobBinding);
      for (let use = 0; use < uses; use += 1) await harness.enter(code, bobBinding);
      expect(await harness.countRemaining(annBinding)).toBe(5 - guess);
      await verifyForBoth(harness, code);
    }
    expect(await harness.enter(victims)).toEqual(throttledFor(3600));
  });

  test('counts as wrong for the first also if its use as one of the second fails, with 30 concurrent guesses', async () => {
    const harness = new OtpHarness();
    const { code: victims } = await harness.send(annBinding);
    const { code } = await harness.send(bobBinding);
    const failed = Array.from({ length: 30 }, () =>
      verifyForBoth(harness, code, async () => {
        throw apiError('LOGIN_NAME_TAKEN');
      }),
    );
    expect(await failed[29]).toMatchObject({ code: 'LOGIN_NAME_TAKEN' });
    expect(await harness.enter(victims)).toEqual(throttledFor(3600));
    expect(await harness.enter(code, bobBinding)).toEqual(consumed);
  });

  test('is compared with that of the first only if this source did not request one of the second alone', async () => {
    const harness = new OtpHarness();
    const { code: victims } = await harness.send(annBinding, [annContact], { source: unknownSourceNumber() });
    const { code } = await harness.send(bobBinding);
    for (let guess = 0; guess < 7; guess += 1) await verifyForBoth(harness, code);
    expect(await harness.countRemaining(annBinding)).toBe(5);
    expect(await verifyForBoth(harness, victims)).toEqual(consumed);
  });

  test('is not checked as a wrong one while the second is throttled', async () => {
    const harness = new OtpHarness();
    await harness.guess('000000', 5, bobBinding);
    const { code } = await harness.send();
    expect(await verifyForBoth(harness, otherCode(code))).toEqual(throttledFor(3600));
    expect(await verifyForBoth(harness, code)).toEqual(consumed);
  });

  test('is accepted as that of one while the other is throttled; a wrong one then waits, and counts for one', async () => {
    const harness = new OtpHarness();
    await harness.guess('000000', 5);
    const { code } = await harness.send(bobBinding);
    expect(await verifyForBoth(harness, otherCode(code))).toEqual(throttledFor(3600));
    expect([await harness.countRemaining(annBinding), await harness.countRemaining(bobBinding)]).toEqual([0, 4]);
    expect(await verifyForBoth(harness, code)).toEqual(consumed);
  });
});

test('holders of codes are separated by their kind', () => {
  const subjects = [subjectOfUser('x'), subjectOfLogon('x'), subjectOfUnknownName('x')];
  expect(subjects).toEqual(['user:x', 'logon:x', 'unknown:x']);
  expect(subjectOfContact(emailContact('X@Example.com'))).toBe('contact:email:x@example.com');
});
