/** One-time codes asked for and typed from several sources: what each may do, and what it can't do to the others. */
import { describe, expect, test } from 'vitest';
import { type CodeHolder, sendCode } from '../../../src/server/identity/otp.ts';
import { attemptsLeft, attemptsName } from '../../../src/server/identity/otp-attempts.ts';
import type { OtpSource } from '../../../src/server/identity/otp-source.ts';
import {
  address,
  ann,
  bob,
  CodesWorld,
  familiar,
  heldFor,
  home,
  other,
  outcomeOf,
  start,
  stranger,
  taken,
  wrong,
} from './otp-world.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('five wrong codes from a source', () => {
  test('close the codes to that source alone, also to a code it asks for later', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    await world.guess(code, 5, ann, stranger());
    expect(await world.give(code, ann, { source: stranger() })).toEqual(heldFor(3600));
    const later = await world.send(ann, [address], { source: stranger() });
    expect(await world.give(later.code, ann, { source: stranger() })).toEqual(heldFor(3600));
    expect(await world.left()).toBe(5);
    expect(await world.give(code)).toEqual(taken);
  });

  test('of one source are all that a right code of that source clears', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    await world.guess(code, 4);
    await world.guess(code, 4, ann, stranger());
    expect(await world.give(code)).toEqual(taken);
    expect([await world.left(), await world.left(ann, stranger())]).toEqual([5, 1]);
  });
});

describe('20 wrong codes within an hour over all sources', () => {
  async function spent(world: CodesWorld, code: string): Promise<void> {
    for (const number of numbers(4)) await world.guess(code, 5, ann, stranger(number));
  }

  test('leave the codes open to known sources, and to each source the one that it asked for', async () => {
    const world = new CodesWorld();
    const own = await world.send();
    const others = await world.send(ann, [address], { source: familiar() });
    await spent(world, other(own.code) === others.code ? other(own.code) : own.code);
    expect(await world.give(others.code, ann, { source: stranger(5) })).toEqual(heldFor(3600));
    expect(await world.give(others.code)).toEqual(wrong);
    expect(await world.left()).toBe(4);
    expect(await world.give(others.code, ann, { source: familiar(2) })).toEqual(taken);
    expect(await world.give(own.code)).toEqual(taken);
    // With its code used the source has none any more.
    expect(await world.give(own.code)).toEqual(heldFor(3600));
  });

  test('are exactly 20', async () => {
    const world = new CodesWorld();
    const { code } = await world.send(ann, [address], { source: familiar() });
    await spent(world, code);
    const open = new CodesWorld();
    const again = await open.send(ann, [address], { source: familiar() });
    for (const number of numbers(19)) await open.guess(again.code, 1, ann, stranger(number));
    expect(await open.give(again.code, ann, { source: stranger(20) })).toEqual(taken);
    expect(await world.give(code, ann, { source: stranger(20) })).toEqual(heldFor(3600));
  });

  test('are over as soon as one of them is an hour old', async () => {
    const world = new CodesWorld();
    await world.guess('000000', 5, ann, stranger(1));
    world.now += 1800;
    for (const number of [2, 3, 4]) await world.guess('000000', 5, ann, stranger(number));
    expect(await world.give('000000', ann, { source: stranger(5) })).toEqual(heldFor(1800));
    world.now += 1800;
    expect(await world.give('000000', ann, { source: stranger(5) })).toEqual(wrong);
  });

  test('leave every source its five tries on the code that it asked for', async () => {
    const world = new CodesWorld();
    await spent(world, '000001');
    const { code } = await world.send();
    await world.guess(code, 5);
    expect(await world.give(code)).toEqual(heldFor(3600));
  });

  test('are counted for each subject and purpose', async () => {
    const world = new CodesWorld();
    await spent(world, '000000');
    for (const holder of [bob, { ...ann, purpose: 'mfa' }] satisfies CodeHolder[])
      expect(await world.give('000000', holder, { source: stranger(5) })).toEqual(wrong);
  });

  test('are no limit with disable-rate-limits, and nothing is stored of them', async () => {
    const world = new CodesWorld({ disableRateLimits: true });
    const { code } = await world.send();
    await spent(world, code);
    expect(await world.store.codeFailures.list()).toEqual([]);
    expect(await world.give(code, ann, { source: stranger(5) })).toEqual(taken);
  });
});

test('100 wrong codes at once are counted one by one', async () => {
  const world = new CodesWorld();
  const { code } = await world.send();
  const guesses = numbers(100).map((at) => world.give(other(code), ann, { source: stranger(at % 10) }));
  const outcomes = await Promise.all(guesses);
  expect(outcomes.filter((outcome) => 'code' in outcome && outcome.code === 'CODE_INVALID')).toHaveLength(20);
});

test('beyond 64 sources within an hour the remaining ones count as one', async () => {
  const world = new CodesWorld();
  for (const number of numbers(64)) await world.guess('000000', 1, ann, familiar(number));
  for (const number of numbers(5)) await world.guess('000000', 1, ann, familiar(64 + number));
  expect(await world.give('000000', ann, { source: familiar(70) })).toEqual(heldFor(3600));
  expect(await world.give('000000', ann, { source: familiar(64) })).toEqual(wrong);
  const [row] = await world.store.codeFailures.list();
  expect(new Set(row?.events?.map(({ source }) => source)).size).toBe(65);
});

