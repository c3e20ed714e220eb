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
});

test('returns 404 for an unknown group; only ids identify it', async () => {
  await using server = await startWithMembers();
  await makeCorporateGroup(server, 'holding');
  for (const corporateGroupId of ['holding', 'constructor', '__proto__', '0'.repeat(24)]) {
    const request = () => server.admin.call(id, { params: { corporateGroupId } });
    await expectRejection(server, request, { status: 404, code: 'CORPORATE_GROUP_NOT_FOUND' });
  }
});
