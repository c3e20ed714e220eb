import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { catchClientError, testAccess } from '../access.ts';

testAccess('groups.remove-role', async () => ({
  params: { groupId: 'iam-auditors', roleName: 'IAM_ADMIN_READ_ONLY' },
}));

test.each(['DEPLOY', 'ROLE_DEPLOY'])('takes the role %s from the group, and no other', async (roleName) => {
  await using server = await startServer();
  await server.admin.groups.create({ body: { groupName: 'ops', roles: ['VIEW', 'DEPLOY', 'DEPLOY2'] } });
  const answer = await server.admin.call('groups.remove-role', { params: { groupId: 'ops', roleName } });
  expect(answer).toMatchObject({ status: 204, body: undefined });
  const group = await server.admin.groups.get({ params: { groupId: 'ops' } });
  expect(group.roles).toEqual(['VIEW', 'DEPLOY2']);
});

test.each([
  ['a group that is not there', 'nobody', 'DEPLOY', 'GROUP_NOT_FOUND'],
  ['a role that the group does not have', 'iam-auditors', 'DEPLOY', 'ROLE_NOT_FOUND'],
  ['a role that the group has by a dependency only', 'business-owners', 'BUSINESSUSER', 'ROLE_NOT_FOUND'],
  ['a role that can not be', 'iam-auditors', 'deploy', 'PATH_VALUE'],
])('answers 404 for %s, and keeps the store as it was', async (_, groupId, roleName, code) => {
  await using server = await startServer();
  const before = await server.dump();
  const failure = await catchClientError(server.admin.groups.removeRole({ params: { groupId, roleName } }));
  expect(failure).toMatchObject({ status: 404, code });
  expect(await server.dump()).toEqual(before);
});

test('leaves the last administrator his role', async () => {
  await using server = await startServer();
  const before = await server.dump();
  const params = { groupId: 'iam-administrators', roleName: 'IAM_ADMIN_MAINTENANCE' };
  const failure = await catchClientError(server.admin.groups.removeRole({ params }));
  expect(failure).toMatchObject({ status: 412, code: 'LAST_ADMINISTRATOR' });
  expect(await server.dump()).toEqual(before);
});

test('takes the role of administrators where another group gives it to somebody', async () => {
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
