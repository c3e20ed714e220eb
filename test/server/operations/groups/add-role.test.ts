import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { appClientId, startServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';
import { alice, basic, password, post, startWith } from '../user-identities/login-fixtures.ts';

test('adds a role once and stores it without the prefix', async () => {
  await using server = await startServer();
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops', roles: ['VIEW'] } });
  await server.admin.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'ROLE_DEPLOY' } });
  await server.admin.groups.addRole({ params: { groupId }, body: { roleName: 'DEPLOY' } });
  await expect(server.admin.groups.get({ params: { groupId } })).resolves.toMatchObject({ roles: ['VIEW', 'DEPLOY'] });
});

test('keeps the case of roles: user and admin are ordinary names, and every one is in tokens with the prefix', async () => {
  const roles = ['developer', 'DEVELOPER', 'admin', 'user', 'job.run', 'a:b/c', `a${'b'.repeat(127)}`];
  await using server = await startWith([], { seed: { groups: [{ groupName: 'ops', users: [alice.userId] }] } });
  for (const role of roles)
    await server.admin.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: `ROLE_${role}` } });
  const authorization = basic('alice', password);
  const { json } = await post(server, `/user-identities/login?clientId=${appClientId}`, { authorization });
  const { authorities } = decodeJwt((json as { accessToken: string }).accessToken);
  expect(authorities).toEqual(expect.arrayContaining(roles.map((role) => `ROLE_${role}`)));
  expect(authorities).not.toContain('ROLE_ADMIN');
  await server.admin.groups.removeRole({ params: { groupId: 'ops', roleName: 'a:b/c' } });
  const found = async (role: string) => (await server.admin.groups.list({ query: { role } })).items.length;
  expect([await found('developer'), await found('Developer'), await found('a:b/c')]).toEqual([1, 0, 0]);
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

test.each([
  'CLI-1STPARTY',
  'ROLE_CLI-1STPARTY',
  'AUTH-MFA',
  'USER',
  'BUSINESS',
  'auth-mfa',
  'ROLE_Cli-x',
  'businessOwner',
])('rejects the reserved role %s and leaves the store unchanged', async (roleName) => {
  const server = shared();
  const before = await server.dump();
  const request = server.admin.groups.addRole({ params: { groupId: 'iam-auditors' }, body: { roleName } });
  await expect(request).rejects.toMatchObject({ status: 422, code: 'ROLE_RESERVED' });
  expect(await server.dump()).toEqual(before);
});

test.each([
  'ROLE_',
  'ROLE_1',
  'ROLE_ROLE_ADMIN',
  'role_deploy',
  'ROLE_Role_x',
  '',
  'A B',
  'ÄRGER',
  `A${'B'.repeat(128)}`,
])('rejects %j as a role name', async (roleName) => {
  const server = shared();
  const before = await server.dump();
  const request = server.admin.groups.addRole({ params: { groupId: 'iam-auditors' }, body: { roleName } });
  const failure = await catchClientError(request);
  expect(failure).toMatchObject({ status: 422, code: 'FIELD_VALUE', message: expect.stringMatching(/^roleName /) });
  expect(await server.dump()).toEqual(before);
});
