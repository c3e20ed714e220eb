import { expect, test } from 'vitest';
import { expectRejection, startWithMembers, testRoleSets } from '../user-accesses/member-fixtures.ts';
import { asUser } from '../user-token.ts';
import { testCorporateBodies } from './fixtures.ts';

const id = 'corporate-groups.create';
const body = { corporateGroupName: 'new', organizationId: 'o', businesses: [{ businessId: 'a' }] };

testRoleSets(id, async () => ({ body }));
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

test('accepts an authenticated user with IAM_ADMIN_MAINTENANCE and rejects other users', async () => {
  await using server = await startWithMembers();
  const maintainer = await asUser(server, { roles: ['IAM_ADMIN_MAINTENANCE'] });
  await maintainer.call(id, { body });
  const rejected = { status: 403, code: 'ROLE_MISSING' };
  const others = [
    { roles: ['ADMIN', 'IAM_ADMIN_READ_ONLY'] },
    { roles: ['IAM_ADMIN_MAINTENANCE'], level: 'AUTH-IDENTIFIED' as const },
  ];
  for (const other of others) {
    const user = await asUser(server, other);
    await expectRejection(server, () => user.call(id, { body: { corporateGroupName: 'x' } }), rejected);
  }
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
