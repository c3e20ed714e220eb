import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { appClientId } from '../../../harness.ts';
import { asMaintainer, expectRefused, expectRolesNeeded, firstAdministrator, rowOf } from './callers.ts';
import { alice, logIn, readClaims, startWith } from './login-fixtures.ts';

const add = (as: IamClient, identity: unknown, id: string = alice.userId) =>
  as.userIdentities.addIdentity({ params: { id }, body: { identity: identity as string } });

test('gives the user a further name to log in with, in any case and normalisation', async () => {
  await using server = await startWith();
  await expect(add(server.admin, 'Al\u00edcia')).resolves.toBeUndefined();
  expect(await rowOf(server)).toMatchObject({ identities: ['alice.smith', 'Al\u00edcia'] });
  for (const name of ['Al\u00edcia', 'AL\u00cdCIA', 'Ali\u0301cia'])
    expect(readClaims(await logIn(server, { name })).sub).toBe(alice.userId);
});

test.each([alice.userId, 'ALICE', alice.userEmail, 'Alice.Smith'])(
  'changes nothing where %s logs the user in already',
  async (name) => {
    await using server = await startWith();
    const before = await server.dump();
    await expect(add(server.admin, name)).resolves.toBeUndefined();
    expect(await server.dump()).toEqual(before);
  },
);

test.each(['x5t#S256:0a1b', 'provider:subject', 'constructor', '__proto__', 'a b', '🙂', 'x'.repeat(200)])(
  '%j is an identifier like any other',
  async (identity) => {
    await using server = await startWith();
    await add(server.admin, identity);
    expect(await rowOf(server)).toMatchObject({ identities: ['alice.smith', identity] });
  },
);

test('an e-mail that another user did not prove is free', async () => {
  await using server = await startWith();
  const body = { userName: 'bob', userEmail: 'bob@example.com' };
  await server.as().userIdentities.create({ query: { clientId: appClientId }, body });
  await expect(add(server.admin, 'bob@example.com')).resolves.toBeUndefined();
});

describe('is refused', () => {
  test('without each of the roles', async () => {
    await using server = await startWith();
    await expectRolesNeeded(server, (as) => add(as, 'new'));
  });

  test('for an administrator without a second proof', async () => {
    await using server = await startWith();
    const { userId } = await firstAdministrator(server);
    const maintainer = await asMaintainer(server);
    await expectRefused(server, () => add(maintainer, 'new', userId), { status: 403, code: 'MFA_MISSING' });
    await expect(add(await asMaintainer(server, 'AUTH-MFA'), 'new', userId)).resolves.toBeUndefined();
  });

  test('for a name that logs another user in', async () => {
    await using server = await startWith([
      { userId: 'bob', userName: 'Bob1', userEmail: 'bob@example.com', identities: ['b2'] },
    ]);
    for (const name of ['BOB', 'bob1', 'Bob@example.com', 'B2'])
      await expectRefused(server, () => add(server.admin, name), { status: 412, code: 'LOGIN_NAME_TAKEN' });
  });

  test('with a value that is none, or that no path could end with', async () => {
    await using server = await startWith();
    const before = await server.dump();
    for (const identity of ['', 'x'.repeat(201), 'a\u0000b', 'a\nb', '\ud800', '.', '..', 'me'])
      await expect(add(server.admin, identity)).rejects.toMatchObject({ status: 422, code: 'FIELD_VALUE' });
    for (const identity of [undefined, null, 7, ['a']])
      await expect(add(server.admin, identity)).rejects.toMatchObject({ status: 400 });
    expect(await server.dump()).toEqual(before);
  });

  test('for a user who is not there', async () => {
    await using server = await startWith();
    await expectRefused(server, () => add(server.admin, 'new', 'nobody'), { status: 404, code: 'USER_NOT_FOUND' });
  });
});

test('of 20 users who are given one name at once, one gets it', async () => {
  const people = Array.from({ length: 20 }, (_, at) => ({ userId: `u${at}`, userName: `u${at}` }));
  await using server = await startWith(people);
  const given = await Promise.allSettled(people.map(({ userId }) => add(server.admin, 'wanted', userId)));
  expect(given.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
