/** What counts as a failed login, how long the delay is, and what clears it. */
import { describe, expect, test } from 'vitest';
import { createThrottleHarness, toSeconds } from './throttle-harness.ts';

describe('one caller under one name', () => {
  test('waits after the tenth failure, not after the ninth', async () => {
    const { fail, wait } = createThrottleHarness();
    await fail(9);
    expect(await wait()).toBe(0);
    await fail(1);
    expect(await wait()).toBe(30);
  });

  test('waits after ten failures within 15 minutes, however they are spread', async () => {
    const { clock, fail, wait } = createThrottleHarness();
    for (let failure = 0; failure < 10; failure += 1) {
      if (failure > 0) clock.advance(100);
      await fail(1);
    }
    expect(await wait()).toBe(30);
  });

  test('does not wait where they are further apart', async () => {
    const { clock, fail, wait } = createThrottleHarness();
    for (let failure = 0; failure < 40; failure += 1) {
      clock.advance(101);
      await fail(1);
      expect(await wait()).toBe(0);
    }
  });

  test('does not wait for its failures under another name, or for failures of others under this one', async () => {
    const { fail, wait } = createThrottleHarness();
    await fail(10);
    expect(await wait({ name: 'bob' })).toBe(0);
    expect(await wait({ caller: '192.0.2.2' })).toBe(0);
  });

  test('starts a new count after a right password', async () => {
    const { fail, succeed, wait } = createThrottleHarness();
    await fail(9);
    await succeed();
    await fail(9);
    expect(await wait()).toBe(0);
  });

  test('waits on this machine too, as a known source and as a device', async () => {
    const { fail, wait } = createThrottleHarness();
    for (const options of [{ isLoopback: true }, { isKnown: true }, { caller: 'device 1', isKnown: true }]) {
      await fail(10, { name: JSON.stringify(options), ...options });
      expect(await wait({ name: JSON.stringify(options), ...options })).toBe(30);
    }
  });
});

describe('the delay', () => {
  test('ends, and then allows one attempt', async () => {
    const { clock, fail, wait } = createThrottleHarness();
    await fail(10);
    clock.advance(29);
    expect(await wait()).toBe(1);
    clock.advance(0.5);
    expect(await wait()).toBe(1);
    clock.advance(0.5);
    expect(await wait()).toBe(0);
  });

  test('doubles with each further failure, up to 15 minutes', async () => {
    const { clock, fail, wait } = createThrottleHarness();
    await fail(9);
    const waits: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      await fail(1);
      waits.push(await wait());
      clock.advance(waits.at(-1) ?? 0);
      expect(await wait()).toBe(0);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  });

  test('ends with the count after 15 minutes without failures, or with a right password', async () => {
    const { clock, fail, succeed, wait } = createThrottleHarness();
    await fail(10);
    clock.advance(30 + 901);
    await fail(9);
    expect(await wait()).toBe(0);
    await fail(1);
    expect(await wait()).toBe(30);
    clock.advance(30);
    await succeed();
    await fail(9);
    expect(await wait()).toBe(0);
  });
});

describe('the budget of a name', () => {
  test('is a hundred failures over all callers; then unknown sources wait until one is regained', async () => {
    const { clock, spendBudget, wait, fail } = createThrottleHarness();
    await spendBudget('alice', 99);
    expect(await wait()).toBe(0);
    await fail(1);
    expect(await wait({ caller: '192.0.2.2' })).toBe(toSeconds(15));
    clock.advance(toSeconds(15) - 1);
    expect(await wait({ caller: '192.0.2.2' })).toBe(1);
    clock.advance(1);
    await fail(1, { caller: '192.0.2.2' });
    expect(await wait({ caller: '192.0.2.3' })).toBe(toSeconds(15));
  });

  test('is full again after 25 hours', async () => {
    const { clock, spendBudget, wait, fail } = createThrottleHarness();
    await spendBudget();
    clock.advance(toSeconds(15) * 100);
    await spendBudget('alice', 99);
    expect(await wait()).toBe(0);
    await fail(1);
    expect(await wait()).toBe(toSeconds(15));
  });

  test('does not apply to a known source or device, which its own ten failures throttle', async () => {
    const { spendBudget, wait, fail } = createThrottleHarness();
    await spendBudget();
    for (const known of [
      { caller: '192.0.2.7', isKnown: true },
      { caller: 'device 1', isKnown: true },
    ]) {
      await fail(9, known);
      expect(await wait(known)).toBe(0);
      await fail(1, known);
      expect(await wait(known)).toBe(30);
    }
  });

  test('is full again after a login of the user, under each of its names; the failures of a source still count', async () => {
    const { spendBudget, throttle, wait, fail } = createThrottleHarness();
    const stranger = { caller: '192.0.2.66' };
    await fail(10, stranger);
    await spendBudget('alice', 90);
    for (const name of ['alice@example.com', 'bob']) await spendBudget(name);
    throttle.recordLogin(['alice', 'alice@example.com'], '192.0.2.1');
    expect([await wait(), await wait({ name: 'alice@example.com' })]).toEqual([0, 0]);
    expect(await wait({ name: 'bob' })).toBe(toSeconds(15));
    expect(await wait(stranger)).toBe(30);
  });

  test('is full again after a recovery, which clears the failures of all callers', async () => {
    const { spendBudget, throttle, wait, fail } = createThrottleHarness();
    await fail(10);
    await spendBudget('alice', 90);
    throttle.clear(['alice']);
    expect(await wait()).toBe(0);
    await spendBudget('alice', 99);
    expect(await wait()).toBe(0);
  });

  test('counts the failures of a known source, and at most a hundred in total', async () => {
    const { clock, wait, fail } = createThrottleHarness();
    for (let device = 0; device < 15; device += 1) await fail(10, { caller: `device ${device}`, isKnown: true });
    expect(await wait()).toBe(toSeconds(15));
    clock.advance(toSeconds(15));
    expect(await wait()).toBe(0);
  });
});

