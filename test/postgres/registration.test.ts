/** Servers that lose their registration, or whose clock is wrong. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/server/lib/clock.ts';
import { systemRandom } from '../../src/server/lib/random.ts';
import type { Timer } from '../../src/server/lib/timer.ts';
import { openExitCodes, StoreOpenError } from '../../src/server/store/open-error.ts';
import { openPostgresStore } from '../../src/server/store/postgres/open-postgres-store.ts';
import { type Store, StoreUnavailableError } from '../../src/server/store/store.ts';
import { group } from '../server/store/rows.ts';
import { databaseUrl } from './database.ts';
import { until } from './replicas/replicas.ts';

const client = new pg.Client({ connectionString: databaseUrl });
beforeAll(() => client.connect());
afterAll(() => client.end());

/** Time passes only by `advance`; what is due then runs. The clock of the machine can be wrong. */
class TestTime {
  #now = 0;
  offset = 0;
  #due: { readonly at: number; readonly work: () => void }[] = [];
  readonly clock = { now: () => new Date(systemClock.now().getTime() + this.offset) };
  readonly stopwatch = { now: () => this.#now };
  readonly timer: Timer = {
    after: (milliseconds, work) => {
      const entry = { at: this.#now + milliseconds, work };
      this.#due.push(entry);
      return () => {
        this.#due = this.#due.filter((one) => one !== entry);
      };
    },
  };

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#due.filter(({ at }) => at <= this.#now);
    this.#due = this.#due.filter(({ at }) => at > this.#now);
    for (const { work } of due) work();
  }
}

let schemas = 0;
function newSchema(): string {
  schemas += 1;
  return `registration_${process.pid}_${schemas}`;
}

const open = (schema: string, time: TestTime, replica: { name: string; isExclusive?: boolean }) =>
  openPostgresStore({
    databaseUrl,
    schema,
    initialize: true,
    lanes: 2,
    replica: { issuer: 'http://iam.example', isExclusive: false, ...replica },
    random: systemRandom,
    clock: time.clock,
    stopwatch: time.stopwatch,
    timer: time.timer,
  });

test('a server with a wrong clock does not start, and writes nothing', async () => {
  const schema = newSchema();
  for (const offset of [-60_000, 60_000]) {
    const time = new TestTime();
    time.offset = offset;
    const error: unknown = await open(schema, time, { name: 'wrong' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreOpenError);
    // Machines correct their clocks.
    expect(openExitCodes[(error as StoreOpenError).kind]).toBe(75);
    expect((error as Error).message).toMatch(
      /^The clock of this machine differs from that of the database by (5\d|60)\.\d seconds/,
    );
  }
  const { rows } = await client.query('select from information_schema.tables where table_schema = $1', [schema]);
  expect(rows).toEqual([]);
});

test('a server whose clock becomes wrong is not ready until it is right again', async () => {
  const time = new TestTime();
  const store = await open(newSchema(), time, { name: 'drifting' });
  // Less than the registration lasts: it must not seem expired.
  time.offset = 20_000;
  time.advance(10_000);
  const reason = expect.stringMatching(/clock of this machine differs/);
  const health = await until(async () => {
    const found = store.health();
    return found.writable || found.problem !== 'clock-offset' ? undefined : found;
  });
  expect(health).toEqual({ writable: false, problem: 'clock-offset', reason, permanent: false });
  time.offset = 0;
  time.advance(10_000);
  await until(async () => (store.health().writable ? true : undefined));
  await store.close();
});

test('a server that could not renew its registration stops writing for good once another one uses the database alone', async () => {
  const schema = newSchema();
  const [time, otherTime] = [new TestTime(), new TestTime()];
  const store = await open(schema, time, { name: 'paused' });
  // As if the process had been paused: nothing renewed the registration, and it expired.
  await client.query(`update ${schema}.replicas set until = now() - interval '1 second'`);
  const alone = await open(schema, otherTime, { name: 'alone', isExclusive: true });
  time.advance(30_000);
  await expect(store.transaction((tx) => tx.groups.insert(group('lost')))).rejects.toThrow(StoreUnavailableError);
  await expect(store.groups.list()).rejects.toThrow(StoreUnavailableError);
  const health = await until(async () => {
    const found = store.health();
    return found.writable || !found.permanent ? undefined : found;
  });
  expect(health).toMatchObject({ reason: expect.stringMatching(/Another server \(alone\) uses the database alone/) });
  await expect(store.transaction((tx) => tx.groups.insert(group('lost')))).rejects.toThrow(StoreUnavailableError);
  expect(await alone.groups.list()).toEqual([]);
  await Promise.all([store.close(), alone.close()]);
});

test('a transaction that waited for others while the registration expired is not run', async () => {
  const schema = newSchema();
  const time = new TestTime();
  const store = await open(schema, time, { name: 'busy' });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const running = [1, 2].map(() => store.transaction(() => released));
  const waiting = store.transaction((tx) => tx.groups.insert(group('late')));
  const outcome = expect(waiting).rejects.toThrow(StoreUnavailableError);
  await client.query(`update ${schema}.replicas set until = now() - interval '1 second'`);
  const alone = await open(schema, new TestTime(), { name: 'alone', isExclusive: true });
  time.advance(30_000);
  release();
  await Promise.all(running);
  await outcome;
  expect(await alone.groups.list()).toEqual([]);
  await Promise.all([store.close(), alone.close()]);
});

test('a transaction whose registration expires while its work runs is not committed', async () => {
  const schema = newSchema();
  const time = new TestTime();
  const store = await open(schema, time, { name: 'slow' });
  // As if the machine were suspended after the last check: its clocks stand still, that of the database does not.
  await client.query(`create function ${schema}.shorten() returns trigger language plpgsql as $$ begin
    new.until := clock_timestamp() + interval '600 milliseconds'; return new; end $$`);
  const readUntil = async () =>
    (await client.query<{ until: Date }>(`select until from ${schema}.replicas`)).rows[0]?.until;
  const renew = async () => {
    const before = await readUntil();
    time.advance(10_000);
    await until(async () => (Number(await readUntil()) === Number(before) ? undefined : true));
  };
  const expireDuring = async (work: () => Promise<void>) => {
    await client.query(
      `create trigger shorten before update on ${schema}.replicas for each row execute function ${schema}.shorten()`,
    );
    await renew();
    await client.query(`drop trigger shorten on ${schema}.replicas`);
    return store.transaction(async (tx) => {
      await tx.groups.insert(group('late'));
      await tx.groups.list();
      await client.query('select pg_sleep(0.6)');
      await work();
    });
  };
  await expect(expireDuring(async () => undefined)).rejects.toThrow(StoreUnavailableError);
  expect(store.health()).toMatchObject({ writable: false, permanent: false });
  // No other server was there: it goes on at once, not with the next renewal.
  time.advance(0);
  await until(async () => (store.health().writable ? true : undefined));
  expect(await store.groups.list()).toEqual([]);
  await store.transaction((tx) => tx.groups.insert(group('on time')));
  const others: Store[] = [];
  const outcome = expireDuring(async () => {
    others.push(await open(schema, new TestTime(), { name: 'alone', isExclusive: true }));
  });
  await expect(outcome).rejects.toThrow(StoreUnavailableError);
  expect((await others[0]?.groups.list())?.map(({ groupId }) => groupId)).toEqual(['on time']);
  await Promise.all([store, ...others].map((one) => one.close()));
});

test('a server on a machine that was suspended does not write before its registration is renewed', async () => {
  const schema = newSchema();
  const time = new TestTime();
  const store = await open(schema, time, { name: 'suspended' });
  await client.query(`update ${schema}.replicas set until = now() - interval '1 second'`);
  const alone = await open(schema, new TestTime(), { name: 'alone', isExclusive: true });
  // The stopwatch stood still.
  time.offset = 30_000;
  await expect(store.transaction((tx) => tx.groups.insert(group('late')))).rejects.toThrow(StoreUnavailableError);
  expect(store.health()).toMatchObject({ writable: false });
  expect(await alone.groups.list()).toEqual([]);
  await Promise.all([store.close(), alone.close()]);
});

test('a server whose registration was removed after a pause registers again if no other one minds', async () => {
  const schema = newSchema();
  const time = new TestTime();
  const store = await open(schema, time, { name: 'returning' });
  await client.query(`delete from ${schema}.replicas`);
  time.advance(30_000);
  await expect(store.transaction((tx) => tx.groups.insert(group('early')))).rejects.toThrow(StoreUnavailableError);
  await until(async () => (store.health().writable ? true : undefined));
  await store.transaction((tx) => tx.groups.insert(group('later')));
  expect((await client.query(`select name from ${schema}.replicas`)).rows).toEqual([{ name: 'returning' }]);
  await store.close();
});

test('a server that returns after another one was alone must be restarted: all rows can be others', async () => {
  const schema = newSchema();
  const time = new TestTime();
  const store = await open(schema, time, { name: 'paused' });
  await client.query(`update ${schema}.replicas set until = now() - interval '1 second'`);
  await (await open(schema, new TestTime(), { name: 'alone', isExclusive: true })).close();
  time.advance(30_000);
  const health = await until(async () => {
    const found = store.health();
    return found.writable || !found.permanent ? undefined : found;
  });
  expect(health).toMatchObject({ reason: 'Another server has used the database alone meanwhile. Restart this one.' });
  await expect(store.transaction((tx) => tx.groups.insert(group('lost')))).rejects.toThrow(StoreUnavailableError);
  await store.close();
  const next = await open(schema, new TestTime(), { name: 'next' });
  expect(await next.groups.list()).toEqual([]);
  await next.close();
});
