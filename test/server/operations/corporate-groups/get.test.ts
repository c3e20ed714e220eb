import { expect, test } from 'vitest';
import { expectRefusal, startWithMembers, testRoleSets } from '../user-accesses/member-fixtures.ts';
import { makeCorporateGroup } from './fixtures.ts';

const id = 'corporate-groups.get';

testRoleSets(id, async (server) => ({ params: { corporateGroupId: await makeCorporateGroup(server, 'holding') } }));

test('returns a corporate group with an ETag of its state', async () => {
  await using server = await startWithMembers();
  const corporateGroupId = await makeCorporateGroup(server, 'holding', ['b', 'a']);
  const answer = await server.admin.call(id, { params: { corporateGroupId } });
  expect(answer).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^".+"$/) } });
  expect(answer.body).toEqual({
    corporateGroupId,
    corporateGroupName: 'holding',
    businesses: [{ businessId: 'b' }, { businessId: 'a' }],
  });
});

test('returns 404 for an unknown group; only ids identify it', async () => {
  await using server = await startWithMembers();
  await makeCorporateGroup(server, 'holding');
  for (const corporateGroupId of ['holding', 'constructor', '__proto__', '0'.repeat(24)]) {
    const call = () => server.admin.call(id, { params: { corporateGroupId } });
    await expectRefusal(server, call, { status: 404, code: 'CORPORATE_GROUP_NOT_FOUND' });
  }
});
