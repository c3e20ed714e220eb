/** Login names that sign-up rejects: those with which another user logs in, now or after it verifies an address. */
import { describe, expect, test } from 'vitest';
import { isUserNameVerified, loginNames, type User } from '../../../src/server/store/tables.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { catchClientError } from '../operations/access.ts';
import { newPassword, signUp, signUpCode } from '../operations/user-identities/flows.ts';
import { logIn } from '../operations/user-identities/login-fixtures.ts';

const victim = 'victim@example.com';
const reserved = { status: 400, json: [{ code: 'USER_NAME_RESERVED' }] };
/** Full-width forms do not fold, the Kelvin sign folds to k: the folded name decides. */
const kelvin = 'mi\u212Ae@example.com';

async function userNamed({ appContext }: TestServer, name: string): Promise<User | undefined> {
  return appContext.store.users.getBy('login', name);
}

/** Signs up with a code for the address, and sets a password. */
async function signUpVerified(server: TestServer, userName: string, userEmail: string) {
  const token = await signUpCode(server, userEmail);
  const created = await signUp(server, { userName, userEmail, token });
  expect(created.status).toBe(201);
  const { accessToken } = created.json as { accessToken: string };
  await server.as({ token: accessToken }).userIdentities.createPassword({ body: { newPassword } });
}

describe('a user name in the form of an e-mail address', () => {
  test.each([
    ['of another', { userName: victim, userEmail: 'me@example.com' }],
    ['in another case', { userName: 'VICTIM@Example.com', userEmail: 'me@example.com' }],
    ['that folds to one', { userName: kelvin, userEmail: 'me@example.com' }],
    ['that is not a valid address', { userName: 'a b@c', userEmail: 'me@example.com' }],
  ])('%s is rejected, and nothing is stored', async (_, body) => {
    await using server = await startServer();
    const before = await server.dump();
    expect(await signUp(server, body)).toMatchObject(reserved);
    expect(await server.dump()).toEqual(before);
  });

  test('reserves nothing before it is verified: the owner of the address signs up with the name and logs in with it', async () => {
    await using server = await startServer();
    expect(await signUp(server, { userName: victim, userEmail: victim })).toMatchObject({ status: 201 });
    expect(await userNamed(server, victim)).toBeUndefined();
    await signUpVerified(server, victim, victim);
    expect(await userNamed(server, victim)).toMatchObject({ emailVerified: true });
    await expect(logIn(server, { name: 'Victim@example.com', secret: newPassword })).resolves.toBeDefined();
    expect(await signUp(server, { userName: victim, userEmail: victim })).toMatchObject({ status: 201 });
  });

  test('is requested by many at once, and the one with the code gets the name', async () => {
    await using server = await startServer();
    const token = await signUpCode(server, victim);
    const bodies = Array.from({ length: 20 }, (_, at) => (at === 7 ? { token } : {}));
    const responses = await Promise.all(
      bodies.map((more) => signUp(server, { userName: victim, userEmail: victim, ...more })),
    );
    expect(responses.map(({ status }) => status)).toEqual(bodies.map(() => 201));
    expect(await userNamed(server, victim)).toMatchObject({ emailVerified: true });
  });

  test('folds like the address', async () => {
    await using server = await startServer();
    expect(await signUp(server, { userName: kelvin, userEmail: 'mike@example.com' })).toMatchObject({ status: 201 });
    expect(await userNamed(server, 'mike@example.com')).toBeUndefined();
  });

  test('counts as verified where an administrator or a seed sets it', async () => {
    const users = [{ userId: 'seeded', userName: 'seeded@example.com' }];
    await using server = await startServer({ seed: { users } });
    expect(await userNamed(server, 'seeded@example.com')).toMatchObject({ userId: 'seeded' });
    const body = { userName: 'new@example.com', userEmail: 'new@example.com' };
    await server.admin.userIdentities.create({ body });
    expect(await userNamed(server, 'new@example.com')).toMatchObject({ emailVerified: false });
    const failure = await catchClientError(server.admin.userIdentities.create({ body }));
    expect(failure).toMatchObject({ status: 412, code: 'LOGIN_NAME_TAKEN' });
  });

  test('stays a login name when an administrator changes the verified address', async () => {
    await using server = await startServer();
    await signUpVerified(server, victim, victim);
    const id = (await userNamed(server, victim))?.userId ?? '';
    await server.admin.userIdentities.update({ params: { id }, body: { userEmail: 'new@example.com' } });
    for (const name of [victim, 'new@example.com']) expect(await userNamed(server, name)).toMatchObject({ userId: id });
  });

  test('is changed only together with the e-mail', async () => {
    await using server = await startServer({ seed: { users: [{ userId: 'u', userEmail: victim }] } });
    const update = (body: object) => server.admin.userIdentities.update({ params: { id: 'u' }, body });
    for (const more of [{}, { userEmail: null }, { userEmail: 'b@example.com' }]) {
      const before = await server.dump();
      const failure = await catchClientError(update({ userName: 'a@example.com', ...more }));
      expect(failure).toMatchObject({ status: 400, code: 'USER_NAME_RESERVED' });
      expect(await server.dump()).toEqual(before);
    }
    await update({ userName: 'a@example.com', userEmail: 'A@example.com' });
    expect(await userNamed(server, 'a@example.com')).toMatchObject({ userId: 'u' });
    await update({ userName: 'plain' });
    expect(await userNamed(server, 'plain')).not.toHaveProperty('userNameProven');
  });
});

