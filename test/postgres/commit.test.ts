/** Commits whose response is lost: found out, run again, or reported as unknown; never as success. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/server/lib/clock.ts';
import { systemRandom } from '../../src/server/lib/random.ts';
import { systemStopwatch } from '../../src/server/lib/stopwatch.ts';
import { systemTimer, type Timer } from '../../src/server/lib/timer.ts';
import { inquire } from '../../src/server/store/postgres/commit.ts';
import { openPostgresStore } from '../../src/server/store/postgres/open-postgres-store.ts';
import {
  OutcomeUnknownError,
  type Store,
  StoreUnavailableError,
  type Transaction,
} from '../../src/server/store/store.ts';
import { group, idsOf } from '../server/store/rows.ts';
import { startCluster } from './cluster.ts';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
import { databaseUrl } from './database.ts';

/** The limit of a commit, and of each inquiry about one. */
const commitTimeout = 5_000;

/** Limits of this length pass only by `expire`; other time is real. */
class LimitTime {
  #skipped = 0;
  readonly #limits = new Set<() => void>();
  readonly stopwatch = { now: () => systemStopwatch.now() + this.#skipped };
  readonly timer: Timer = {
    after: (milliseconds, work) => {
      if (milliseconds !== commitTimeout) return systemTimer.after(milliseconds, work);
      this.#limits.add(work);
      return () => this.#limits.delete(work);
    },
  };

  expire(): void {
    if (this.#limits.size === 0) return;
    const expired = [...this.#limits];
    this.#limits.clear();
    this.#skipped += commitTimeout;
    for (const work of expired) work();
  }
}

let schemas = 0;
const openStore = (databaseUrl: string, time: { timer: Timer; stopwatch: { now(): number } }) => {
  schemas += 1;
  return openPostgresStore({
    databaseUrl,
    schema: `commit_${process.pid}_${schemas}`,
    initialize: true,
    lanes: 2,
    replica: { name: 'alone', issuer: 'http://iam.example', isExclusive: true },
    clock: systemClock,
    random: systemRandom,
    ...time,
  });
};

describe('a connection that breaks', () => {
  let proxy: CuttingProxy;
  let store: Store;
  beforeEach(async () => {
    proxy = await startCuttingProxy(databaseUrl);
    store = await openStore(proxy.url, { timer: systemTimer, stopwatch: systemStopwatch });
  });
  afterEach(async () => {
    proxy.restore();
    await store.close();
    await proxy[Symbol.asyncDispose]();
  });

  test('before the commit arrives: the work runs again, and its second run is committed', async () => {
    let runs = 0;
    proxy.cutNext('before-commit');
    const result = await store.transaction(async ({ groups }) => {
      runs += 1;
      await groups.insert(group(`run-${runs}`));
      return runs;
    });
    expect(result).toBe(2);
    expect(await idsOf(store.groups.list())).toEqual(['run-2']);
  });

  test('after the commit: the kept result is returned, and the work does not run again', async () => {
    let runs = 0;
    proxy.cutNext('after-commit');
    const result = await store.transaction(async ({ groups }) => {
      runs += 1;
      await groups.insert(group(`run-${runs}`));
      return runs;
    });
    expect(result).toBe(1);
    expect(await idsOf(store.groups.list())).toEqual(['run-1']);
    expect(store.transactionStats?.()).toMatchObject({ committed: 1, unconfirmed: 1, unknown: 0 });
  });

  test('outside of a commit: nothing was changed, and later transactions succeed', async () => {
    const work = store.transaction(async ({ groups }) => {
      await groups.insert(group('a'));
      proxy.refuse();
      await groups.get('b');
    });
    await expect(work).rejects.toThrow(StoreUnavailableError);
    await expect.poll(() => store.health()).toMatchObject({ writable: false, permanent: false });
    await expect(store.groups.list()).rejects.toThrow(StoreUnavailableError);
    proxy.restore();
    await expect.poll(() => store.groups.list().catch(() => undefined)).toEqual([]);
    await store.transaction(({ groups }) => groups.insert(group('c')));
    expect(await idsOf(store.groups.list())).toEqual(['c']);
    expect(store.health()).toEqual({ writable: true });
  });

  test('random cuts lose no acknowledged write and apply none twice', async () => {
    const increase = async () => {
      if (systemRandom.bytes(1).readUInt8() < 128)
        proxy.cutNext(systemRandom.bytes(1).readUInt8() < 128 ? 'before-commit' : 'after-commit');
      await store.transaction(async ({ counters }) => {
        const row = await counters.get('customers');
        if (row) await counters.replace({ ...row, last: row.last + 1 });
        else await counters.insert({ name: 'customers', last: 1 });
      });
    };
    for (let round = 0; round < 60; round += 1) await increase();
    expect(await store.counters.get('customers')).toMatchObject({ last: 60 });
  });
});

describe('a process that is stopped for more than five minutes', () => {
  const minutes = 60_000;
  let stopped: number;
  let proxy: CuttingProxy;
  let store: Store;
  beforeEach(async () => {
    stopped = 0;
    proxy = await startCuttingProxy(databaseUrl);
    const stopwatch = { now: () => systemStopwatch.now() + stopped };
    store = await openStore(proxy.url, { timer: systemTimer, stopwatch });
  });
  afterEach(async () => {
    await store.close();
    await proxy[Symbol.asyncDispose]();
  });

  test.each(['before-commit', 'after-commit'] as const)('when its connection breaks %s does not know', async (cut) => {
    proxy.cutNext(cut, () => {
      stopped = 5 * minutes;
    });
    const work = store.transaction(({ groups }) => groups.insert(group('a')));
    await expect(work).rejects.toThrow(OutcomeUnknownError);
    expect(await listWhenRegistered()).toEqual(cut === 'after-commit' ? ['a'] : []);
  });

  test('within a transaction changes nothing', async () => {
    const work = store.transaction(async ({ groups }) => {
      await groups.insert(group('a'));
      stopped = 5 * minutes + 1;
    });
    await expect(work).rejects.toThrow(StoreUnavailableError);
    expect(await listWhenRegistered()).toEqual([]);
  });

  /** The registration has expired, too, until it is renewed. */
  async function listWhenRegistered(): Promise<readonly string[]> {
    stopped = 0;
    let ids: readonly string[] = [];
    await expect
      .poll(() =>
        idsOf(store.groups.list()).then(
          (found) => {
            ids = found;
            return 'read';
          },
          () => 'rejected',
        ),
      )
      .toBe('read');
    return ids;
  }
});

test('an inquiry after its time, by the clock of the database, leaves a commit as it is', async () => {
  const store = await openStore(databaseUrl, { timer: systemTimer, stopwatch: systemStopwatch });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`set search_path = commit_${process.pid}_${schemas}`);
    const ask = async (id: string, until: number | null) =>
      (await client.query({ ...inquire, values: [id, until] })).rows.map(({ kind }) => kind);
    const [late, inTime, always] = [randomUUID(), randomUUID(), randomUUID()];
    expect(await ask(late, Date.parse('2020-01-01'))).toEqual([]);
    expect(await ask(inTime, Date.parse('2100-01-01'))).toEqual(['void']);
    expect(await ask(always, null)).toEqual(['void']);
    const { rows } = await client.query('select id from commits where kind = $1', ['void']);
    expect(rows.map(({ id }) => id).sort()).toEqual([inTime, always].sort());
  } finally {
    await client.end();
    await store.close();
  }
});

test('a transaction whose BEGIN was cancelled writes nothing', async () => {
  const store = await openStore(databaseUrl, { timer: systemTimer, stopwatch: systemStopwatch });
  await store.transaction(async ({ groups }) => {
    await groups.insert(group('a', { roles: ['ONE'] }));
    await groups.insert(group('b'));
  });
  const before = await store.groups.list();
  const query = pg.Client.prototype.query as unknown as (this: pg.Client, ...parameters: unknown[]) => unknown;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...[text, ...rest]: unknown[]
  ) {
    return query.call(
      this,
      String(text).startsWith('begin isolation level serializable') ? 'select 1 / 0' : text,
      ...rest,
    ) as never;
  } as never);
  const works: ((tx: Transaction) => Promise<unknown>)[] = [
    ({ groups }) => groups.insert(group('c', { roles: ['TWO'] })),
    ({ groups }) => groups.replace(group('a', { roles: ['TWO'] })),
    ({ groups }) => groups.delete('b'),
  ];
  try {
    for (const work of works) await expect(store.transaction(work)).rejects.toThrow();
  } finally {
    spy.mockRestore();
  }
  expect(await store.groups.list()).toEqual(before);
  await store.transaction(({ groups }) => groups.insert(group('c')));
  expect(await idsOf(store.groups.list())).toEqual(['a', 'b', 'c']);
  await store.close();
});