describe('one source', () => {
  const failUnder = async ({ fail }: ReturnType<typeof createThrottleHarness>, count: number, options = {}) => {
    for (let name = 0; name < count; name += 1) await fail(1, { name: `name ${name}`, ...options });
  };

  test('that failed under 1,000 names waits under new ones, not under those', async () => {
    const fixture = createThrottleHarness();
    await failUnder(fixture, 999);
    expect(await fixture.wait({ name: 'new' })).toBe(0);
    await fixture.fail(1, { name: 'name 999' });
    expect(await fixture.wait({ name: 'new' })).toBe(toSeconds(15));
    expect(await fixture.wait({ name: 'name 0' })).toBe(0);
    expect(await fixture.wait({ name: 'new', caller: '192.0.2.2' })).toBe(0);
    expect(await fixture.wait({ name: 'new', isKnown: true })).toBe(0);
    fixture.clock.advance(toSeconds(15) + 1);
    expect(await fixture.wait({ name: 'new' })).toBe(0);
  });

  test('may use a new name for each one that a right password clears', async () => {
    const fixture = createThrottleHarness();
    await failUnder(fixture, 1000);
    await fixture.succeed({ name: 'name 0' });
    await fixture.fail(1, { name: 'new' });
    expect(await fixture.wait({ name: 'newer' })).toBe(toSeconds(15));
  });

  test('on this machine may fail under any number', async () => {
    const fixture = createThrottleHarness();
    await failUnder(fixture, 5000, { caller: '127.0.0.1', isLoopback: true });
    expect(await fixture.wait({ name: 'new', caller: '127.0.0.1', isLoopback: true })).toBe(0);
  });
});

test('failures of others evict no active throttle: 50,000 names leave a throttle as it was', async () => {
  const { fail, wait } = createThrottleHarness();
  await fail(10);
  for (let name = 0; name < 50_000; name += 1)
    await fail(1, { name: `name ${name}`, caller: `10.0.${name >> 16}.${(name >> 8) & 255}` });
  expect(await wait()).toBe(30);
});

describe('a clock that is set back', () => {
  test('prolongs no wait', async () => {
    const { clock, fail, wait, spendBudget } = createThrottleHarness();
    await fail(10);
    await spendBudget('bob');
    clock.advance(-toSeconds(100_000));
    expect([await wait(), await wait({ name: 'bob' })]).toEqual([30, toSeconds(15)]);
    clock.advance(30);
    expect(await wait()).toBe(0);
    clock.advance(toSeconds(15));
    expect(await wait({ name: 'bob' })).toBe(0);
  });

  test('does not delay the expiry of names', async () => {
    const { clock, fail, wait } = createThrottleHarness();
    for (let name = 0; name < 1000; name += 1) await fail(1, { name: `name ${name}` });
    clock.advance(-toSeconds(100_000));
    expect(await wait({ name: 'new' })).toBe(toSeconds(15));
    clock.advance(toSeconds(15) + 1);
    expect(await wait({ name: 'new' })).toBe(0);
  });
});

test('a reset clears everything', async () => {
  const { fail, throttle, wait, spendBudget } = createThrottleHarness();
  await fail(10);
  await spendBudget('bob');
  throttle.reset();
  expect([await wait(), await wait({ name: 'bob' })]).toEqual([0, 0]);
});
