/** Leases: one holder, also within a server, and slow renewals. */
import { expect, test } from 'vitest';
import { systemRandom } from '../../src/server/lib/random.ts';
import { type LeaseDeps, runUnderLease } from '../../src/server/store/postgres/lease.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { databaseUrl } from './database.ts';
import { TestSchemas } from './schemas.ts';

type Connections = LeaseDeps['connections'];

test('a lease is released after a renewal that is on its way', async () => {
  const done: string[] = [];
  let endRenewal = () => {};
  let renew = () => {};
  const query = async ({ name }: { readonly name: string }) => {
    if (done.length === 1) await new Promise<void>((resolve) => (endRenewal = resolve));
    done.push(name);
    return { rowCount: 1 };
  };
  const connections = { query } as unknown as Connections;
  const timer = {
    after(_milliseconds: number, work: () => void) {
      renew = work;
      return () => undefined;
    },
  };
  let endWork = () => {};
  const deps = { connections, timer, stopwatch: { now: () => 0 }, random: systemRandom, replica: 'one' };
  const released = runUnderLease('setup', () => new Promise<void>((resolve) => (endWork = resolve)), deps);
  await expect.poll(() => done).toEqual(['leases.acquire']);
  renew();
  endWork();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(['leases.acquire']);
  endRenewal();
  await released;
  expect(done).toEqual(['leases.acquire', 'leases.renew', 'leases.release']);
});

test('work of one name runs once at a time, also within one server', async () => {
  const schemas = new TestSchemas(databaseUrl);
  const schema = await schemas.take();
  const store = await schemas.open({ schema, sharedBy: { replica: 'one', issuer: 'http://iam.example' } });
  let running = 0;
  const counts: number[] = [];
  const work = async () => {
    running += 1;
    counts.push(running);
    await store.groups.list();
    running -= 1;
  };
  await Promise.all([1, 2, 3].map(() => store.shared?.runAlone('setup', work)));
  expect(counts).toEqual([1, 1, 1]);
  await store.close();
  schemas.release(schema);
});

test('an acquisition whose response was lost is recognized, and does not wait until it expires', async () => {
  const schemas = new TestSchemas(databaseUrl);
  await using proxy = await startCuttingProxy(databaseUrl);
  const proxied = new TestSchemas(proxy.url);
  const schema = await schemas.take();
  const store = await proxied.open({ schema, sharedBy: { replica: 'one', issuer: 'http://iam.example' } });
  proxy.cutResponse('leases.acquire');
  // Otherwise it would fail, or wait 30 seconds for its own lease.
  expect(await store.shared?.runAlone('setup', async () => 'done')).toBe('done');
  await store.close();
  schemas.release(schema);
});
