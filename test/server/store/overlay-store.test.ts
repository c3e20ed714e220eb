/** What happens around a batch: who sees what before it is durable, and what is left when it fails. */
import { beforeEach, describe, expect, test } from 'vitest';
import { Overlay } from '../../../src/server/store/overlay.ts';
import { OverlayStore, type Sink } from '../../../src/server/store/overlay-store.ts';
import { DuplicateError, type Reader, StoreUnavailableError } from '../../../src/server/store/store.ts';
import { group } from './rows.ts';

/** Saves when told to. */
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

/** Resolves when all transactions that were begun have had their turn. */
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

  test('is seen by later transactions at once, and by plain reads when it is durable', async () => {
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

  test('gathers what is committed while another one is saved', async () => {
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

  test('that fails takes with it all that was built upon it', async () => {
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

  test('that fails ends the transaction that runs meanwhile, which has seen it', async () => {
    const first = insert('a').catch((error: unknown) => error);
    await sink.arrival();
    let goOn = () => {};
    const paused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const running = store.transaction(async ({ groups }) => {
      await groups.get('a');
      await paused;
      await groups.insert(group('b'));
    });
    const outcome = expect(running).rejects.toThrow(StoreUnavailableError);
    await sink.fail();
    await first;
    goOn();
    await outcome;
  });

  test('is waited for by a transaction that only read it', async () => {
    const first = insert('a');
    await sink.arrival();
    let answered = false;
    const reading = store.transaction(ids).then((seen) => {
      answered = true;
      return seen;
    });
    await everyTurn();
    expect(answered).toBe(false);
    await sink.save();
    expect(await reading).toEqual(['a']);
    await first;
    expect(sink.sizes).toEqual([1]);
  });

  test('that fails turns an error that rests upon it into one that says so', async () => {
    const first = insert('a').catch(() => {});
    await sink.arrival();
    const second = insert('a');
    const outcome = expect(second).rejects.toThrow(StoreUnavailableError);
    await sink.fail();
    await Promise.all([first, outcome]);
  });

  test('that is saved lets an error that rests upon it through', async () => {
    const first = insert('a');
    await sink.arrival();
    const second = expect(insert('a')).rejects.toThrow(DuplicateError);
    await sink.save();
    await Promise.all([first, second]);
  });

  test('needs no saving where nothing was written', async () => {
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

  test('stays as it was for who reads the frozen part, and goes on for all others', async () => {
    const store = new OverlayStore(new Overlay('base'), sink);
    await store.transaction(({ groups }) => groups.insert(group('a', { groupName: 'one', roles: ['x'] })));
    await store.transaction(({ groups }) => groups.insert(group('b', { groupName: 'two' })));
    const frozen = store.freeze();
    await store.transaction(async ({ groups }) => {
      await groups.delete('b');
      await groups.replace(group('a', { groupName: 'two' }));
      await groups.insert(group('c', { groupName: 'one', roles: ['x'] }));
    });
    expect([...(frozen.peek('groups')?.rows.keys() ?? [])]).toEqual(['a', 'b']);
    const expectNow = async () => {
      const { groups } = store.reader;
      expect((await groups.list()).map(({ groupId }) => groupId)).toEqual(['a', 'c']);
      expect(await groups.getBy('groupName', 'one')).toMatchObject({ groupId: 'c' });
      expect(await groups.getBy('groupName', 'two')).toMatchObject({ groupId: 'a' });
      expect((await groups.find('role', 'x')).map(({ groupId }) => groupId)).toEqual(['c']);
      expect(await groups.count()).toBe(2);
    };
    await expectNow();
    await store.thaw();
    await expectNow();
  });

  test('takes writes while it thaws, slice by slice', async () => {
    const store = new OverlayStore(new Overlay('base'), sink);
    const numbers = Array.from({ length: 3000 }, (_, number) => String(number).padStart(5, '0'));
    const insert = (groupId: string) => store.transaction(({ groups }) => groups.insert(group(groupId)));
    store.freeze();
    await Promise.all(numbers.map(insert));
    const thawed = store.thaw();
    await Promise.all([thawed, insert('later'), store.transaction(({ groups }) => groups.delete('00007'))]);
    expect(await store.reader.groups.count()).toBe(3000);
    expect(await store.reader.groups.list()).toHaveLength(3000);
    expect(await store.reader.groups.getBy('groupName', 'name of 02999')).toBeDefined();
  });
});
