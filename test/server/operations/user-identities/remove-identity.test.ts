import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { expectRejected, rowOf } from './callers.ts';
import { alice, logIn, startWith } from './login-fixtures.ts';

const remove = (as: IamClient, identity: string, id: string = alice.userId) =>
  as.userIdentities.removeIdentity({ params: { id, identity } });

test('removes one login identifier of the user, in any case, and frees it', async () => {
  await using server = await startWith([{ userId: 'bob', userName: 'bob' }]);
  await server.admin.userIdentities.addIdentity({ params: { id: alice.userId }, body: { identity: 'second' } });
  await expect(remove(server.admin, 'ALICE.smith')).resolves.toBeUndefined();
  expect(await rowOf(server)).toMatchObject({ identities: ['second'] });
  await expect(logIn(server, { name: 'alice.smith' })).rejects.toMatchObject({ status: 401 });
  await expect(logIn(server, { name: 'second' })).resolves.toBeDefined();
  const body = { identity: 'alice.smith' };
  await expect(server.admin.userIdentities.addIdentity({ params: { id: 'bob' }, body })).resolves.toBeUndefined();
});

test.each(['a/b', 'a?b#c', 'x5t#S256:0a', '%2F', 'a b', '🙂', '__proto__', 'constructor', '...'])(
  'removes %j as it was added',
  async (identity) => {
    await using server = await startWith();
    await server.admin.userIdentities.addIdentity({ params: { id: alice.userId }, body: { identity } });
    await expect(remove(server.admin, identity)).resolves.toBeUndefined();
    expect(await rowOf(server)).toMatchObject({ identities: ['alice.smith'] });
  },
);

describe('rejects', () => {
  test('the user name, which is the last login identifier', async () => {
    await using server = await startWith();
    await expectRejected(server, () => remove(server.admin, 'ALICE'), { status: 412, code: 'LAST_IDENTITY' });
  });

  test('a name that is not an added identifier: the id, the e-mail address, an identifier of another user', async () => {
    await using server = await startWith([{ userId: 'bob', userName: 'bob', identities: ['b2'] }]);
    for (const identity of [alice.userId, alice.userEmail, 'b2', 'none'])
      await expectRejected(server, () => remove(server.admin, identity), { status: 404, code: 'IDENTITY_NOT_FOUND' });
  });
});
