/** Taking codes: once, in time, by their holder, and with five wrong ones an hour. */
import { describe, expect, test } from 'vitest';
import { fault } from '../../../src/contract/errors.ts';
import { emailContact } from '../../../src/server/identity/contacts.ts';
import {
  checkCode,
  restoreCode,
  sendCode,
  subjectOfContact,
  subjectOfLogon,
  subjectOfNobody,
  subjectOfUser,
  takeCode,
  takeCodeOfOne,
  voidCodes,
} from '../../../src/server/identity/otp.ts';
import { address, ann, bob, CodesWorld, heldFor, home, other, outcomeOf, taken, wrong } from './otp-world.ts';

describe('a right code', () => {
  test('hands on its row, and what was made of it; used again it is wrong, and no guess', async () => {
    const world = new CodesWorld();
    const { code, codeId } = await world.send(ann, [address], { about: 'something' });
    const done = await takeCode({ ...ann, source: home, code }, world.tools, async (_, row) => row);
    expect(done).toMatchObject({ codeId, about: 'something', used: false });
    for (let time = 0; time < 6; time += 1) expect(await world.give(code)).toEqual(wrong);
    expect(await world.left()).toBe(5);
  });

  test('is good for ten minutes to the second, and no guess after them', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    world.now += 599;
    expect(await outcomeOf(checkCode({ ...ann, source: home, code }, world.tools))).toEqual(taken);
    world.now += 1;
    expect(await world.give(code)).toEqual(wrong);
    expect(await world.left()).toBe(5);
  });

  test('is one only of the transaction that it was sent in, where one is named', async () => {
    const world = new CodesWorld();
    const { code, codeId } = await world.send();
    expect(await world.give(code, ann, { codeId: 'another' })).toEqual(wrong);
    expect(await world.left()).toBe(4);
    expect(await world.give(code, ann, { codeId })).toEqual(taken);
  });

  test.each([
    ['another subject', bob],
    ['another purpose', { ...ann, purpose: 'mfa' }],
    ['a target', { ...ann, target: 'factor' }],
  ] as const)('is a wrong one for %s', async (_, holder) => {
    const world = new CodesWorld();
    const { code } = await world.send();
    expect(await world.give(code, holder)).toEqual(wrong);
    expect(await world.left(holder)).toBe(4);
    expect(await world.give(code)).toEqual(taken);
  });

  test('stays good where what it is for fails, and the failures before stay', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    await world.guess(code, 2);
    const failing = takeCode({ ...ann, source: home, code }, world.tools, async () => {
      throw fault('LOGIN_NAME_TAKEN');
    });
    expect(await outcomeOf(failing)).toMatchObject({ code: 'LOGIN_NAME_TAKEN' });
    expect(await world.left()).toBe(3);
    expect(await world.give(code)).toEqual(taken);
    expect(await world.left()).toBe(5);
  });

  test('that is only looked at stays good; a wrong one counts all the same', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    for (const given of [code, other(code), code])
      expect(await outcomeOf(checkCode({ ...ann, source: home, code: given }, world.tools))).toEqual(
        given === code ? taken : wrong,
      );
    await world.guess(code, 5);
    expect(await outcomeOf(checkCode({ ...ann, source: home, code }, world.tools))).toEqual(heldFor(3600));
  });

  test('is made good again where it is still there, and only there', async () => {
    const world = new CodesWorld();
    const { code, codeId } = await world.send();
    await world.give(code);
    await world.store.transaction((tx) => restoreCode(tx, 'none'));
    expect(await world.give(code)).toEqual(wrong);
    await world.store.transaction((tx) => restoreCode(tx, codeId));
    expect(await world.give(code)).toEqual(taken);
  });
});

describe('codes that are void', () => {
  test('are those of the subject, for whatever purpose, and of nobody else', async () => {
    const world = new CodesWorld();
    const own = await world.send();
    const second = await world.send({ ...ann, purpose: 'mfa' });
    const others = await world.send(bob);
    await world.store.transaction((tx) => voidCodes(tx, ann.subject));
    expect(await world.give(own.code)).toEqual(wrong);
    expect(await world.give(second.code, { ...ann, purpose: 'mfa' })).toEqual(wrong);
    expect(await world.give(others.code, bob)).toEqual(taken);
  });

  test('by their own use are known again, and no guess', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    await takeCode({ ...ann, source: home, code }, world.tools, (tx) => voidCodes(tx, ann.subject));
    expect(await world.give(code)).toEqual(wrong);
    expect(await world.left()).toBe(5);
  });

  test('by a new one that their own use sent leave that one good', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    await takeCode({ ...ann, source: home, code }, world.tools, (tx) =>
      sendCode(tx, { ...ann, contacts: [address], source: home }, world.tools),
    );
    expect(await world.store.codes.list()).toMatchObject([{ used: false }]);
    expect(await world.give(code)).toEqual(wrong);
    expect(await world.left()).toBe(4);
  });
});

