import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { sharedServer } from '../access.ts';

const params = { groupId: 'iam-auditors' };

test('returns a group by id and by name with the same ETag', async () => {
  await using server = await startServer();
  const byName = await server.admin.call('groups.get', { params });
  const body = byName.body as { groupId: string };
  const byId = await server.admin.call('groups.get', { params: { groupId: body.groupId } });
  expect(byId.body).toEqual(body);
  expect(byId.headers.etag).toMatch(/^"[\w-]+"$/);
  expect(byId.headers.etag).toBe(byName.headers.etag);
});

test('changes the ETag with every change, and returns the first ETag again for the first state', async () => {
  await using server = await startServer();
  const etag = async () => (await server.admin.call('groups.get', { params })).headers.etag;
  const first = await etag();
  await server.admin.groups.addRole({ params, body: { roleName: 'VIEW' } });
  expect(await etag()).not.toBe(first);
  await server.admin.groups.removeRole({ params: { ...params, roleName: 'VIEW' } });
  expect(await etag()).toBe(first);
});

test('returns the new name of a renamed group in its dependents and changes their ETags', async () => {
  await using server = await startServer();
  await server.admin.groups.create({ body: { groupName: 'ops' } });
  await server.admin.groups.create({ body: { groupName: 'leads', dependencies: [{ groupName: 'ops' }] } });
  const leads = () => server.admin.call('groups.get', { params: { groupId: 'leads' } });
  const before = await leads();
  await server.admin.groups.update({ params: { groupId: 'ops' }, body: { groupName: 'operators' } });
  const after = await leads();
  expect(after.body).toMatchObject({ dependencies: [{ groupName: 'operators' }] });
  expect(after.headers.etag).not.toBe(before.headers.etag);
});

const shared = sharedServer();

test.each(['%00', '%FF', '%ZZ', '%', 'x'.repeat(101)])(
  'returns 404 for %s, which is not a valid name',
  async (segment) => {
    const server = shared();
    const response = await server.admin.raw('GET', `/security/iam/v1/groups/${segment}`);
    expect(response.status).toBe(404);
    expect(response.body).toEqual([
      { code: 'PATH_VALUE', message: expect.stringContaining('groupId'), details: { field: 'groupId' } },
    ]);
  },
);
