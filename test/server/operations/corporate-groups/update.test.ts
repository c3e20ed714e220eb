import { expect, test } from 'vitest';
import type { TestServer } from '../../../harness.ts';
import { expectRejection, startWithMembers } from '../user-accesses/member-fixtures.ts';
import { makeCorporateGroup, testCorporateBodies } from './fixtures.ts';

const id = 'corporate-groups.update';

async function prepare(server: TestServer) {
  return { params: { corporateGroupId: await makeCorporateGroup(server, 'old', ['a']) } };
}

testCorporateBodies({ id, prepare });

test('replaces all fields and clears those that are omitted', async () => {
  await using server = await startWithMembers();
  const { params } = await prepare(server);
  const full = { corporateGroupName: 'new', organizationId: 'o', businesses: [{ businessId: 'b' }] };
  expect(await server.admin.call(id, { params, body: full })).toMatchObject({ status: 204 });
  expect(await server.admin.corporateGroups.get({ params })).toEqual({ ...params, ...full });
  await server.admin.corporateGroups.update({ params, body: { corporateGroupName: 'new' } });
  expect(await server.admin.corporateGroups.get({ params })).toEqual({
    ...params,
    corporateGroupName: 'new',
    businesses: [],
  });
});

test('accepts the current name and businesses of the group; another group can have those that it no longer has', async () => {
  await using server = await startWithMembers();
  const { params } = await prepare(server);
  const businesses = [{ businessId: 'b' }, { businessId: 'a' }];
  await server.admin.corporateGroups.update({ params, body: { corporateGroupName: 'old', businesses } });
  await server.admin.corporateGroups.update({
    params,
    body: { corporateGroupName: 'other', businesses: [{ businessId: 'b' }] },
  });
  await makeCorporateGroup(server, 'old', ['a']);
});

test('rejects a stale If-Match', async () => {
  await using server = await startWithMembers();
  const { params } = await prepare(server);
  const read = await server.admin.call('corporate-groups.get', { params });
  const ifMatch = String(read.headers.etag);
  await server.admin.corporateGroups.update({ params, ifMatch, body: { corporateGroupName: 'new' } });
  const stale = () => server.admin.corporateGroups.update({ params, ifMatch, body: { corporateGroupName: 'newer' } });
  await expectRejection(server, stale, { status: 412, code: 'CHANGED_MEANWHILE' });
  await server.admin.corporateGroups.update({ params, ifMatch: '*', body: { corporateGroupName: 'newer' } });
});

test('accepts one of a hundred concurrent writes with the same ETag', async () => {
  await using server = await startWithMembers();
  const { params } = await prepare(server);
  const ifMatch = String((await server.admin.call('corporate-groups.get', { params })).headers.etag);
  const requests = Array.from({ length: 100 }, (_, at) =>
    server.admin.corporateGroups.update({ params, ifMatch, body: { corporateGroupName: `n${at}` } }),
  );
  const outcomes = await Promise.allSettled(requests);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