describe('a new code', () => {
  const ask = (world: CodesWorld, source: OtpSource, holder: CodeHolder = ann) =>
    world.send(holder, [address], { source });

  test('voids only the one that its own source asked for', async () => {
    const world = new CodesWorld();
    const own = await ask(world, home);
    const before = await ask(world, stranger());
    const after = await ask(world, stranger());
    expect([own.message?.voids, before.message?.voids, after.message?.voids]).toEqual([
      undefined,
      undefined,
      before.codeId,
    ]);
    expect(await world.give(before.code)).toEqual(wrong);
    expect(await world.give(own.code)).toEqual(taken);
    expect(await world.give(after.code)).toEqual(taken);
  });

  test('as the fifth displaces the oldest of an unknown source, and never one of a known source for an unknown one', async () => {
    const world = new CodesWorld();
    const first = await ask(world, familiar(1));
    const second = await ask(world, stranger(1));
    const third = await ask(world, stranger(2));
    await ask(world, familiar(2));
    expect((await ask(world, stranger(3))).message?.voids).toBe(second.codeId);
    expect((await ask(world, familiar(3))).message?.voids).toBe(third.codeId);
    await ask(world, familiar(4));
    expect(await ask(world, stranger(4))).toMatchObject({ message: undefined, code: '' });
    expect(await world.give(first.code)).toEqual(taken);
    expect((await world.store.codes.list()).filter(({ used }) => !used)).toHaveLength(3);
  });

  test('as the fifth of known sources displaces the oldest of them', async () => {
    const world = new CodesWorld();
    const first = await ask(world, familiar(1));
    for (const number of [2, 3, 4]) await ask(world, familiar(number));
    expect((await ask(world, familiar(5))).message?.voids).toBe(first.codeId);
  });

  test('as the fifth displaces one of its own source first, where that has several about different things', async () => {
    const world = new CodesWorld();
    await ask(world, stranger());
    const sent = [];
    for (const target of ['a', 'b', 'c', 'd']) sent.push(await ask(world, familiar(), { ...ann, target }));
    expect(sent.at(-1)?.message?.voids).toBe(sent[0]?.codeId);
  });

  test('is refused aloud where it would displace one of a known source, until the first of them is over', async () => {
    const world = new CodesWorld();
    for (const number of [1, 2, 3, 4]) {
      await ask(world, familiar(number));
      world.now += 10;
    }
    const request = { ...ann, contacts: [address], source: stranger() };
    const refused = world.store.transaction((tx) => sendCode(tx, request, world.tools));
    expect(await outcomeOf(refused)).toEqual({ code: 'TOO_MANY_CODES', headers: { 'Retry-After': '560' } });
  });

  test('leaves no more than three dead ones beside the live ones', async () => {
    const world = new CodesWorld();
    for (const number of numbers(9)) {
      const { code } = await ask(world, familiar(number));
      expect(await world.give(code, ann, { source: familiar(number) })).toEqual(taken);
      expect(await world.give(code, ann, { source: familiar(number) })).toEqual(wrong);
    }
    expect((await world.store.codes.list()).length).toBeLessThanOrEqual(4);
    expect(await world.store.codeFailures.list()).toEqual([]);
  });
});

describe('attempts by a typed name', () => {
  const byName = (typed: string, holder: CodeHolder = ann) => ({ ...holder, typed });

  test('are told of by that name alone, while the user is closed to the source by any name', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    await world.guess(code, 5, byName('asked:one'));
    expect(await world.give(code, byName('asked:one'))).toEqual(heldFor(3600));
    for (let time = 0; time < 5; time += 1) expect(await world.give(code, byName('asked:two'))).toEqual(wrong);
    expect(await world.give(code, byName('asked:two'))).toEqual(heldFor(3600));
    expect(await world.give(code, byName('asked:one'), { source: stranger() })).toEqual(taken);
  });

  test('are cleared by a right code', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    await world.guess(code, 4, byName('asked:one'));
    expect(await world.give(code, byName('asked:one'))).toEqual(taken);
    expect(await world.store.codeFailures.list()).toEqual([]);
  });
});

describe('rows that were written before sources were counted', () => {
  test('count over all sources, and codes among them are good', async () => {
    const world = new CodesWorld();
    const { code } = await world.send();
    await world.store.transaction(async (tx) => {
      for (const { source: _source, known: _known, sequence: _sequence, ...row } of await tx.codes.list())
        await tx.codes.replace(row);
      await tx.codeFailures.insert({ name: attemptsName(ann, world.tools.storeKey), failures: 5, lastAt: start });
      await tx.sendings.replace({ contact: String((await tx.sendings.list())[0]?.contact), times: [start, start] });
    });
    expect(await attemptsLeft(world.store, ann, world.now, world.tools.storeKey)).toBe(5);
    for (const number of [1, 2, 3]) await world.guess(code, 5, ann, stranger(number));
    expect(await world.give(code, ann, { source: stranger(4) })).toEqual(heldFor(3600));
    expect(await world.give(code, ann, { source: familiar() })).toEqual(taken);
    for (const number of numbers(18)) await world.send(ann, [address], { source: stranger(number) });
    expect((await world.send(ann, [address], { source: stranger(19) })).message).toBeUndefined();
  });
});
