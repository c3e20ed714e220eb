import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';

test.each(['DEPLOY', 'ROLE_DEPLOY'])('removes the role %s from the group and no other', async (roleName) => {
  await using server = await startServer();
  await server.admin.groups.create({ body: { groupName: 'ops', roles: ['VIEW', 'DEPLOY', 'DEPLOY2'] } });
  const response = await server.admin.call('groups.remove-role', { params: { groupId: 'ops', roleName } });
  expect(response).toMatchObject({ status: 204, body: undefined });
  const group = await server.admin.groups.get({ params: { groupId: 'ops' } });
  expect(group.roles).toEqual(['VIEW', 'DEPLOY2']);
});

const shared = sharedServer();

test.each([
  ['a role that the group does not have', 'iam-auditors', 'DEPLOY', 'ROLE_NOT_FOUND'],
  ['a role that only a dependency of the group has', 'business-owners', 'BUSINESSUSER', 'ROLE_NOT_FOUND'],
])('returns 404 for %s and leaves the store unchanged', async (_, groupId, roleName, code) => {
  const server = shared();
  const before = await server.dump();
  const failure = await catchClientError(server.admin.groups.removeRole({ params: { groupId, roleName } }));
  expect(failure).toMatchObject({ status: 404, code });
  expect(await server.dump()).toEqual(before);
});

test('does not remove the role of the last administrator', async () => {
  await using server = await startServer();
  const before = await server.dump();
  const params = { groupId: 'iam-administrators', roleName: 'IAM_ADMIN_MAINTENANCE' };
  const failure = await catchClientError(server.admin.groups.removeRole({ params }));
  expect(failure).toMatchObject({ status: 412, code: 'LAST_ADMINISTRATOR' });
  expect(await server.dump()).toEqual(before);
});

test('removes the administrator role if another group grants it to a user who can sign in', async () => {
  await using server = await startServer({
    seed: {
      users: [{ userId: 'eve', userName: 'eve', password: 'a long enough one' }],
      groups: [{ groupName: 'others', roles: ['IAM_ADMIN_MAINTENANCE'], users: ['eve'] }],
    },
  });
  const groups = ['iam-administrators', 'others'];
  const removals = groups.map((groupId) =>
    server.admin.groups.removeRole({ params: { groupId, roleName: 'IAM_ADMIN_MAINTENANCE' } }),
  );
  const outcomes = await Promise.allSettled(removals);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});