test('a commit whose wait for a standby was cancelled is unknown, not a success', async () => {
  const cluster = await startCluster(['synchronous_commit=on']);
  const admin = new pg.Client({ connectionString: cluster.url });
  try {
    await admin.connect();
    const time = new LimitTime();
    const store = await openStore(cluster.url, time);
    const require = async (standbys: string) => {
      await admin.query(`alter system set synchronous_standby_names = '${standbys}'`);
      await admin.query('select pg_reload_conf()');
    };
    const cancelCommit = async () => {
      const { rowCount } = await admin.query(
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'",
      );
      return rowCount;
    };
    await admin.query('create table probes (at timestamptz)');
    await require('missing');
    // The setting takes effect some time after the reload: then a write waits.
    const probe = new pg.Client({ connectionString: cluster.url });
    probe.on('error', () => undefined);
    await probe.connect();
    let isWriting = false;
    await expect
      .poll(async () => {
        if (!isWriting) {
          isWriting = true;
          probe.query('insert into probes values (now())').then(
            () => {
              isWriting = false;
            },
            () => undefined,
          );
        }
        const { rowCount } = await admin.query(
          "select 1 from pg_stat_activity where wait_event = 'SyncRep' and query like 'insert into probes%'",
        );
        return rowCount;
      })
      .toBe(1);
    const work = store.transaction(({ groups }) => groups.insert(group('a')));
    let outcome: unknown;
    work.then(
      () => {
        outcome = 'success';
      },
      (error: unknown) => {
        outcome = error;
      },
    );
    await expect.poll(cancelCommit).toBeGreaterThan(0);
    // By its warning: the limit of the commit has not passed.
    await expect.poll(() => store.transactionStats?.()).toMatchObject({ unconfirmed: 1 });
    await expect
      .poll(() => {
        time.expire();
        return outcome;
      })
      .toBeInstanceOf(OutcomeUnknownError);
    await require('');
    await expect
      .poll(
        () =>
          store
            .transaction(({ groups }) => groups.insert(group('b')))
            .then(
              () => true,
              () => false,
            ),
        // The registration is renewed every ten seconds.
        { timeout: 60_000 },
      )
      .toBe(true);
    await store.close();
    await probe.end();
  } finally {
    await admin.end().catch(() => undefined);
    await cluster.stop();
  }
});
