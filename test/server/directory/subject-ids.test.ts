/** Ids of users, clients and services are used once. What is kept of a removed one is bounded. */
import { describe, expect, test } from 'vitest';
import { removeClient } from '../../../src/server/auth/remove-client.ts';
import { addClient } from '../../../src/server/directory/clients.ts';
import { reserveSubjectId, retireSubjectId } from '../../../src/server/directory/subject-ids.ts';
import { appClientId, startServer, type TestServer } from '../../harness.ts';
import { userToken } from '../operations/user-token.ts';

const longest = `id-${'x'.repeat(61)}`;

const reserve = ({ appContext: { store } }: TestServer, subject: string) =>
  store.transaction((tx) => reserveSubjectId(tx, { subject, kind: 'user', ownerId: subject }));
const retire = ({ appContext: { store } }: TestServer, subject: string) =>
  store.transaction((tx) => retireSubjectId(tx, subject));

describe('a removed id', () => {
  test.each(['bob', longest, 'a:b@c.d', '0123456789abcdef0123456'])(
    'that was chosen, %s, is never reused, and stays as a digest of 32 bytes',
    async (id) => {
      await using server = await startServer();
      const { subjects } = server.appContext.store;
      const before = await subjects.list();
      await reserve(server, id);
      await retire(server, id);
      const kept = (await subjects.list()).filter((row) => !before.some(({ subject }) => subject === row.subject));
      expect(kept).toEqual([{ subject: expect.stringMatching(/^#[\w-]{31}$/), kind: 'user' }]);
      await expect(reserve(server, id)).rejects.toMatchObject({ code: 'ID_TAKEN' });
      await expect(reserve(server, `${id}2`)).resolves.toBeUndefined();
    },
  );

  test('that the server made leaves nothing', async () => {
    await using server = await startServer();
    const { store, ids } = server.appContext;
    const before = await store.subjects.list();
    const id = ids.newId();
    await reserve(server, id);
    await retire(server, id);
    expect(await store.subjects.list()).toEqual(before);
  });

  test('is not taken by its digest', async () => {
    await using server = await startServer();
    const { store } = server.appContext;
    await reserve(server, 'bob');
    await retire(server, 'bob');
    const digest = (await store.subjects.list()).find(({ subject }) => subject.startsWith('#'))?.subject ?? '';
    const token = await userToken(server, { level: 'AUTH-IDENTIFIED' });
    const body = { appId: 'app', serviceAccountId: digest };
    await expect(server.as({ token }).myClientIdentities.create({ body })).rejects.toMatchObject({ status: 400 });
  });
});

describe('a name', () => {
  const query = { clientId: appClientId };
  const signUp = (server: TestServer, userName: string) =>
    server.as().userIdentities.create({ query, body: { userName, userEmail: 'stranger@example.com' } });
  const taken = { status: 412, code: 'LOGIN_NAME_TAKEN' };

  test('is not the id of a removed user, in either case, on every path that adds a name', async () => {
    await using server = await startServer({
      seed: { users: [{ userId: 'CTO', userName: 'ann' }, { userId: 'bob' }] },
    });
    const { admin } = server;
    const { userIdentities } = admin;
    await userIdentities.remove({ params: { id: 'CTO' } });
    const before = await server.dump();
    const params = { id: 'bob' };
    const body = { userName: 'cto', userEmail: 'cto@example.com' };
    for (const attempt of [
      () => signUp(server, 'cto'),
      () => signUp(server, 'CTO'),
      () => userIdentities.create({ body }),
      () => userIdentities.update({ params, body: { userName: 'cto' } }),
      () => userIdentities.addIdentity({ params, body: { identity: 'Cto' } }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'LOGIN_NAME_TAKEN' });
    const headers = [['Content-Type', 'application/json']] as const;
    const sent = { method: 'POST', path: '/_iam/users', headers, body: JSON.stringify({ userName: 'cto' }) };
    expect(await server.send(sent)).toMatchObject({ status: 412, json: [{ code: 'LOGIN_NAME_TAKEN' }] });
    expect(await server.dump()).toEqual(before);
    await expect(signUp(server, 'ann')).resolves.toHaveProperty('accessToken');
  });

  test('of a user who signs up is no id of a client or service, present or removed, and none of the generated form', async () => {
    const clients = [{ clientId: 'Billing', serviceAccountId: 'billing-service' }];
    await using server = await startServer({ seed: { clients } });
    for (const name of ['Billing', 'billing-service', '0'.repeat(24), 'ABCDEF'.repeat(4)])
      await expect(signUp(server, name)).rejects.toMatchObject(taken);
    await server.admin.clientIdentities.remove({ params: { serviceAccountId: 'billing-service' } });
    for (const name of ['billing', 'billing-service']) await expect(signUp(server, name)).rejects.toMatchObject(taken);
    const body = { userName: 'billing', userEmail: 'billing@example.com' };
    await expect(server.admin.userIdentities.create({ body })).resolves.toHaveProperty('accessToken');
  });

  test('is no service account id of an own client', async () => {
    await using server = await startServer({ seed: { users: [{ userName: 'Reports' }] } });
    const token = await userToken(server, { level: 'AUTH-IDENTIFIED' });
    const body = { appId: 'app', serviceAccountId: 'reports' };
    const attempt = server.as({ token }).myClientIdentities.create({ body });
    await expect(attempt).rejects.toMatchObject({ status: 412, code: 'ID_TAKEN' });
  });
});

test('clients that are created and removed many times leave no row behind', async () => {
  await using server = await startServer();
  const token = await userToken(server, { level: 'AUTH-IDENTIFIED' });
  const { myClientIdentities } = server.as({ token });
  const before = await server.dump();
  for (let round = 0; round < 10; round += 1) {
    const { clientId } = await myClientIdentities.create({ body: { appId: 'app' } });
    await myClientIdentities.remove({ params: { clientId } });
  }
  expect(await server.dump()).toEqual(before);
});

test('the ids of a removed client and its service are not given to another', async () => {
  await using server = await startServer();
  const { store } = server.appContext;
  const { clientId } = await server.makeClient();
  const row = await store.clients.get(clientId);
  if (!row) throw new Error('no client');
  const client = { ...row, clientId: 'billing', serviceAccountId: 'billing-service' };
  await store.transaction((tx) => addClient(tx, client));
  await store.transaction((tx) => removeClient(tx, client));
  for (const id of ['billing', 'billing-service'])
    await expect(reserve(server, id)).rejects.toMatchObject({ code: 'ID_TAKEN' });
});
