/** Counts of failed logins: bounded memory, and time that does not grow with the number of counts. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../../src/server/lib/secrets.ts';
import { ExpiryQueue } from '../../../src/server/limits/expiry-queue.ts';
import { LoginFailures } from '../../../src/server/limits/login-failures.ts';
import { isFullRun } from '../../effort.ts';
import { createThrottleHarness, toSeconds } from './throttle-harness.ts';

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // Array buffers are freed on another thread, for which the next collection waits.
  collect();
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}

const digestOf = (name: string) => Buffer.from(hashSecret(name).slice(7), 'hex').toString('base64url');

describe('when there is no room to count sources separately', () => {
  const capacity = 50;
  const fillTable = async ({ fail }: ReturnType<typeof createThrottleHarness>) => {
    await fail(10, { name: 'throttled', caller: '198.51.100.1' });
    for (let name = 1; name < capacity; name += 1) await fail(1, { name: `filler ${name}`, caller: '198.51.100.2' });
  };

  test('new sources share ten failures for each name', async () => {
    const fixture = createThrottleHarness(capacity);
    await fillTable(fixture);
    for (let source = 0; source < 10; source += 1) await fixture.fail(1, { caller: `192.0.2.${source}` });
    expect(await fixture.wait({ caller: '203.0.113.1' })).toBeGreaterThan(0);
    expect(await fixture.wait({ name: 'bob', caller: '203.0.113.1' })).toBe(0);
  });

  test('any number of names fails, and no name is throttled for failures under others', async () => {
    const fixture = createThrottleHarness(capacity);
    await fillTable(fixture);
    for (let name = 0; name < 2000; name += 1)
      await fixture.fail(1, { name: `name ${name}`, caller: `192.0.2.${name % 250}` });
    expect(await fixture.wait({ name: 'new', caller: '203.0.113.1' })).toBe(0);
    const here = { caller: '127.0.0.1', isLoopback: true };
    for (let name = 0; name < 20_000; name += 1) await fixture.fail(1, { name: `here ${name}`, ...here });
    expect(await fixture.wait({ name: 'here 1', ...here })).toBe(0);
    await fixture.fail(9, { name: 'here 1', ...here });
    expect(await fixture.wait({ name: 'here 1', ...here })).toBeGreaterThan(0);
  });

  test('existing counts still apply, and known sources have separate counts', async () => {
    const fixture = createThrottleHarness(capacity);
    await fillTable(fixture);
    await fixture.fail(10);
    expect(await fixture.wait({ name: 'throttled', caller: '198.51.100.1' })).toBe(30);
    const owner = { caller: '192.0.2.9', isKnown: true };
    expect(await fixture.wait(owner)).toBe(0);
    await fixture.fail(10, owner);
    expect(await fixture.wait(owner)).toBe(30);
  });

  test('an unlock clears the shared count, and so does time', async () => {
    const fixture = createThrottleHarness(capacity);
    await fillTable(fixture);
    for (const name of ['alice', 'bob']) await fixture.fail(10, { name });
    fixture.throttle.clear(['alice']);
    expect([await fixture.wait(), (await fixture.wait({ name: 'bob' })) > 0]).toEqual([0, true]);
    fixture.clock.advance(toSeconds(30));
    expect(await fixture.wait({ name: 'bob' })).toBe(0);
  });
});

describe('failures that another server counted some time ago', () => {
  const attempt = { name: 'alice', caller: '192.0.2.1', isLoopback: false, isKnown: false };
  const minute = 60_000;

  test('throttle until the time that they would have throttled it there', () => {
    const failures = new LoginFailures(() => 0);
    for (let failure = 0; failure < 10; failure += 1) failures.add(attempt, 20_000);
    const [limit] = failures.computeLimits(attempt);
    expect(limit).toMatchObject({ left: 0, retryAfterMs: 10_000 });
  });

  test('no longer count for the caller after their window, and the name has regained one', () => {
    const failures = new LoginFailures(() => 0);
    for (let failure = 0; failure < 9; failure += 1) failures.add(attempt, 16 * minute);
    failures.add(attempt, 0);
    const [caller, name] = failures.computeLimits(attempt);
    expect([caller?.left, name?.left]).toEqual([9, 91]);
  });

  test('do not shorten the delay of later ones', () => {
    const failures = new LoginFailures(() => 0);
    for (let failure = 0; failure < 10; failure += 1) failures.add(attempt);
    failures.add(attempt, 14 * minute);
    expect(failures.computeLimits(attempt)[0]).toMatchObject({ left: 0, retryAfterMs: 30_000 });
  });
});

describe('memory', () => {
  test('is bounded for any number of names, sources and failures', () => {
    let now = 0;
    const capacity = 2000;
    const failures = new LoginFailures(() => now, capacity);
    for (let failure = 0; failure < 50_000; failure += 1) {
      if (failure % 100 === 0) now += 10_000;
      const caller = `10.${failure % 7}.${failure % 251}.${failure % 241}`;
      failures.add({
        name: digestOf(`name ${failure % 20_000}`),
        caller,
        isLoopback: failure % 2 === 0,
        isKnown: false,
      });
      const { entries, names, callers } = failures.size;
      if (Math.max(entries, names, callers) > capacity) throw new Error(JSON.stringify(failures.size));
    }
    expect(failures.size.entries).toBeGreaterThan(0);
    now += 26 * 3_600_000;
    failures.computeLimits({ name: 'x', caller: 'y', isLoopback: true, isKnown: false });
    expect(failures.size).toEqual({ entries: 0, names: 0, callers: 0 });
  });

  test.runIf(isFullRun)('is at most 100 MB for 100,000 names', { timeout: 120_000 }, () => {
    const before = heapInUse();
    const failures = new LoginFailures(() => 0);
    for (let name = 0; name < 150_000; name += 1)
      failures.add({ name: digestOf(`${name}`), caller: `10.0.0.${name}`, isLoopback: true, isKnown: false });
    expect(failures.size).toEqual({ entries: 100_000, names: 100_000, callers: 100_000 });
    expect(heapInUse() - before).toBeLessThan(100_000_000);
  });

  test('does not grow with the length of names, nor with the strings that they are slices of', async () => {
    const { fail, wait } = createThrottleHarness();
    const before = heapInUse();
    for (let name = 0; name < 3000; name += 1) {
      await fail(1, { name: Buffer.alloc(12_000, `long ${name}:`).toString(), isLoopback: true });
      await fail(1, {
        name: Buffer.alloc(12_000, `a name that is cut out ${name}:`).toString().slice(0, 30),
        isLoopback: true,
      });
    }
    expect(heapInUse() - before).toBeLessThan(20_000_000);
    const long = 'x'.repeat(12_000);
    await fail(10, { name: long, isLoopback: true });
    expect([await wait({ name: long, isLoopback: true }), await wait({ name: `${long}y`, isLoopback: true })]).toEqual([
      30, 0,
    ]);
  });
});

describe('clean-up', () => {
  /** An item that counts its reads. */
  class CountedItem {
    static reads = 0;
    #slot: number | undefined;
    get slot(): number | undefined {
      CountedItem.reads += 1;
      return this.#slot;
    }
    set slot(slot: number | undefined) {
      CountedItem.reads += 1;
      this.#slot = slot;
    }
  }

  /** Reads any item during a thousand seconds in which one of them expires each second. */
  function countReads(others: number): number {
    const queue = new ExpiryQueue<CountedItem>();
    for (let item = 0; item < others; item += 1) queue.schedule(new CountedItem(), 10_000_000 + item);
    for (let item = 0; item < 1000; item += 1) queue.schedule(new CountedItem(), item * 1000);
    CountedItem.reads = 0;
    let expired = 0;
    for (let second = 0; second <= 1000; second += 1)
      queue.expire(second * 1000, () => {
        expired += 1;
      });
    expect(expired).toBe(1000);
    return CountedItem.reads;
  }

  test('reads only what has expired', () => {
    expect(countReads(1000)).toBe(1000);
    expect(countReads(40_000)).toBe(1000);
  });

  test('finds every expired item after a long time without requests, and none too early', () => {
    const queue = new ExpiryQueue<{ slot: number | undefined; at: number }>();
    for (let at = 0; at < 100_000; at += 777) queue.schedule({ slot: undefined, at }, at);
    const expired: number[] = [];
    queue.expire(50_000, ({ at }) => expired.push(at));
    expect(expired.every((at) => at < 50_000)).toBe(true);
    expect(expired).toHaveLength(Math.ceil(50_000 / 777));
    queue.expire(10 ** 12, ({ at }) => expired.push(at));
    expect(expired).toHaveLength(Math.ceil(100_000 / 777));
  });
});
