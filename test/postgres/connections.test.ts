/** Connections to the primary: what happens to callers when they are lost. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/server/lib/clock.ts';
import { systemRandom } from '../../src/server/lib/random.ts';
import { systemStopwatch } from '../../src/server/lib/stopwatch.ts';
import { systemTimer } from '../../src/server/lib/timer.ts';
import { openPostgresStore } from '../../src/server/store/postgres/open-postgres-store.ts';
import { type Store, StoreUnavailableError } from '../../src/server/store/store.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';

const connectionLimit = 10;
/** Of these tests alone, so that all servers connected are theirs. */
let cluster: Cluster;
let admin: pg.Client;
/** Holds the lock. */
let locker: pg.Client;
let proxy: CuttingProxy;
let store: Store;

beforeAll(async () => {
  cluster = await startCluster();
  admin = new pg.Client({ connectionString: cluster.url });
  locker = new pg.Client({ connectionString: cluster.url });
  await Promise.all([admin.connect(), locker.connect()]);
});
afterAll(async () => {
  await Promise.all([admin.end(), locker.end()]);
  await cluster.stop();
});
beforeEach(async () => {
  proxy = await startCuttingProxy(cluster.url);
  store = await openStore(proxy.url);
  await locker.query('begin');
  await locker.query('lock table iam.groups in access exclusive mode');
});

const openStore = (databaseUrl: string) =>
  openPostgresStore({
    databaseUrl,
    schema: 'iam',
    initialize: true,
    lanes: 2,
    replica: { name: 'alone', issuer: 'http://iam.example', isExclusive: true },
    clock: systemClock,
    random: systemRandom,
    stopwatch: systemStopwatch,
    timer: systemTimer,
  });

afterEach(async () => {
  await locker.query('rollback');
  proxy.restore();
  // Closing releases the schema for the next test only with a connection.
  await expect.poll(() => store.users.count().catch(() => undefined)).toBe(0);
  await store.close();
  await proxy[Symbol.asyncDispose]();
});

/** The connections of the store, and those that wait for the lock. */
async function listBackends(): Promise<{ all: readonly number[]; waiting: readonly number[] }> {
  const { rows } = await admin.query<{ pid: number; wait_event_type: string | null }>(
    "select pid, wait_event_type from pg_stat_activity where application_name like 'iam %'",
  );
  const waiting = rows.filter(({ wait_event_type }) => wait_event_type === 'Lock');
  return { all: rows.map(({ pid }) => pid), waiting: waiting.map(({ pid }) => pid) };
}

test('callers that wait for a connection are rejected when the connections are lost', async () => {
  // Opened before, so that all wait for the lock at the same time: each does so for two seconds.
  await Promise.all(Array.from({ length: connectionLimit }, () => store.users.list()));
  const reads = Array.from({ length: 2 * connectionLimit }, () => store.groups.list().catch((error: unknown) => error));
  await expect.poll(async () => (await listBackends()).waiting.length).toBe(connectionLimit);
  proxy.refuse();
  for (const outcome of await Promise.all(reads)) expect(outcome).toBeInstanceOf(StoreUnavailableError);
});

test('a connection of before that breaks later does not end the connections of now', async () => {
  const read = store.transaction(({ groups }) => groups.list()).catch((error: unknown) => error);
  await expect.poll(async () => (await listBackends()).waiting.length).toBe(1);
  const before = await listBackends();
  const terminate = (pids: readonly number[]) => admin.query('select pg_terminate_backend(unnest($1::int[]))', [pids]);
  await terminate(before.all.filter((pid) => !before.waiting.includes(pid)));
  const findNew = async () => (await listBackends()).all.filter((pid) => !before.all.includes(pid));
  // A failed call can leave a server process for a moment, which is not the connection of now.
  await expect
    .poll(async () => {
      await store.users.count();
      return (await findNew()).length;
    })
    .toBe(1);
  const found = await findNew();
  await terminate(before.waiting);
  expect(await read).toBeInstanceOf(StoreUnavailableError);
  await store.users.count();
  expect(await findNew()).toEqual(found);
});

test('a new connection to a host that has become read-only is rejected, and the primary is searched', async () => {
  const role = new URL(cluster.url).username;
  // For new connections only.
  await admin.query(`alter role "${role}" set default_transaction_read_only = on`);
  const reads = await Promise.allSettled(Array.from({ length: connectionLimit }, () => store.users.list()));
  const errors = reads.flatMap((read) => (read.status === 'rejected' ? [read.reason] : []));
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) expect(error).toBeInstanceOf(StoreUnavailableError);
  await expect.poll(() => store.health().writable).toBe(false);
  await admin.query(`alter role "${role}" reset default_transaction_read_only`);
  await expect.poll(() => store.health().writable).toBe(true);
});

test('a host that accepts connections and never responds does not keep another one from being found', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  await store.close();
  const databaseUrl = `postgres://iam@127.0.0.1:${port}/postgres,${proxy.url}`;
  store = await openStore(databaseUrl);
  proxy.refuse();
  await expect.poll(() => store.health().writable).toBe(false);
  proxy.restore();
  await expect.poll(() => store.health().writable).toBe(true);
  expect(await store.users.count()).toBe(0);
  silent.close();
});

test('callers share the connections that the database allows, and are not rejected because there are no more', async () => {
  await locker.query('rollback');
  await store.close();
  const rights = ['schema', 'all tables in schema'].map((what) => `grant all on ${what} iam to limited`).join('; ');
  await admin.query(`create role limited login connection limit 3; ${rights}`);
  const url = new URL(proxy.url);
  url.username = 'limited';
  store = await openStore(url.href);
  await Promise.all(Array.from({ length: 200 }, () => store.users.list()));
  await admin.query('alter role limited connection limit -1');
});
