import { describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { catchClientError } from '../access.ts';

test('adds a dependency once, by name or by id', async () => {
  await using server = await startServer();
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops' } });
  const params = { groupId: 'iam-auditors' };
  const response = await server.admin.call('groups.add-dependency', { params, body: { groupName: 'ops' } });
  expect(response).toMatchObject({ status: 201, body: {} });
  const before = await server.dump();
  await server.admin.groups.addDependency({ params, body: { groupName: groupId } });
  expect(await server.dump()).toEqual(before);
  const group = await server.admin.groups.get({ params });
  expect(group.dependencies).toEqual([{ groupName: 'ops' }]);
});

/** Creates groups g0 <- g1 <- g2 ..., each depending on the one before. */
async function makeChain({ admin }: TestServer, length: number): Promise<void> {
  for (let at = 0; at < length; at += 1) {
    const dependencies = at === 0 ? [] : [{ groupName: `g${at - 1}` }];
    await admin.groups.create({ body: { groupName: `g${at}`, dependencies } });
  }
}

describe('rejects a cycle and shows its path in the message,', () => {
  test.each([
    ['of one group', 1, 'g0 -> g0'],
    ['of two groups', 2, 'g0 -> g1 -> g0'],
    ['of five groups', 5, 'g0 -> g4 -> g3 -> g2 -> g1 -> g0'],
  ])('%s', async (_, length, cyclePath) => {
    await using server = await startServer();
    await makeChain(server, length);
    const before = await server.dump();
    const request = server.admin.groups.addDependency({
      params: { groupId: 'g0' },
      body: { groupName: `g${length - 1}` },
    });
    const failure = await catchClientError(request);
    expect(failure).toMatchObject({ status: 422, code: 'DEPENDENCY_CYCLE' });
    expect(failure.message.split(': ')[1]).toBe(`${cyclePath}.`);
    expect(await server.dump()).toEqual(before);
  });

  test('of two hundred groups, past branches without a cycle', async () => {
    await using server = await startServer();
    await makeChain(server, 200);
    const params = { groupId: 'g150' };
    await server.admin.groups.addDependency({ params, body: { groupName: 'business-owners' } });
    await server.admin.groups.addDependency({ params, body: { groupName: 'g3' } });
    const request = server.admin.groups.addDependency({ params: { groupId: 'g0' }, body: { groupName: 'g199' } });
    const { message } = await catchClientError(request);
    expect(message).toMatch(/: g0 -> g199 -> g198 -> .* -> g150 -> .*g3 -> g2 -> g1 -> g0\.$/);
  });
});

test('accepts a diamond: two groups that depend on a third', async () => {
  await using server = await startServer();
  await makeChain(server, 3);
  await server.admin.groups.addDependency({ params: { groupId: 'g2' }, body: { groupName: 'g0' } });
  const group = await server.admin.groups.get({ params: { groupId: 'g2' } });
  expect(group.dependencies).toEqual([{ groupName: 'g1' }, { groupName: 'g0' }]);
});
