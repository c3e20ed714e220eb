import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';

test('removes a dependency by name or by id', async () => {
  await using server = await startServer();
  const ops = await server.admin.groups.create({ body: { groupName: 'ops' } });
  for (const dependencyName of ['ops', ops.groupId]) {
    const params = { groupId: 'business-owners' };
    await server.admin.groups.addDependency({ params, body: { groupName: 'ops' } });
    const response = await server.admin.call('groups.remove-dependency', { params: { ...params, dependencyName } });
    expect(response).toMatchObject({ status: 204, body: undefined });
    const group = await server.admin.groups.get({ params });
    expect(group.dependencies).toEqual([{ groupName: 'business-admins' }]);
  }
});

const shared = sharedServer();

test.each([
  ['a group that it does not depend on', 'business-owners', 'iam-auditors', 'DEPENDENCY_NOT_FOUND'],
  ['an indirect dependency', 'business-owners', 'business-users', 'DEPENDENCY_NOT_FOUND'],
])('returns 404 for %s and leaves the store unchanged', async (_, groupId, dependencyName, code) => {
  const server = shared();
  const before = await server.dump();
  const failure = await catchClientError(server.admin.groups.removeDependency({ params: { groupId, dependencyName } }));
  expect(failure).toMatchObject({ status: 404, code });
  expect(await server.dump()).toEqual(before);
});

test('does not remove the dependency that grants the last administrator its role: 200 with the error array', async () => {
  await using server = await startServer();
  const { groups } = server.admin;
  await groups.create({ body: { groupName: 'power', roles: ['IAM_ADMIN_MAINTENANCE'] } });
  await groups.update({
    params: { groupId: 'iam-administrators' },
    body: { groupName: 'iam-administrators', dependencies: [{ groupName: 'power' }] },
  });
  const before = await server.dump();
  const params = { groupId: 'iam-administrators', dependencyName: 'power' };
  const failure = await catchClientError(groups.removeDependency({ params }));
  expect(failure).toMatchObject({ status: 200, code: 'LAST_ADMINISTRATOR' });
  expect(failure.items).toEqual([{ code: 'LAST_ADMINISTRATOR', message: expect.any(String) }]);
  expect(await server.dump()).toEqual(before);
});
