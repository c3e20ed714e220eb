import { expect, test } from 'vitest';
import { startWithMembers } from '../user-accesses/member-fixtures.ts';
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
