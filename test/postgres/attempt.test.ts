/** The statements of a transaction that are sent without waiting for their results. */
import type { PoolClient } from 'pg';
import { expect, test } from 'vitest';
import { Attempt } from '../../src/server/store/postgres/attempt.ts';

test('few rows are sent at once: the time limit of a statement also runs while it waits for those before', async () => {
  let open = 0;
  let most = 0;
  const query = async ({ values = [] }: { readonly values?: readonly string[] }) => {
    const rows = values[0]?.split(',').length ?? 0;
    open += rows;
    most = Math.max(most, open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= rows;
    return { command: 'INSERT', rowCount: rows, rows: [] };
  };
  const insert = { name: 'insert', text: '' };
  const client = { query } as unknown as PoolClient;
  const attempt = new Attempt(client, { begin: 'begin', isOptimistic: true, newVersion: () => '' });
  for (let at = 0; at < 50_000; at += 1) await attempt.gather('insert', insert, [[`key ${at}`]]);
  await attempt.flush();
  await attempt.settle();
  expect(most).toBeLessThanOrEqual(4_000);
});
