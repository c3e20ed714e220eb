import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { catchClientError } from '../access.ts';

const params = { groupId: 'ops' };

test('removes the group with its memberships and nothing else', async () => {
  await using server = await startServer({
    seed: {
      users: [{ userId: 'eve', userName: 'eve' }],
      businesses: [{ businessId: 'acme', businessName: 'Acme' }],
      groups: [
        { groupId: 'ops', groupName: 'ops', users: ['eve'], businesses: ['acme'] },
        { groupId: 'leads', groupName: 'leads', users: ['eve'], businesses: ['acme'] },
      ],
    },
  });
  expect(await server.appContext.store.memberships.find('group', 'ops')).toHaveLength(2);
  const response = await server.admin.call('groups.remove', { params });
  expect(response).toMatchObject({ status: 204, body: undefined });
  expect(await server.appContext.store.memberships.find('group', 'ops')).toEqual([]);
  expect(await server.appContext.store.memberships.find('group', 'leads')).toHaveLength(2);
  await expect(server.admin.groups.get({ params })).rejects.toMatchObject({ status: 404 });
  await expect(server.admin.groups.remove({ params })).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND' });
});

test('releases the name, but not the id', async () => {
  await using server = await startServer();
  const old = await server.admin.groups.create({ body: { groupName: 'ops' } });
  await server.admin.groups.remove({ params });
  const created = await server.admin.groups.create({ body: { groupName: 'ops' } });
  expect(created.groupId).not.toBe(old.groupId);
  await expect(server.admin.groups.get({ params: old })).rejects.toMatchObject({ status: 404 });
});

test('rejects a group that others depend on and lists those in the message', async () => {
  await using server = await startServer();
  await server.admin.groups.create({ body: { groupName: 'ops' } });
  await server.admin.groups.create({ body: { groupName: 'leads', dependencies: [{ groupName: 'ops' }] } });
  const before = await server.dump();
  const failure = await catchClientError(server.admin.groups.remove({ params }));
  expect(failure).toMatchObject({ status: 412, code: 'GROUP_IN_USE', message: expect.stringContaining('"leads"') });
  expect(await server.dump()).toEqual(before);
  await server.admin.groups.removeDependency({ params: { groupId: 'leads', dependencyName: 'ops' } });
  await server.admin.groups.remove({ params });
});

test('rejects the group that grants the last administrator its role', async () => {
  await using server = await startServer();
  const before = await server.dump();
  const failure = await catchClientError(server.admin.groups.remove({ params: { groupId: 'iam-administrators' } }));
  expect(failure).toMatchObject({ status: 412, code: 'LAST_ADMINISTRATOR' });
  expect(await server.dump()).toEqual(before);
});

test('returns 404 for an unknown group, regardless of If-Match', async () => {
  await using server = await startServer();
  for (const ifMatch of [undefined, '*', '"x"']) {
    const failure = await catchClientError(server.admin.groups.remove({ params, ifMatch }));
    expect(failure).toMatchObject({ status: 404, code: 'GROUP_NOT_FOUND' });
  }
});

test('removes the group only if If-Match has its current ETag', async () => {
  await using server = await startServer();
  await server.admin.groups.create({ body: { groupName: 'ops' } });
  const stale = (await server.admin.call('groups.get', { params })).headers.etag;
  await server.admin.groups.addRole({ params, body: { roleName: 'DEPLOY' } });
  const before = await server.dump();
  const failure = await catchClientError(server.admin.groups.remove({ params, ifMatch: stale }));
  expect(failure).toMatchObject({ status: 412, code: 'CHANGED_MEANWHILE' });
  expect(await server.dump()).toEqual(before);
  const { etag } = (await server.admin.call('groups.get', { params })).headers;
  await server.admin.groups.remove({ params, ifMatch: etag });
});
