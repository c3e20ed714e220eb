import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';

test('gives the group a role, once, and stores it without the prefix', async () => {
  await using server = await startServer();
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops', roles: ['VIEW'] } });
  await server.admin.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'ROLE_DEPLOY' } });
  await server.admin.groups.addRole({ params: { groupId }, body: { roleName: 'DEPLOY' } });
  await expect(server.admin.groups.get({ params: { groupId } })).resolves.toMatchObject({ roles: ['VIEW', 'DEPLOY'] });
});

test('refuses a reserved role and keeps the store as it was', async () => {
  await using server = await startServer();
  await server.admin.groups.create({ body: { groupName: 'ops' } });
  const before = await server.dump();
  const adding = server.admin.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'CLI-1STPARTY' } });
  await expect(adding).rejects.toMatchObject({ status: 422, code: 'ROLE_RESERVED' });
  expect(await server.dump()).toEqual(before);
});

test('answers 404 for a group that is not there', async () => {
  await using server = await startServer();
  const adding = server.admin.groups.addRole({ params: { groupId: 'nobody' }, body: { roleName: 'DEPLOY' } });
  await expect(adding).rejects.toMatchObject({ status: 404, code: 'GROUP_NOT_FOUND' });
});
