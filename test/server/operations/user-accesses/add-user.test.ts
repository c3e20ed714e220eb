import { expect, test } from 'vitest';
import { asUser } from '../user-token.ts';
import { membersIn, testMemberBodies } from './bodies.ts';
import { expectRejection, makeUsers, startWithMembers } from './member-fixtures.ts';

const id = 'user-accesses.add-user';

testMemberBodies({
  id,
  params: (groupName) => ({ groupName }),
  field: 'userId',
  known: ['p1', 'p2'],
  unknownCode: 'USER_UNKNOWN',
  make: makeUsers,
});

test('accepts one user without an array and reports errors of its fields', async () => {
  await using server = await startWithMembers();
  const params = { groupName: 'plain' };
  await expect(server.admin.userAccesses.addUser({ params, body: { userId: 'p1' } })).resolves.toEqual({});
  expect(await membersIn(server)).toEqual(['p1']);
  const { items } = await expectRejection(server, () => server.admin.call(id, { params, body: {} }), {
    status: 400,
    code: 'FIELD_MISSING',
  });
  expect(items).toMatchObject([{ details: { field: '[0].userId' } }]);
});

test('accepts user ids that are properties of Object.prototype', async () => {
  await using server = await startWithMembers();
  const body = [{ userId: 'constructor' }, { userId: '__proto__' }];
  await server.admin.userAccesses.addUser({ params: { groupName: 'plain' }, body });
  expect(await membersIn(server)).toEqual(['__proto__', 'constructor']);
});

test('rejects an administrator who makes itself a maintainer', async () => {
  await using server = await startWithMembers();
  const caller = await asUser(server, { userId: 'u', roles: ['ADMIN'] });
  const request = () => caller.call(id, { params: { groupName: 'maintainers' }, body: [{ userId: 'u' }] });
  await expectRejection(server, request, { status: 404, code: 'GROUP_NOT_FOUND' });
});