describe('five wrong codes', () => {
  test('hold the subject back for an hour after the last, which trying on does not lengthen', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    for (let time = 0; time < 5; time += 1) {
      expect(await world.left()).toBe(5 - time);
      expect(await world.give(other(code))).toEqual(wrong);
      world.now += 1;
    }
    expect(await world.left()).toBe(0);
    expect(await world.give(code)).toEqual(heldFor(3599));
    world.now += 3598;
    expect(await world.give(code)).toEqual(heldFor(1));
    world.now += 1;
    expect(await world.left()).toBe(5);
    const next = await world.send();
    await world.guess(next.code, 1);
    expect(await world.left()).toBe(4);
    expect(await world.give(next.code)).toEqual(taken);
  });

  test('count for a purpose, whatever its target and however many codes are sent', async () => {
    const world = new CodesWorld();
    for (const target of ['one', 'two', 'three', 'four', 'five']) {
      const { code } = await world.send({ ...ann, target });
      await world.guess(code, 1, { ...ann, target });
    }
    const more = [emailContact('more@example.com')];
    const { code } = await world.send(ann, more);
    expect(await world.give(code)).toEqual(heldFor(3600));
    const another = { ...ann, purpose: 'mfa' } as const;
    expect(await world.give((await world.send(another, more)).code, another)).toEqual(taken);
  });

  test('count as if just now where the clock was set back since', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    await world.guess(code, 5);
    world.now -= 86_400;
    expect(await world.give(code)).toEqual(heldFor(3600));
    world.now += 3600;
    expect(await world.give(code)).toEqual(taken);
  });

  test('of nobody who was asked for count as well, and hold nobody with disable-rate-limits', async () => {
    const world = new CodesWorld();
    await world.guess('000000', 5, bob);
    expect(await world.give('000000', bob)).toEqual(heldFor(3600));
    const unlimited = new CodesWorld({ disableRateLimits: true });
    const { code } = await unlimited.send();
    await unlimited.guess(code, 9);
    expect(await unlimited.give(code)).toEqual(taken);
  });

  test('are cleared away an hour after, with the next that count', async () => {
    const world = new CodesWorld();
    await world.guess('000000', 1, bob);
    world.now += 3599;
    await world.guess('000000', 1);
    expect(await world.store.codeFailures.list()).toHaveLength(2);
    world.now += 1;
    await world.guess('000000', 1);
    expect(await world.store.codeFailures.list()).toMatchObject([{ events: [{}, {}] }]);
  });
});

describe('a code that may be of one of two holders', () => {
  const giveOne = (world: CodesWorld, code: string) => {
    const refusal = () => fault('PROOF_INVALID');
    const checks = [
      { ...ann, source: home, code, refusal },
      { ...bob, source: home, code },
    ] as const;
    return outcomeOf(takeCodeOfOne(checks, world.tools, async () => 'done'));
  };

  test('is taken as that of the second, whose failures alone are forgotten', async () => {
    const world = new CodesWorld();
    const { code } = await world.send(bob);
    for (let time = 0; time < 2; time += 1)
      expect(await giveOne(world, other(code))).toEqual({ code: 'PROOF_INVALID', headers: {} });
    expect([await world.left(ann), await world.left(bob)]).toEqual([3, 3]);
    expect(await giveOne(world, code)).toEqual(taken);
    expect([await world.left(ann), await world.left(bob)]).toEqual([3, 5]);
  });

  test('is no guess for either where it was used as that of one', async () => {
    const world = new CodesWorld();
    const { code } = await world.send(bob);
    await giveOne(world, code);
    expect(await giveOne(world, code)).toMatchObject({ code: 'PROOF_INVALID' });
    expect([await world.left(ann), await world.left(bob)]).toEqual([5, 5]);
  });

  test('is not looked at as a wrong one while the second is held back', async () => {
    const world = new CodesWorld();
    await world.guess('000000', 5, bob);
    const { code } = await world.send();
    expect(await giveOne(world, other(code))).toEqual(heldFor(3600));
    expect(await giveOne(world, code)).toEqual(taken);
  });

  test('is taken as that of one while the other is held back; a wrong one then waits, and counts for one', async () => {
    const world = new CodesWorld();
    await world.guess('000000', 5);
    const { code } = await world.send(bob);
    expect(await giveOne(world, other(code))).toEqual(heldFor(3600));
    expect([await world.left(ann), await world.left(bob)]).toEqual([0, 4]);
    expect(await giveOne(world, code)).toEqual(taken);
  });
});

test('those whom codes are bound to are kept apart by what they are', () => {
  const subjects = [subjectOfUser('x'), subjectOfLogon('x'), subjectOfNobody('x')];
  expect(subjects).toEqual(['user:x', 'logon:x', 'nobody:x']);
  expect(subjectOfContact(emailContact('X@Example.com'))).toBe('contact:email:x@example.com');
});
