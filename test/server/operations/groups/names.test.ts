/** All operations accept group names that have a special meaning in JavaScript, URLs or Unicode. */
import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';

const names = [
  'toString',
  'constructor',
  '__proto__',
  'hasOwnProperty',
  'two parts',
  'blanks within',
  'Zoë Müßig',
  '100%',
  '%2F',
  'a+b',
  'why?',
  'no#1',
  '&a=b;c',
  '"quoted" \\ <b>',
  '...',
  '🦊'.repeat(100),
  '名前',
];

test.each(names)('accepts the name %j', async (groupName) => {
  await using server = await startServer();
  const { groups } = server.admin;
  const { groupId } = await groups.create({ body: { groupName, roles: ['VIEW'] } });
  await groups.create({ body: { groupName: 'leads', dependencies: [{ groupName }] } });
  await groups.addRole({ params: { groupId: groupName }, body: { roleName: 'DEPLOY' } });
  await groups.removeRole({ params: { groupId: groupName, roleName: 'VIEW' } });
  const expected = { groupId, groupName, roles: ['DEPLOY'], dependencies: [] };
  expect(await groups.get({ params: { groupId: groupName } })).toEqual(expected);
  expect(await groups.list({ query: { name: groupName } })).toEqual({ items: [expected] });
  expect(await groups.get({ params: { groupId: 'leads' } })).toMatchObject({ dependencies: [{ groupName }] });
  await groups.removeDependency({ params: { groupId: 'leads', dependencyName: groupName } });
  await groups.update({ params: { groupId: groupName }, body: { groupName, dependencies: [{ groupName: 'leads' }] } });
  await groups.remove({ params: { groupId: groupName } });
  await expect(groups.get({ params: { groupId: groupName } })).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND' });
});

test.each([
  ['Ops', 'ops'],
  ['caf\u00e9', 'cafe'],
  ['\ufb01ne', 'fine'],
  ['ops', 'o ps'],
])('treats %j and %j as different groups', async (one, other) => {
  await using server = await startServer();
  const first = await server.admin.groups.create({ body: { groupName: one } });
  const unknown = server.admin.groups.get({ params: { groupId: other } });
  await expect(unknown).rejects.toMatchObject({ status: 404 });
  const second = await server.admin.groups.create({ body: { groupName: other } });
  expect(await server.admin.groups.get({ params: { groupId: one } })).toMatchObject(first);
  expect(await server.admin.groups.get({ params: { groupId: other } })).toMatchObject(second);
});

test('looks up ids before names if a name equals the id of another group', async () => {
  await using server = await startServer({
    seed: { groups: [{ groupId: 'ops', groupName: 'operators' }, { groupName: 'ops' }] },
  });
  expect(await server.admin.groups.get({ params: { groupId: 'ops' } })).toMatchObject({ groupName: 'operators' });
});
