/** Batches: visibility before they are durable, and failures. */
import { beforeEach, describe, expect, test } from 'vitest';
import { Overlay } from '../../../../src/server/store/memory/overlay.ts';
import { OverlayStore, type Sink } from '../../../../src/server/store/memory/overlay-store.ts';
import { DuplicateError, type Reader, StoreUnavailableError } from '../../../../src/server/store/store.ts';
import { group } from '../rows.ts';

/** A sink that saves on demand. */
class ManualSink implements Sink {
  readonly sequence = 0;
  readonly sizes: number[] = [];
  readonly #waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #arrived: (() => void) | undefined;

  async gather(): Promise<void> {}

  append(commits: readonly Overlay[]): Promise<void> {
    this.sizes.push(commits.length);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#arrived?.();
    });
  }

  health() {
    return { writable: true } as const;
  }

  /** Resolves when there is a batch to save. */
  async arrival(): Promise<void> {
    if (this.#waiting.length > 0) return;
    await new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
  }

  async save(): Promise<void> {
    await this.arrival();
    this.#waiting.shift()?.resolve();
  }

  async fail(): Promise<void> {
    await this.arrival();
    this.#waiting.shift()?.reject(new Error('no'));
  }
}

/** Resolves once all started transactions have run. */
const everyTurn = () => new Promise(setImmediate);

describe('a batch', () => {
  let sink: ManualSink;
  let store: OverlayStore;

  beforeEach(() => {
    sink = new ManualSink();
    store = new OverlayStore(new Overlay('base'), sink);
  });

  const insert = (groupId: string) => store.transaction(({ groups }) => groups.insert(group(groupId)));
  const ids = (tx: Pick<Reader, 'groups'>) => tx.groups.list().then((rows) => rows.map(({ groupId }) => groupId));

  test('is visible to later transactions at once, and to plain reads once it is durable', async () => {
    const saved = insert('a');
    await sink.arrival();
    let seen: string[] = [];
    const second = store.transaction(async (tx) => {
      seen = await ids(tx);
      await tx.groups.insert(group('b'));
    });
    expect(await ids(store.reader)).toEqual([]);
    await sink.save();
    await saved;
    expect(await ids(store.reader)).toEqual(['a']);
    await sink.save();
    await second;
    expect(seen).toEqual(['a']);
    expect(await ids(store.reader)).toEqual(['a', 'b']);
  });

  test('collects commits while another batch is saved', async () => {
    const first = insert('a');
    await sink.arrival();
    const others = Promise.all(['b', 'c', 'd'].map(insert));
    await everyTurn();
    await sink.save();
    await first;
    await sink.save();
    await others;
    expect(sink.sizes).toEqual([1, 3]);
  });

  test('that fails also rejects all transactions that depend on it', async () => {
    const first = insert('a');
    await sink.arrival();
    const second = store.transaction(async ({ groups }) => groups.replace(group('a', { roles: ['x'] })));
    const third = insert('c');
    const outcomes = Promise.allSettled([first, second, third]);
    await everyTurn();
    await sink.fail();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailableError) });
    }
    expect(await ids(store.reader)).toEqual([]);
    const again = insert('a');
    await sink.save();
    await again;
    expect(await ids(store.reader)).toEqual(['a']);
  });

  test('that fails ends a running transaction that has read it', async () => {
    const first = insert('a').catch((error: unknown) => error);
    await sink.arrival();
    let resume = () => {};
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const running = store.transaction(async ({ groups }) => {
      await groups.get('a');
      await paused;
      await groups.insert(group('b'));
    });
    const outcome = expect(running).rejects.toThrow(StoreUnavailableError);
    await sink.fail();
    await first;
    resume();
    await outcome;
  });

  test('is waited for by a transaction that only read it', async () => {
    const first = insert('a');
    await sink.arrival();
    let settled = false;
    const reading = store.transaction(ids).then((seen) => {
      settled = true;
      return seen;
    });
    await everyTurn();
    expect(settled).toBe(false);
    await sink.save();
    expect(await reading).toEqual(['a']);
    await first;
    expect(sink.sizes).toEqual([1]);
  });

  test('that fails replaces an error that depends on it by StoreUnavailableError', async () => {
    const first = insert('a').catch(() => {});
    await sink.arrival();
    const second = insert('a');
    const outcome = expect(second).rejects.toThrow(StoreUnavailableError);
    await sink.fail();
    await Promise.all([first, outcome]);
  });

  test('that is saved passes on an error that depends on it', async () => {
    const first = insert('a');
    await sink.arrival();
    const second = expect(insert('a')).rejects.toThrow(DuplicateError);
    await sink.save();
    await Promise.all([first, second]);
  });

  test('is not saved if nothing was written', async () => {
    expect(await store.transaction(async () => 'done')).toBe('done');
    expect(sink.sizes).toEqual([]);
  });
});

describe('a frozen store', () => {
  const sink: Sink = {
    gather: async () => {},
    append: async () => {},
    health: () => ({ writable: true }),
    sequence: 0,
  };

  test('does not change in its frozen part, and continues for other readers', async () => {
    const store = new OverlayStore(new Overlay('base'), sink);
    await store.transaction(({ groups }) => groups.insert(group('a', { groupName: 'one', roles: ['x'] })));
    await store.transaction(({ groups }) => groups.insert(group('b', { groupName: 'two' })));
    const change = () =>
      store.transaction(async ({ groups }) => {
        await groups.delete('b');
        await groups.replace(group('a', { groupName: 'two' }));
        await groups.insert(group('c', { groupName: 'one', roles: ['x'] }));
      });
    const expectNow = async () => {
      const { groups } = store.reader;
      expect((await groups.list()).map(({ groupId }) => groupId)).toEqual(['a', 'c']);
      expect(await groups.getBy('groupName', 'one')).toMatchObject({ groupId: 'c' });
      expect(await groups.getBy('groupName', 'two')).toMatchObject({ groupId: 'a' });
      expect((await groups.find('role', 'x')).map(({ groupId }) => groupId)).toEqual(['c']);
      expect(await groups.count()).toBe(2);
    };
    await store.runFrozen(async ({ overlays }) => {
      await change();
      expect(overlays.flatMap((overlay) => [...(overlay.peek('groups')?.rows.keys() ?? [])])).toEqual(['a', 'b']);
      await expectNow();
    });
    await expectNow();
  });

  test('accepts writes while it thaws in slices', async () => {
    const store = new OverlayStore(new Overlay('base'), sink);
    const numbers = Array.from({ length: 3000 }, (_, number) => String(number).padStart(5, '0'));
    const insert = (groupId: string) => store.transaction(({ groups }) => groups.insert(group(groupId)));
    let thaw = () => {};
    let isFrozen = () => {};
    const frozen = new Promise<void>((resolve) => {
      isFrozen = resolve;
    });
    const thawed = store.runFrozen(() => {
      isFrozen();
      return new Promise<void>((resolve) => {
        thaw = resolve;
      });
    });
    await frozen;
    await Promise.all(numbers.map(insert));
    thaw();
    await Promise.all([thawed, insert('later'), store.transaction(({ groups }) => groups.delete('00007'))]);
    expect(await store.reader.groups.count()).toBe(3000);
    expect(await store.reader.groups.list()).toHaveLength(3000);
    expect(await store.reader.groups.getBy('groupName', 'name of 02999')).toBeDefined();
  });
});