describe('a name in the form of a link', () => {
  test.each(['google:12345', `x5t#S256:${'a'.repeat(64)}`, ':', 'a:b'])('%s is rejected', async (userName) => {
    await using server = await startServer();
    const before = await server.dump();
    expect(await signUp(server, { userName })).toMatchObject(reserved);
    const params = { id: 'unknown' };
    const failure = await catchClientError(server.admin.userIdentities.update({ params, body: { userName } }));
    expect(failure).toMatchObject({ status: 400, code: 'USER_NAME_RESERVED' });
    expect(await server.dump()).toEqual(before);
  });

  test.each(['google:12345', victim, 'a:b@c'])(
    '%s is rejected as a login name where it is a user id',
    async (userId) => {
      await using server = await startServer();
      const refused = await signUp(server, { userId });
      expect(refused).toMatchObject({ status: 412, json: [{ code: 'ID_NOT_CHOSEN' }] });
      await server.admin.userIdentities.create({ body: { userId, userName: 'bob', userEmail: 'bob@example.com' } });
      expect(await userNamed(server, userId)).toBeUndefined();
      expect(await userNamed(server, 'bob')).toMatchObject({ userId });
      await server.admin.userIdentities.create({ body: { userName: 'other', userEmail: 'other@example.com' } });
      const other = (await userNamed(server, 'other'))?.userId ?? '';
      await server.admin.userIdentities.addIdentity({ params: { id: other }, body: { identity: userId } });
      expect(await userNamed(server, userId)).toMatchObject({ userId: other });
    },
  );

  test('the subject of a mainframe logon is rejected as an id', async () => {
    await using server = await startServer();
    const before = await server.dump();
    const user = { userId: 'logon:ALICE01', userName: 'bob', userEmail: 'bob@example.com' };
    const refused = await catchClientError(server.admin.userIdentities.create({ body: user }));
    expect(refused).toMatchObject({ status: 412, code: 'ID_TAKEN' });
    expect(await server.dump()).toEqual(before);
    const body = { appId: 'x', serviceAccountId: 'logon:ALICE01' };
    expect(await catchClientError(server.admin.clientIdentities.create({ body }))).toMatchObject({ code: 'ID_TAKEN' });
  });
});

test('a name counts where its address is verified, and for the first administrator', () => {
  const old: User = {
    userId: 'u',
    userName: victim,
    userEmail: victim,
    emailVerified: true,
    mobileVerified: false,
    lead: false,
    locked: false,
    identities: [],
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  const others: Partial<User>[] = [{ emailVerified: false }, { userEmail: 'other@example.com' }, { userName: 'a:b' }];
  expect(loginNames(old)).toEqual(['u', victim]);
  expect(others.map((more) => isUserNameVerified({ ...old, ...more }))).toEqual([false, false, false]);
  expect(isUserNameVerified({ ...old, emailVerified: false, bootstrap: 'admin' })).toBe(true);
});

test('the response does not reveal whether the address of a name is that of another user', async () => {
  await using server = await startServer();
  await signUpVerified(server, 'owner', victim);
  const responses = [];
  for (const userEmail of [victim, 'absent@example.com']) {
    const { status, headers } = await signUp(server, { userName: userEmail, userEmail });
    responses.push({ status, headers: { ...headers, 'content-length': '' } });
  }
  expect(responses[0]).toEqual(responses[1]);
});
