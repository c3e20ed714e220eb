/** An identified client (?clientId= without a credential) has almost no rights, and adds none to another caller. */
import { expect, test } from 'vitest';
import { authenticate } from '../../../src/server/auth/authenticate.ts';
import { readCredentials } from '../../../src/server/auth/credentials.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { login } from '../tokens/forge.ts';
import { loopbackSource } from './auth-requests.ts';

interface SentCredentials {
  readonly authorization?: string;
  readonly apiKey?: string;
  readonly clientIds?: readonly string[];
}

async function authenticateWith(
  { appContext }: TestServer,
  { authorization, apiKey, clientIds = [] }: SentCredentials,
) {
  return authenticate(appContext, readCredentials({ authorization, apiKey, clientIds }), {
    auth: 'client-id',
    source: loopbackSource,
  });
}

test('an identified client is identified and of its party, and nothing else, whatever authorities it has', async () => {
  await using server = await startServer();
  for (const party of ['1STPARTY', '3RDPARTY'] as const) {
    const { clientId } = await server.makeClient({ party, authorities: ['AUTH-BASIC', 'ADMIN'], scope: ['READ'] });
    const principal = await authenticateWith(server, { clientIds: [clientId] });
    expect(principal).toMatchObject({ authMethod: 'client-id', subject: clientId });
    expect(principal?.roles).toEqual(new Set(['CLI-AUTH-IDENTIFIED', `CLI-${party}`]));
  }
});

test('an identified service account has no roles of its groups', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient({ serviceAccountId: 'billing' });
  const { groupId } = await server.admin.groups.create({ body: { groupName: 'ops', roles: ['DEPLOY'] } });
  await server.appContext.store.transaction((tx) =>
    tx.memberships.insert({ groupId, kind: 'service', memberId: 'billing' }),
  );
  expect((await authenticateWith(server, { clientIds: [clientId] }))?.roles.has('DEPLOY')).toBe(false);
});

test('without a clientId there is no client, and an unknown one is rejected', async () => {
  await using server = await startServer();
  expect(await authenticateWith(server, {})).toBeUndefined();
  for (const name of ['unknown', '', '__proto__', 'x'.repeat(5000)])
    await expect(authenticateWith(server, { clientIds: [name] })).rejects.toMatchObject({
      code: 'CREDENTIALS_INVALID',
    });
});

test('with another authentication method it must name the same client, and adds no rights', async () => {
  await using server = await startServer();
  const { clientId, clientSecret } = await server.makeClient({ authorities: ['AUTH-BASIC'] });
  const { clientId: other } = await server.makeClient({ authorities: ['ADMIN'] });
  const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
  const bearer = `Bearer ${await login(server, { clientId, clientSecret })}`;
  for (const header of [authorization, bearer]) {
    const alone = await authenticateWith(server, { authorization: header });
    const beside = await authenticateWith(server, { authorization: header, clientIds: [clientId] });
    expect(beside).toEqual(alone);
    expect(beside?.roles).toContain('CLI-AUTH-BASIC');
    const ambiguous = { code: 'CREDENTIALS_AMBIGUOUS' };
    await expect(authenticateWith(server, { authorization: header, clientIds: [other] })).rejects.toMatchObject(
      ambiguous,
    );
    await expect(authenticateWith(server, { authorization: header, clientIds: ['unknown'] })).rejects.toMatchObject(
      ambiguous,
    );
  }
});

test('two values must be equal', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient();
  expect(await authenticateWith(server, { clientIds: [clientId, clientId] })).toMatchObject({ subject: clientId });
  await expect(authenticateWith(server, { clientIds: [clientId, 'test-admin'] })).rejects.toMatchObject({
    code: 'CREDENTIALS_AMBIGUOUS',
  });
});

test('is rejected together with wrong credentials', async () => {
  await using server = await startServer();
  const { clientId } = await server.makeClient();
  const pending = authenticateWith(server, {
    authorization: `Basic ${btoa(`${clientId}:wrong`)}`,
    clientIds: [clientId],
  });
  await expect(pending).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
});
