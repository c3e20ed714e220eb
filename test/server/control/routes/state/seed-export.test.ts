/** GET /_iam/state/export?format=seed: every export can be applied to a new server. */
import { expect, test } from 'vitest';
import type { SeedDocument } from '../../../../../src/server/seed/schema.ts';
import { isUserNameProven, type User } from '../../../../../src/server/store/tables.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';
import { sendText } from './state-client.ts';

async function exportSeed(server: TestServer): Promise<SeedDocument> {
  const { status, text } = await sendText(server, '/_iam/state/export?format=seed');
  expect(status).toBe(200);
  return JSON.parse(text) as SeedDocument;
}

/** Applies an export to a new server, and returns what that server exports. */
async function copySeed(seed: SeedDocument): Promise<SeedDocument> {
  await using server = await startServer({ seed });
  return await exportSeed(server);
}

const idsOf = ({ clients = [] }: SeedDocument) => clients.map(({ clientId }) => clientId);

test('omits clients that no longer have an owner, with their keys and memberships', async () => {
  await using server = await startServer({
    seed: {
      users: [{ userId: 'alice' }, { userId: 'bob' }],
      clients: [
        { clientId: 'of-alice', userId: 'alice', serviceAccountId: 'service-of-alice' },
        { clientId: 'of-bob', userId: 'bob', serviceAccountId: 'service-of-bob' },
      ],
      groups: [{ groupName: 'ops', roles: ['DEPLOY'], services: ['service-of-alice', 'service-of-bob'] }],
      apiKeys: ['of-alice', 'of-bob'].map((clientId, at) => ({
        appId: 'app',
        clientId,
        apiKey: Buffer.alloc(32, at + 1).toString('base64'),
      })),
    },
  });
  await server.admin.userIdentities.remove({ params: { id: 'alice' } });
  expect(await server.appContext.store.clients.get('of-alice')).toBeDefined();
  const seed = await exportSeed(server);
  expect(idsOf(seed)).toEqual(['of-bob']);
  expect(seed.apiKeys).toMatchObject([{ clientId: 'of-bob' }]);
  expect(seed.groups?.find(({ groupName }) => groupName === 'ops')).toMatchObject({ services: ['service-of-bob'] });
  expect(await copySeed(seed)).toEqual(seed);
});

test('contains all redirect URIs of a client and its settings of browser logins, and a seed replaces them', async () => {
  const [one, two, three] = ['https://a.example.com/', 'http://127.0.0.1/back', 'com.example.app:/back'];
  const clients = [
    { clientId: 'none' },
    { clientId: 'one', redirectURI: one },
    {
      ...{ clientId: 'several', redirectURIs: [three, one, two], audiences: ['urn:a', 'urn:b'], browserLogin: false },
      ...{
        postLogoutRedirectURIs: [one, three],
        requirePkce: false,
        requirePushedAuthorizationRequests: true,
        idTokenAlg: 'ES256' as const,
      },
    },
  ];
  await using server = await startServer({ seed: { clients } });
  const seed = await exportSeed(server);
  expect(seed.clients).toMatchObject(clients);
  expect(await copySeed(seed)).toEqual(seed);
  const later = [
    { clientId: 'none' },
    { clientId: 'one', redirectURIs: [two] },
    { clientId: 'several', redirectURI: two, postLogoutRedirectURIs: [], requirePkce: true },
  ];
  expect(await send(server, '/_iam/seed', { method: 'POST', body: { clients: later } })).toMatchObject({ status: 200 });
  const changed = (await exportSeed(server)).clients ?? [];
  expect(changed.map((client) => client.redirectURI ?? client.redirectURIs)).toEqual([undefined, two, two]);
  expect(changed.at(-1)).toMatchObject({ audiences: ['urn:a', 'urn:b'], requirePkce: true, idTokenAlg: 'ES256' });
  expect(changed.at(-1)).not.toHaveProperty('postLogoutRedirectURIs');
  const both = { clients: [{ clientId: 'one', redirectURI: one, redirectURIs: [two] }] };
  expect(await send(server, '/_iam/seed', { method: 'POST', body: both })).toMatchObject({
    status: 400,
    body: [{ message: expect.stringContaining('must not be combined with redirectURI') }],
  });
});

test('omits clients of the administrator user, whose id differs on every server', async () => {
  await using server = await startServer();
  const { store } = server.appContext;
  const admin = await store.users.getBy('bootstrap', 'admin');
  await server.admin.clientIdentities.create({ body: { appId: 'tool', userId: admin?.userId } });
  const seed = await exportSeed(server);
  expect(idsOf(seed)).toEqual([]);
  expect(await copySeed(seed)).toEqual(seed);
});

test('omits clients that another client owns, so that none is enabled again after the owner was removed', async () => {
  await using server = await startServer();
  await server.makeClient({ clientId: 'owner' });
  const { clientId } = await server.admin.clientIdentities.create({ body: { appId: 'tool' } });
  await server.appContext.store.transaction(async (tx) => {
    const client = await tx.clients.get(clientId);
    if (client) await tx.clients.replace({ ...client, ownerClientId: 'owner' });
  });
  const seed = await exportSeed(server);
  expect(idsOf(seed)).toEqual(['owner']);
});

test('keeps whether a user signed up, so that no other user is found by a name that it chose', async () => {
  await using server = await startServer({
    seed: {
      users: [
        { userId: 'chosen', userName: 'a-name', selfRegistered: true },
        { userId: 'given', userName: 'given' },
      ],
    },
  });
  expect(isUserNameProven((await server.appContext.store.users.get('chosen')) as User)).toBe(false);
  const seed = await exportSeed(server);
  const marks = ({ users = [] }: SeedDocument) => users.map((user) => [user.userName, user.selfRegistered]);
  expect(marks(seed)).toEqual([
    ['a-name', true],
    ['given', undefined],
  ]);
  expect(await copySeed(seed)).toEqual(seed);
  // Applied to the users that are there, it changes nothing; a name that an operator writes is given.
  await using copy = await startServer({ seed });
  const { store } = copy.appContext;
  const before = await store.users.list();
  await send(copy, '/_iam/seed', { method: 'POST', body: seed });
  expect(await store.users.list()).toEqual(before);
  const users = seed.users?.map(({ selfRegistered: _, ...user }) => user);
  await send(copy, '/_iam/seed', { method: 'POST', body: { users } });
  expect(marks(await exportSeed(copy))).toEqual([
    ['a-name', undefined],
    ['given', undefined],
  ]);
});

test('has the form of JSON with two spaces', async () => {
  await using server = await startServer({ seed: { users: [{ userId: 'alice', identities: ['a', 'b'] }] } });
  const { text } = await sendText(server, '/_iam/state/export?format=seed');
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), undefined, 2)}\n`);
});

test('contains links to providers of the greatest length', async () => {
  const identities = [`${'p'.repeat(64)}:${'s'.repeat(255)}`];
  await using server = await startServer({ seed: { users: [{ userId: 'alice', identities }] } });
  const seed = await exportSeed(server);
  expect(seed.users?.find(({ userId }) => userId === 'alice')).toMatchObject({ identities });
  expect(await copySeed(seed)).toEqual(seed);
});
