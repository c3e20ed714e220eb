import { expect, test } from 'vitest';
import { expectRejection, startWithMembers } from '../user-accesses/member-fixtures.ts';
import { makeCorporateGroup } from './fixtures.ts';

const id = 'corporate-groups.remove';

test('removes the group; another group can have its name and businesses', async () => {
  await using server = await startWithMembers();
  const corporateGroupId = await makeCorporateGroup(server, 'holding', ['a']);
  const { businesses } = await server.dump();
  expect(await server.admin.call(id, { params: { corporateGroupId } })).toMatchObject({ status: 204 });
  expect((await server.dump()).businesses).toEqual(businesses);
  await makeCorporateGroup(server, 'holding', ['a']);
});

test('returns 404 for an unknown group, so one of many concurrent requests succeeds', async () => {
  await using server = await startWithMembers();
  const corporateGroupId = await makeCorporateGroup(server, 'holding');
  const requests = Array.from({ length: 20 }, () => server.admin.call(id, { params: { corporateGroupId } }));
  const outcomes = await Promise.allSettled(requests);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const other of [corporateGroupId, 'holding', '__proto__']) {
    const request = () => server.admin.call(id, { params: { corporateGroupId: other } });
    await expectRejection(server, request, { status: 404, code: 'CORPORATE_GROUP_NOT_FOUND' });
  }
});
