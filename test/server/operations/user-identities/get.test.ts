import { describe, expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { asUser } from '../user-token.ts';
import { createSession, rowOf } from './callers.ts';
import { startWith } from './login-fixtures.ts';

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
});

test('changes nothing', async () => {
  await using server = await startServer({ seed: { users: [bob] } });
  const before = await rowOf(server, 'bob');
  await server.admin.userIdentities.get({ params });
  expect(await rowOf(server, 'bob')).toBe(before);
});
