import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { appClientId } from '../../../harness.ts';
import { expectRejected, rowOf } from './callers.ts';
import { alice, logIn, readClaims, startWith } from './login-fixtures.ts';

const add = (as: IamClient, identity: unknown, id: string = alice.userId) =>
  as.userIdentities.addIdentity({ params: { id }, body: { identity: identity as string } });

test('adds a login identifier, which works in any case and normalization', async () => {
  await using server = await startWith();
  await expect(add(server.admin, 'Al\u00edcia')).resolves.toBeUndefined();
  expect(await rowOf(server)).toMatchObject({ identities: ['alice.smith', 'Al\u00edcia'] });
  for (const name of ['Al\u00edcia', 'AL\u00cdCIA', 'Ali\u0301cia'])
    expect(readClaims(await logIn(server, { name })).sub).toBe(alice.userId);
});

test.each([alice.userId, 'ALICE', alice.userEmail, 'Alice.Smith'])(
  'changes nothing if %s is already a login identifier of the user',
  async (name) => {
    await using server = await startWith();
    const before = await server.dump();
    await expect(add(server.admin, name)).resolves.toBeUndefined();
    expect(await server.dump()).toEqual(before);
  },
);

test.each(['x5t#S256:0a1b', 'provider:subject', 'constructor', '__proto__', 'a b', '🙂', 'x'.repeat(200)])(
  'accepts %j like any other identifier',
  async (identity) => {
    await using server = await startWith();
    await add(server.admin, identity);
    expect(await rowOf(server)).toMatchObject({ identities: ['alice.smith', identity] });
  },
);

test('accepts an e-mail address that another user has not verified', async () => {
  await using server = await startWith();
  const body = { userName: 'bob', userEmail: 'bob@example.com' };
  await server.as().userIdentities.create({ query: { clientId: appClientId }, body });
  await expect(add(server.admin, 'bob@example.com')).resolves.toBeUndefined();
});

describe('rejects', () => {
  test('a login identifier of another user', async () => {
    await using server = await startWith([
      { userId: 'bob', userName: 'Bob1', userEmail: 'bob@example.com', identities: ['b2'] },
    ]);
    for (const name of ['BOB', 'bob1', 'Bob@example.com', 'B2'])
      await expectRejected(server, () => add(server.admin, name), { status: 412, code: 'LOGIN_NAME_TAKEN' });
  });

  test('an invalid value, including one that cannot end a path', async () => {
    await using server = await startWith();
    const before = await server.dump();
    for (const identity of ['a\nb', '.', '..', 'me'])
      await expect(add(server.admin, identity)).rejects.toMatchObject({ status: 422, code: 'FIELD_VALUE' });
    expect(await server.dump()).toEqual(before);
  });
});
