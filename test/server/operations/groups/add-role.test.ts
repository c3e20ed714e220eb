import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';

test('adds a role once and stores it without the prefix', async () => {
  await using server = await startServer();
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops', roles: ['VIEW'] } });
  await server.admin.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'ROLE_DEPLOY' } });
  await server.admin.groups.addRole({ params: { groupId }, body: { roleName: 'DEPLOY' } });
  await expect(server.admin.groups.get({ params: { groupId } })).resolves.toMatchObject({ roles: ['VIEW', 'DEPLOY'] });
});

test('returns 201 and an empty object, also when nothing changes', async () => {
  await using server = await startServer();
  const input = { params: { groupId: 'iam-auditors' }, body: { roleName: 'IAM_ADMIN_READ_ONLY' } };
  const before = await server.dump();
  expect(await server.admin.call('groups.add-role', input)).toMatchObject({ status: 201, body: {} });
  expect(await server.dump()).toEqual(before);
});

test('stores all of fifty roles that are added concurrently', async () => {
  await using server = await startServer();
  const roles = Array.from({ length: 50 }, (_, at) => `ROLE${at}`);
  await server.admin.groups.create({ body: { groupName: 'ops' } });
  const params = { groupId: 'ops' };
  await Promise.all(roles.map((roleName) => server.admin.groups.addRole({ params, body: { roleName } })));
  const group = await server.admin.groups.get({ params });
  expect(group.roles.toSorted()).toEqual(roles.toSorted());
});

const shared = sharedServer();

test.each(['CLI-1STPARTY', 'ROLE_CLI-1STPARTY', 'AUTH-MFA', 'USER', 'PERSON', 'BUSINESS'])(
  'rejects the reserved role %s and leaves the store unchanged',
  async (roleName) => {
    const server = shared();
    const before = await server.dump();
    const request = server.admin.groups.addRole({ params: { groupId: 'iam-auditors' }, body: { roleName } });
    await expect(request).rejects.toMatchObject({ status: 422, code: 'ROLE_RESERVED' });
    expect(await server.dump()).toEqual(before);
  },
);

test.each(['ROLE_', 'ROLE_1', 'ROLE_ROLE_ADMIN', 'deploy', '', 'A B', 'ÄRGER', `A${'B'.repeat(100)}`])(
  'rejects %j as a role name',
  async (roleName) => {
    const server = shared();
    const before = await server.dump();
    const request = server.admin.groups.addRole({ params: { groupId: 'iam-auditors' }, body: { roleName } });
    const failure = await catchClientError(request);
    expect(failure).toMatchObject({ status: 422, code: 'FIELD_VALUE', message: expect.stringMatching(/^roleName /) });
    expect(await server.dump()).toEqual(before);
  },
);
