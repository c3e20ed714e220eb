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
    for (const ifMatch of [etag, `"other", ${etag}`, `${etag},"other"`, '*', ' * ', ''])
      await server.admin.groups.update({ params, body: whole, ifMatch });
  });

  test.each(['"other"', '"a", "b"', 'W/"other"', 'garbage', ',', '"*"'])('rejects %s with 422', async (ifMatch) => {
    await using server = await startServer();
    await server.admin.groups.create({ body: whole });
    const before = await server.dump();
    const failure = await catchClientError(server.admin.groups.update({ params, body: { groupName: 'x' }, ifMatch }));
    expect(failure).toMatchObject({ status: 422, code: 'CHANGED_MEANWHILE' });
    expect(await server.dump()).toEqual(before);
  });

  test('compares strongly: a weak form of the current ETag does not match', async () => {
    await using server = await startServer();
    await server.admin.groups.create({ body: whole });
    const { etag } = (await server.admin.call('groups.get', { params })).headers;
    const failure = await catchClientError(server.admin.groups.update({ params, body: whole, ifMatch: `W/${etag}` }));
    expect(failure.code).toBe('CHANGED_MEANWHILE');
  });

  test('accepts one of twenty concurrent writes with the same ETag', async () => {
    await using server = await startServer();
    await server.admin.groups.create({ body: whole });
    const { etag: ifMatch } = (await server.admin.call('groups.get', { params })).headers;
    const requests = Array.from({ length: 20 }, (_, at) =>
      server.admin.groups.update({ params, body: { groupName: 'ops', roles: [`R${at}`] }, ifMatch }),
    );
    const outcomes = await Promise.allSettled(requests);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
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
    ['an unknown dependency', { groupName, dependencies: [{ groupName: 'unknown' }] }, 422, 'DEPENDENCY_UNKNOWN'],
    ['a dependency on itself', { groupName, dependencies: [{ groupName }] }, 422, 'DEPENDENCY_CYCLE'],
    ['a cycle', { groupName, dependencies: [{ groupName: 'business-owners' }] }, 422, 'DEPENDENCY_CYCLE'],
    ['a name of 24 hexadecimal digits', { groupName: '0123456789abcdef01234567' }, 422, 'FIELD_VALUE'],
    ['an empty organization', { groupName, organizationId: '' }, 422, 'FIELD_VALUE'],
    ['null for a list', { groupName, roles: null }, 400, 'FIELD_TYPE'],
    ['the id of the group', { groupName, groupId: 'x' }, 400, 'FIELD_UNKNOWN'],
    ['a missing name', { roles: [] }, 400, 'FIELD_MISSING'],
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

test('accepts one of twenty concurrent renames to the same name', async () => {
  const groups = Array.from({ length: 20 }, (_, at) => ({ groupName: `g${at}` }));
  await using server = await startServer({ seed: { groups } });
  const rename = ({ groupName }: { groupName: string }) =>
    server.admin.groups.update({ params: { groupId: groupName }, body: { groupName: 'ops' } });
  const outcomes = await Promise.allSettled(groups.map(rename));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes.filter(({ status }) => status === 'rejected'))
    expect(outcome).toMatchObject({ reason: { status: 422, code: 'GROUP_NAME_TAKEN' } });
});

test('returns 200 with the error array instead of 400 or 422 if soft errors are enabled, but not for 401 and 404', async () => {
  await using server = await startServer({ flags: { 'soft-errors': true } });
  const before = await server.dump();
  const update = async (groupId: string, body: unknown, caller = server.admin) =>
    catchClientError(caller.call('groups.update', { params: { groupId }, body }));
  expect(await update('business-users', {})).toMatchObject({ status: 200, code: 'FIELD_MISSING' });
  expect(await update('business-users', { groupName: '' })).toMatchObject({ status: 200, code: 'FIELD_VALUE' });
  expect(await update('business-users', { groupName: 'iam-auditors' })).toMatchObject({ status: 200 });
  expect(await update('unknown', { groupName: 'x' })).toMatchObject({ status: 404 });
  expect(await update('business-users', {}, server.as())).toMatchObject({ status: 401 });
  expect(await server.dump()).toEqual(before);
});
