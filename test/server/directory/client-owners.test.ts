/** A client whose owner is locked or removed is rejected with every authentication method, including earlier tokens. */
import { describe, expect, test } from 'vitest';
import { authenticate } from '../../../src/server/auth/authenticate.ts';
import type { User } from '../../../src/server/store/tables.ts';
import { startServer, type TestServer } from '../../harness.ts';
import {
  formatBasicHeader,
  invalidCredentials,
  invalidToken,
  loginWithHeaders,
  loopbackSource,
  sendWithHeaders,
} from '../auth/auth-requests.ts';
import { login } from '../tokens/forge.ts';

const users = [{ userId: 'olga', userName: 'olga', password: 'correct horse battery staple' }];
const businesses = [{ businessId: 'acme', businessName: 'Acme' }];

async function changeUser({ appContext }: TestServer, change: (user: User) => User | undefined): Promise<void> {
  await appContext.store.transaction(async (tx) => {
    const user = await tx.users.get('olga');
    const changed = user && change(user);
    if (changed) await tx.users.replace(changed);
    else await tx.users.delete('olga');
  });
}

/** Every authentication method of one client, with a token and a key that were issued before. */
async function createClientWithCredentials(server: TestServer, owner: { userId?: string; businessId?: string }) {
  const pair = await server.makeClient({ ...owner, authorities: ['AUTH-BASIC', 'ADMIN'] });
  const { apiKey } = await server.admin.apiKey
    .create({ body: { appId: 'test', clientId: pair.clientId } })
    .catch(() => ({ apiKey: '' }));
  const token = await login(server, pair);
  const secretLine = formatBasicHeader(pair.clientId, pair.clientSecret);
  const named = () =>
    authenticate(server.appContext, { clientId: pair.clientId }, { auth: 'client-id', source: loopbackSource });
  return {
    async expectOpen() {
      for (const line of [secretLine, `Authorization: Bearer ${token}`, `X-Api-Key: ${apiKey}`])
        expect([line, await sendWithHeaders(server, [line])]).toMatchObject([line, { status: 200 }]);
      expect(await loginWithHeaders(server, [secretLine])).toMatchObject({ status: 200 });
      expect(await named()).toMatchObject({ authMethod: 'client-id' });
    },
    async expectClosed() {
      expect(await sendWithHeaders(server, [secretLine])).toEqual(invalidCredentials);
      expect(await sendWithHeaders(server, [`Authorization: Bearer ${token}`])).toEqual(invalidToken);
      expect(await sendWithHeaders(server, [`X-Api-Key: ${apiKey}`])).toEqual(invalidCredentials);
      expect(await loginWithHeaders(server, [secretLine])).toEqual(invalidCredentials);
      await expect(named()).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
    },
  };
}

describe('the client of a user', () => {
  test('is rejected while the user is locked, and accepted after the unlock', async () => {
    await using server = await startServer({ seed: { users } });
    const client = await createClientWithCredentials(server, { userId: 'olga' });
    await client.expectOpen();
    await changeUser(server, (user) => ({ ...user, locked: true }));
    await client.expectClosed();
    await changeUser(server, (user) => ({ ...user, locked: false }));
    await client.expectOpen();
  });

  test('is rejected when the user is removed', async () => {
    await using server = await startServer({ seed: { users } });
    const client = await createClientWithCredentials(server, { userId: 'olga' });
    await client.expectOpen();
    await changeUser(server, () => undefined);
    await client.expectClosed();
  });
});

test('the client of a business is rejected when the business is removed', async () => {
  await using server = await startServer({ seed: { businesses } });
  const client = await createClientWithCredentials(server, { businessId: 'acme' });
  await client.expectOpen();
  await server.appContext.store.transaction((tx) => tx.businesses.delete('acme'));
  await client.expectClosed();
});

test('clients that own each other, as only a file that was changed contains them, are rejected', async () => {
  await using server = await startServer();
  const client = await createClientWithCredentials(server, {});
  await client.expectOpen();
  await server.appContext.store.transaction(async (tx) => {
    const row = (await tx.clients.list()).find(
      ({ authorities, bootstrap }) => !bootstrap && authorities.includes('ADMIN'),
    );
    if (!row) return;
    await tx.clients.replace({ ...row, ownerClientId: 'second' });
    await tx.clients.insert({ ...row, clientId: 'second', ownerClientId: row.clientId });
  });
  await client.expectClosed();
});

test('a client of another owner is still accepted', async () => {
  await using server = await startServer({ seed: { users, businesses } });
  const client = await createClientWithCredentials(server, { businessId: 'acme' });
  await changeUser(server, (user) => ({ ...user, locked: true }));
  await client.expectOpen();
});

test('an API key ends when it is removed, and grants the current roles of its client', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient({ authorities: ['AUTH-BASIC', 'ADMIN'] });
  const { apiKeyId, apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId } });
  const line = `X-Api-Key: ${apiKey}`;
  expect(await sendWithHeaders(server, [line])).toMatchObject({ status: 200 });
  await server.appContext.store.transaction(async (tx) => {
    const row = await tx.clients.get(clientId);
    if (row) await tx.clients.replace({ ...row, authorities: [] });
  });
  expect(await sendWithHeaders(server, [line])).toMatchObject({ status: 403 });
  await server.admin.apiKey.remove({ params: { apiKeyId: String(apiKeyId) } });
  expect(await sendWithHeaders(server, [line])).toEqual(invalidCredentials);
});
