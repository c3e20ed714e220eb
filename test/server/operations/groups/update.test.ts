import { describe, expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';

const params = { groupId: 'ops' };
const whole = {
  groupName: 'ops',
  organizationId: 'org',
  businessUnitId: 'unit',
  roles: ['DEPLOY'],
  dependencies: [{ groupName: 'iam-auditors' }],
};

test('replaces all fields of the group except its id', async () => {
  await using server = await startServer();
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops', roles: ['VIEW'] } });
  const response = await server.admin.call('groups.update', { params, body: whole });
  expect(response).toMatchObject({ status: 204, body: undefined });
  expect(await server.admin.groups.get({ params: { groupId } })).toEqual({ ...whole, groupId });
});

test('empties lists and clears fields that are omitted', async () => {
  await using server = await startServer();
  const { groupId } = await server.admin.groups.create({ body: whole });
  await server.admin.groups.update({ params, body: { groupName: 'ops' } });
  const group = await server.admin.groups.get({ params });
  expect(group).toEqual({ groupId, groupName: 'ops', roles: [], dependencies: [] });
});

test('leaves the store unchanged if a group is written back as read', async () => {
  await using server = await startServer();
  await server.admin.groups.create({ body: whole });
  const before = await server.dump();
  const { groupId: _, ...body } = await server.admin.groups.get({ params });
  await server.admin.groups.update({ params, body });
  expect(await server.dump()).toEqual(before);
});

test('renames the group and releases the old name', async () => {
  await using server = await startServer();
  await server.admin.groups.create({ body: whole });
  await server.admin.groups.update({ params, body: { groupName: 'operators' } });
  await expect(server.admin.groups.get({ params })).rejects.toMatchObject({ status: 404 });
  expect(await server.admin.groups.list({ query: { name: 'ops' } })).toEqual({ items: [] });
  await server.admin.groups.create({ body: { groupName: 'ops' } });
});

describe('If-Match', () => {
  test('accepts the current ETag, a list that contains it, and *', async () => {
    await using server = await startServer();
    await server.admin.groups.create({ body: whole });
    const { etag } = (await server.admin.call('groups.get', { params })).headers;
    for (const ifMatch of [etag, `"other", ${etag}`, `${etag},"other"`, '*', ' * '])
      await server.admin.groups.update({ params, body: whole, ifMatch });
  });

  test.each(['"other"', '"a", "b"', 'W/"other"', 'garbage', ',', '', '"*"'])('rejects %s with 422', async (ifMatch) => {
    await using server = await startServer();
    await server.admin.groups.create({ body: whole });
    const before = await server.dump();
    const failure = await catchClientError(server.admin.groups.update({ params, body: { groupName: 'x' }, ifMatch }));
    expect(failure).toMatchObject({ status: 422, code: 'CHANGED_MEANWHILE' });
    expect(await server.dump()).toEqual(before);
  });

  test('compares strongly: the error says that the current ETag in its weak form or without quotes never matches', async () => {
    await using server = await startServer();
    await server.admin.groups.create({ body: whole });
    const { etag } = (await server.admin.call('groups.get', { params })).headers;
    const rejected = async (ifMatch: string) =>
      (await catchClientError(server.admin.groups.update({ params, body: whole, ifMatch }))).items[0];
    const code = 'CHANGED_MEANWHILE';
    expect(await rejected(`"other", W/${etag}`)).toMatchObject({ code, message: expect.stringContaining('weak ETag') });
    expect(await rejected(`${etag}`.slice(1, -1))).toMatchObject({ code, message: expect.stringContaining('quotes') });
    expect(await rejected(`w/${etag}`)).toMatchObject({ code, message: expect.stringContaining('weak ETag') });
    for (const empty of ['', ' ', ',', ', ,'])
      expect(await rejected(empty)).toMatchObject({ code, message: expect.stringContaining('empty') });
    expect(await rejected('"other",')).toMatchObject({ code, message: expect.stringContaining('has changed') });
    for (const suffix of ['-gzip', '-br', '--gzip', ';gzip', '-zstd', ':x-gzip'])
      expect(await rejected(`${etag?.slice(0, -1)}${suffix}"`)).toMatchObject({
        code,
        message: expect.stringContaining(`suffix of a compression (`),
      });
    expect(await rejected('"other"')).toMatchObject({ code, message: expect.stringContaining('has changed') });
  });

  test('returns 404 for an unknown group, also for *', async () => {
    await using server = await startServer();
    const failure = await catchClientError(server.admin.groups.update({ params, body: whole, ifMatch: '*' }));
    expect(failure).toMatchObject({ status: 404, code: 'GROUP_NOT_FOUND' });
  });
});

describe('rejects and leaves the store unchanged:', () => {
  const shared = sharedServer();
  const target = { groupId: 'business-users' };
  const groupName = 'business-users';

  test.each([
    ['a name that is taken', { groupName: 'iam-auditors' }, 422, 'GROUP_NAME_TAKEN'],
    ['a reserved role', { groupName, roles: ['BUSINESS'] }, 422, 'ROLE_RESERVED'],
    ['a dependency on itself', { groupName, dependencies: [{ groupName }] }, 422, 'DEPENDENCY_CYCLE'],
    ['a cycle', { groupName, dependencies: [{ groupName: 'business-owners' }] }, 422, 'DEPENDENCY_CYCLE'],
  ])('%s', async (_, body, status, code) => {
    const server = shared();
    const before = await server.dump();
    const failure = await catchClientError(server.admin.call('groups.update', { params: target, body }));
    expect(failure).toMatchObject({ status, code });
    expect(await server.dump()).toEqual(before);
  });

  test('a cycle, with the new name of the group in the message', async () => {
    const body = { groupName: 'renamed', dependencies: [{ groupName: 'business-owners' }] };
    const { message } = await catchClientError(shared().admin.groups.update({ params: target, body }));
    expect(message).toContain('renamed -> business-owners -> business-admins -> renamed');
  });

  test('a change that removes the last administrator', async () => {
    const server = shared();
    const before = await server.dump();
    const body = { groupName: 'iam-administrators', roles: ['ADMIN'] };
    const failure = await catchClientError(
      server.admin.groups.update({ params: { groupId: 'iam-administrators' }, body }),
    );
    expect(failure).toMatchObject({ status: 422, code: 'LAST_ADMINISTRATOR' });
    expect(await server.dump()).toEqual(before);
  });
});
