/** Leases whose renewal is slow. */
import { expect, test } from 'vitest';
import { type LeaseDeps, runUnderLease } from '../../src/server/store/postgres/lease.ts';

type Connections = LeaseDeps['connections'];

test('a lease is released after a renewal that is on its way: it would take the lease again', async () => {
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
  const deps = { connections, timer, stopwatch: { now: () => 0 }, holder: 'one' };
  const released = runUnderLease('setup', () => new Promise<void>((resolve) => (endWork = resolve)), deps);
  await expect.poll(() => done).toEqual(['leases.take']);
  renew();
  endWork();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(['leases.take']);
  endRenewal();
  await released;
  expect(done).toEqual(['leases.take', 'leases.take', 'leases.drop']);
});
