/** Exports and backups of more rows than a page, while others write. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestServer } from '../../harness.ts';
import { send } from '../../server/control/control-client.ts';
import { group } from '../../server/store/rows.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const pageSize = 1_000;
const inserted = Array.from({ length: 2 * pageSize + 1 }, (_, at) => `page-${String(at).padStart(4, '0')}`);
let replicas: Replicas;
let server: TestServer;

beforeAll(async () => {
  replicas = await startReplicas({ count: 1 });
  [server] = replicas.servers;
  await server.appContext.store.transaction(async ({ groups }) => {
    for (const id of inserted) await groups.insert(group(id));
  });
});
afterAll(() => replicas[Symbol.asyncDispose]());

interface Page {
  readonly rows: readonly unknown[];
}

/** Runs `work` and returns the sizes of the pages that it read of the groups. Another server writes after the first one. */
async function observePages(work: () => Promise<void>): Promise<readonly number[]> {
  const { store } = server.appContext;
  const sizes: number[] = [];
  const query = pg.Client.prototype.query as unknown as (this: pg.Client, ...parameters: unknown[]) => Promise<Page>;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
    this: pg.Client,
    ...parameters: unknown[]
  ) {
    const result = await query.apply(this, parameters);
    if ((parameters[0] as { name?: string }).name === 'read-all.groups') {
      sizes.push(result.rows.length);
      if (sizes.length === 1) await store.transaction(({ groups }) => groups.insert(group('page-later')));
    }
    return result;
  } as never);
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  await store.transaction(({ groups }) => groups.delete('page-later'));
  return sizes;
}

const idsIn = (text: string) => [...text.matchAll(/"groupId":"(page-\w+)"/g)].map(([, id]) => id);

test.each([
  ['an export', 'GET', '/_iam/state/export'],
  ['a backup', 'POST', '/_iam/store/backup'],
])('%s reads pages, all of one moment', async (_what, method, path) => {
  let ids: readonly unknown[] = [];
  const sizes = await observePages(async () => {
    const { status, body } = await send(server, path, { method });
    expect(status).toBe(200);
    ids = idsIn(typeof body === 'string' ? body : JSON.stringify(body));
  });
  expect(ids).toEqual(inserted);
  expect(sizes.length).toBe(3);
  expect(Math.max(...sizes)).toBe(pageSize);
});
