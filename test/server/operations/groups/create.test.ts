import { describe, expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';

test('creates a group with all its fields and returns its id', async () => {
  await using server = await startServer();
  const body = {
    groupName: 'ops',
    organizationId: 'org',
    businessUnitId: 'unit',
    roles: ['ROLE_DEPLOY', 'VIEW', 'DEPLOY'],
    dependencies: [{ groupName: 'iam-auditors' }],
  };
  const { groupId } = await server.admin.groups.create({ body });
  expect(groupId).toMatch(/^[0-9a-f]{24}$/);
  const group = await server.admin.groups.get({ params: { groupId } });
  expect(group).toEqual({ ...body, groupId, roles: ['DEPLOY', 'VIEW'] });
});

test('creates a group without roles and dependencies from a name alone', async () => {
  await using server = await startServer();
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops' } });
  const group = await server.admin.groups.get({ params: { groupId } });
  expect(group).toEqual({ groupId, groupName: 'ops', roles: [], dependencies: [] });
});

test('accepts dependencies by name and by id, and returns each once by name', async () => {
  await using server = await startServer();
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops' } });
  const dependencies = [{ groupName: groupId }, { groupName: 'iam-auditors' }, { groupName: 'ops' }];
  await server.admin.groups.create({ body: { groupName: 'leads', dependencies } });
  const leads = await server.admin.groups.get({ params: { groupId: 'leads' } });
  expect(leads.dependencies).toEqual([{ groupName: 'ops' }, { groupName: 'iam-auditors' }]);
});

describe('rejects and leaves the store unchanged:', () => {
  const shared = sharedServer();

  test.each([
    ['a name that is taken', { groupName: 'iam-auditors' }, 412, 'GROUP_NAME_TAKEN'],
    ['a dependency on itself', { groupName: 'ops', dependencies: [{ groupName: 'ops' }] }, 422, 'DEPENDENCY_UNKNOWN'],
    ['a reserved role', { groupName: 'ops', roles: ['ROLE_AUTH-MFA'] }, 422, 'ROLE_RESERVED'],
    ['the implicit role of all users', { groupName: 'ops', roles: ['USER'] }, 422, 'ROLE_RESERVED'],
    ['a name of 24 hexadecimal digits', { groupName: '0123456789abcdefABCDEF01' }, 422, 'FIELD_VALUE'],
    ['a name with a slash', { groupName: 'a/b' }, 422, 'FIELD_VALUE'],
    ['a name with a control character', { groupName: 'a\u0007b' }, 422, 'FIELD_VALUE'],
    ['a name with a lone surrogate', { groupName: 'a\ud800' }, 400, 'FIELD_TYPE'],
    ['a name of 101 characters of two code units each', { groupName: '🦊'.repeat(101) }, 422, 'FIELD_VALUE'],
    ['a name that is a dot segment', { groupName: '..' }, 422, 'FIELD_VALUE'],
    ['a name that is a segment of another path', { groupName: 'user-accounts' }, 422, 'FIELD_VALUE'],
  ])('%s', async (_, body, status, code) => {
    const server = shared();
    const before = await server.dump();
    const failure = await catchClientError(server.admin.call('groups.create', { body }));
    expect(failure).toMatchObject({ status, code });
    expect(await server.dump()).toEqual(before);
  });

  test.each(['ROLE_', 'ROLE_1', 'ROLE_ROLE_ADMIN'])(
    'the role %s, which is invalid without the prefix ROLE_',
    async (role) => {
      const server = shared();
      const failure = await catchClientError(server.admin.groups.create({ body: { groupName: 'ops', roles: [role] } }));
      expect(failure).toMatchObject({ status: 422, code: 'FIELD_VALUE', message: expect.stringContaining('roles[0]') });
    },
  );
});

test('reports all errors of a body in one response, errors of its structure first', async () => {
  await using server = await startServer();
  const body = { groupName: 'a/b', roles: ['x y', 7], dependencies: [{}], secretHash: 'x', bootstrap: 'admin' };
  const { status, items } = await catchClientError(server.admin.call('groups.create', { body }));
  expect(status).toBe(400);
  expect(items.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'FIELD_TYPE roles[1] must be a string.',
    'FIELD_MISSING dependencies[0].groupName is required.',
    'FIELD_UNKNOWN Unknown field: secretHash.',
    'FIELD_UNKNOWN Unknown field: bootstrap.',
    expect.stringMatching(/^FIELD_VALUE groupName must not contain a slash/),
    expect.stringMatching(/^FIELD_VALUE roles\[0\] must be 1 to 128 ASCII letters/),
  ]);
});
