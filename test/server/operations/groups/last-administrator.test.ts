/** At least one user who can sign in has IAM_ADMIN_MAINTENANCE after every change to the groups that grant it. */
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { catchClientError } from '../access.ts';

/** Creates another group that grants the role through a dependency, with its members. */
function seedWith(users: SeedDocument['users'], members: object): SeedDocument {
  return {
    clients: [{ clientId: 'billing-client', serviceAccountId: 'billing' }],
    businesses: [{ businessId: 'acme', businessName: 'Acme' }],
    users,
    groups: [
      { groupName: 'power', roles: ['IAM_ADMIN_MAINTENANCE'] },
      { groupName: 'others', dependencies: [{ groupName: 'power' }], ...members },
    ],
  };
}

const eve = { userId: 'eve', userName: 'eve', password: 'a long enough one' };
const removeAdministrators = ({ admin }: TestServer) =>
  admin.groups.remove({ params: { groupId: 'iam-administrators' } });

describe('the group of the first administrator can be removed while there is another administrator:', () => {
  test.each([
    ['a user in a group that depends on one with the role', [eve], { users: ['eve'] }],
    ['a user of a business in the group', [{ ...eve, businessId: 'acme' }], { businesses: ['acme'] }],
    [
      'a business user in the group',
      [{ ...eve, businessId: 'acme' }],
      { businessUsers: [{ businessId: 'acme', userId: 'eve' }] },
    ],
  ])('%s', async (_, users, members) => {
    await using server = await startServer({ seed: seedWith(users, members) });
    await removeAdministrators(server);
    const removals = [
      () => server.admin.groups.removeDependency({ params: { groupId: 'others', dependencyName: 'power' } }),
      () => server.admin.groups.removeRole({ params: { groupId: 'power', roleName: 'IAM_ADMIN_MAINTENANCE' } }),
      () => server.admin.groups.update({ params: { groupId: 'others' }, body: { groupName: 'others' } }),
      () => server.admin.groups.update({ params: { groupId: 'power' }, body: { groupName: 'power' } }),
      () => server.admin.groups.remove({ params: { groupId: 'others' } }),
    ];
    const before = await server.dump();
    for (const removal of removals)
      expect(await catchClientError(removal())).toMatchObject({ code: 'LAST_ADMINISTRATOR' });
    expect(await server.dump()).toEqual(before);
  });
});

describe('the group of the first administrator cannot be removed if the other candidate is', () => {
  test.each([
    ['locked', [{ ...eve, locked: true }], { users: ['eve'] }],
    ['without a password', [{ userId: 'eve', userName: 'eve' }], { users: ['eve'] }],
    ['a service', [], { services: ['billing'] }],
    ['in no group that grants the role', [eve], {}],
  ])('%s', async (_, users, members) => {
    await using server = await startServer({ seed: seedWith(users, members) });
    const before = await server.dump();
    expect(await catchClientError(removeAdministrators(server))).toMatchObject({
      status: 412,
      code: 'LAST_ADMINISTRATOR',
    });
    expect(await server.dump()).toEqual(before);
  });
});

test('rejects one of two concurrent removals that together remove the last administrator', async () => {
  await using server = await startServer({ seed: seedWith([eve], { users: ['eve'] }) });
  const outcomes = await Promise.allSettled([
    removeAdministrators(server),
    server.admin.groups.removeDependency({ params: { groupId: 'others', dependencyName: 'power' } }),
  ]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('accepts the removal of the group if it has no administrator', async () => {
  await using server = await startServer();
  await server.appContext.store.transaction(async (tx) => {
    for (const user of await tx.users.list()) await tx.users.delete(user.userId);
  });
  await removeAdministrators(server);
});
