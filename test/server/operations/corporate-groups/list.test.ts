import { expect, test } from 'vitest';
import type { TestServer } from '../../../harness.ts';
import { catchClientError, startWithMembers } from '../user-accesses/member-fixtures.ts';
import { makeCorporateGroup } from './fixtures.ts';

const id = 'corporate-groups.list';

async function withNames(server: TestServer, names: readonly string[]): Promise<void> {
  for (const name of names) await makeCorporateGroup(server, name);
}

function cursorOf(link: unknown): string {
  const [, url = ''] = /^<(.*)>; rel="next"$/.exec(String(link)) ?? [];
  return new URL(url).searchParams.get('after') ?? '';
}

test('returns an empty list, or all corporate groups in id order, each as get returns it', async () => {
  await using server = await startWithMembers();
  expect(await server.admin.call(id)).toMatchObject({ status: 200, body: [] });
  await withNames(server, ['c', 'a', 'b']);
  const { items } = await server.admin.corporateGroups.list();
  expect(items.map(({ corporateGroupName }) => corporateGroupName)).toEqual(['c', 'a', 'b']);
  for (const item of items) {
    const { corporateGroupId } = item;
    expect(await server.admin.corporateGroups.get({ params: { corporateGroupId } })).toEqual(item);
  }
});

test('returns consistent pages while groups are created and removed', async () => {
  await using server = await startWithMembers();
  await withNames(server, ['1', '2', '3', '4', '5']);
  const first = await server.admin.call(id, { query: { limit: 2 } });
  expect(first).toMatchObject({ status: 206, body: [{ corporateGroupName: '1' }, { corporateGroupName: '2' }] });
  const { items } = await server.admin.corporateGroups.list({ query: { name: '2' } });
  await server.admin.corporateGroups.remove({ params: { corporateGroupId: items[0]?.corporateGroupId ?? '' } });
  await withNames(server, ['6']);
  const rest = await server.admin.call(id, { query: { limit: 4, after: cursorOf(first.headers.link) } });
  expect(rest.status).toBe(200);
  expect(rest.body).toMatchObject(['3', '4', '5', '6'].map((corporateGroupName) => ({ corporateGroupName })));
});

test('filters by the exact name', async () => {
  await using server = await startWithMembers();
  await withNames(server, ['holding', 'Holding', 'constructor']);
  const countByName = async (name: string) =>
    (await server.admin.corporateGroups.list({ query: { name } })).items.length;
  expect(await Promise.all(['holding', 'HOLDING', 'hold', 'constructor', '__proto__'].map(countByName))).toEqual([
    1, 0, 0, 1, 0,
  ]);
});

test('rejects invalid values of limit and after, including cursors of other lists and filters', async () => {
  await using server = await startWithMembers();
  await withNames(server, ['1', '2', '3']);
  const link = async (list: string, query: object) =>
    cursorOf((await server.admin.call(list, { query: { ...query, limit: 1 } })).headers.link);
  const otherList = await link('groups.list', {});
  const own = await link(id, {});
  const invalid = [
    { limit: 0 },
    { limit: -1 },
    { limit: 1e9 },
    { limit: 1.5 },
    { limit: 'x' },
    { after: 'x' },
    { after: '' },
  ];
  for (const query of [...invalid, { after: otherList }, { after: own, name: '2' }, { name: '' }]) {
    const failure = await catchClientError(server.admin.call(id, { query }));
    expect(failure, JSON.stringify(query)).toMatchObject({ status: 400 });
  }
});
