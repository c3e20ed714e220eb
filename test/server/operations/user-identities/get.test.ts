import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { startServer } from '../../../harness.ts';
import { asUser } from '../user-token.ts';
import { createSession, rowOf } from './callers.ts';
import { alice, startWith } from './login-fixtures.ts';

const userMobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
const bob = { userId: 'bob', userName: 'bob', userEmail: 'Bob@Example.com', userMobile };
const params = { id: 'bob' };
const view = { userEmail: 'Bob@Example.com', userMobile, legacyLogons: [] };

test('returns the contacts as stored, and no other fields of the user', async () => {
  await using server = await startWith([bob]);
  await expect(server.admin.userIdentities.get({ params })).resolves.toEqual(view);
  await server.appContext.store.transaction(async (tx) => {
    const user = await tx.users.get('bob');
    if (user) await tx.users.replace({ ...user, legacyLogons: ['BOB1'] });
  });
  await expect(server.admin.userIdentities.get({ params })).resolves.toEqual({ ...view, legacyLogons: ['BOB1'] });
});

test('omits missing fields', async () => {
  await using server = await startWith([{ userId: 'bare', userName: 'bare' }]);
  await expect(server.admin.userIdentities.get({ params: { id: 'bare' } })).resolves.toEqual({ legacyLogons: [] });
});

test('returns an ETag that changes with the contacts', async () => {
  await using server = await startWith([bob]);
  const tag = async () => (await server.admin.call('user-identities.get', { params })).headers.etag;
  const first = await tag();
  expect(first).toMatch(/^"[\w-]+"$/);
  expect(await tag()).toBe(first);
  await server.admin.userIdentities.update({ params, body: { userEmail: 'bob@example.org' } });
  expect(await tag()).not.toBe(first);
});

describe('access', () => {
  test('is granted to the user, administrators and authenticated first-party clients', async () => {
    await using server = await startWith([bob]);
    const readers = [
      await createSession(server, 'bob', 'AUTH-BASIC'),
      await createSession(server, 'bob', 'NONE'),
      await asUser(server, { roles: ['ADMIN'] }),
      await asUser(server, { roles: ['IAM_ADMIN_READ_ONLY'] }),
      await asUser(server, { roles: ['IAM_ADMIN_MAINTENANCE'] }),
      server.as({ basic: await server.makeClient() }),
    ];
    for (const reader of readers) await expect(reader.userIdentities.get({ params })).resolves.toEqual(view);
  });

  test('is denied to other users with the same response as for an unknown user', async () => {
    await using server = await startWith([bob]);
    const others = [
      await createSession(server, alice.userId),
      await asUser(server, { roles: ['BUSINESSOWNER', 'BUSINESSADMIN', 'OPERATOR'], businessId: 'b1' }),
    ];
    for (const other of others) {
      const [thirdParty, absent] = [await readResponse(other, 'bob'), await readResponse(other, 'unknown')];
      expect(thirdParty).toEqual(absent);
      expect(thirdParty).toMatchObject({ status: 404, items: [{ code: 'USER_NOT_FOUND' }] });
    }
  });

  test('is denied to an administrator whose role was removed after the token was issued', async () => {
    await using server = await startWith([bob]);
    const reader = await asUser(server, { userId: 'auditor', roles: ['IAM_ADMIN_READ_ONLY'] });
    const group = { groupId: 'roles-of-auditor', roleName: 'IAM_ADMIN_READ_ONLY' };
    await server.admin.groups.removeRole({ params: group });
    await expect(reader.userIdentities.get({ params })).rejects.toMatchObject({ status: 404 });
  });
});

async function readResponse(reader: IamClient, id: string) {
  return reader.userIdentities.get({ params: { id } }).catch(({ status, items }) => ({ status, items }));
}

test.each(['a b', 'x'.repeat(65), 'bob/', 'Bob', 'alice', '%'])('rejects %j as a user id', async (id) => {
  await using server = await startWith([bob]);
  await expect(server.admin.userIdentities.get({ params: { id } })).rejects.toMatchObject({ status: 404 });
});

test('changes nothing', async () => {
  await using server = await startServer({ seed: { users: [bob] } });
  const before = await rowOf(server, 'bob');
  await server.admin.userIdentities.get({ params });
  expect(await rowOf(server, 'bob')).toBe(before);
});
