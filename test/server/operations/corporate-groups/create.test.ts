import { expect, test } from 'vitest';
import { startWithMembers } from '../user-accesses/member-fixtures.ts';
import { testCorporateBodies } from './fixtures.ts';

const id = 'corporate-groups.create';
const body = { corporateGroupName: 'new', organizationId: 'o', businesses: [{ businessId: 'a' }] };

testCorporateBodies({ id, prepare: async () => ({}) });

test('creates a corporate group and returns its id', async () => {
  await using server = await startWithMembers();
  const response = await server.admin.call(id, { body });
  expect(response).toMatchObject({ status: 201, body: { corporateGroupId: expect.stringMatching(/^[0-9a-f]{24}$/) } });
  const { corporateGroupId } = response.body as { corporateGroupId: string };
  const returned = await server.admin.corporateGroups.get({ params: { corporateGroupId } });
  expect(returned).toEqual({ corporateGroupId, ...body });
});

test('leaves the memberships unchanged', async () => {
  await using server = await startWithMembers();
  const before = (await server.dump()).memberships;
  await server.admin.call(id, { body });
  expect((await server.dump()).memberships).toEqual(before);
});

test('accepts one of a hundred concurrent requests for the same name or the same business', async () => {
  await using server = await startWithMembers();
  const sameName = Array.from({ length: 100 }, () => server.admin.call(id, { body: { corporateGroupName: 'same' } }));
  const sameBusiness = Array.from({ length: 100 }, (_, at) =>
    server.admin.call(id, { body: { corporateGroupName: `n${at}`, businesses: [{ businessId: 'a' }] } }),
  );
  const winners = async (requests: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(requests)).filter(({ status }) => status === 'fulfilled').length;
  expect(await Promise.all([winners(sameName), winners(sameBusiness)])).toEqual([1, 1]);
  expect(await server.appContext.store.corporateGroups.count()).toBe(2);
});
