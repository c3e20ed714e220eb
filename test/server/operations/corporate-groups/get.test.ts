import { expect, test } from 'vitest';
import { expectRejection, startWithMembers } from '../user-accesses/member-fixtures.ts';
import { makeCorporateGroup } from './fixtures.ts';

const id = 'corporate-groups.get';

test('returns a corporate group with an ETag of its state', async () => {
  await using server = await startWithMembers();
  const corporateGroupId = await makeCorporateGroup(server, 'holding', ['b', 'a']);
  const response = await server.admin.call(id, { params: { corporateGroupId } });
  expect(response).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^".+"$/) } });
  expect(response.body).toEqual({
    corporateGroupId,
    corporateGroupName: 'holding',
    businesses: [{ businessId: 'b' }, { businessId: 'a' }],
  });
  const byName = () => server.admin.call(id, { params: { corporateGroupId: 'holding' } });
  await expectRejection(server, byName, { status: 404, code: 'CORPORATE_GROUP_NOT_FOUND' });
});
