import { expect, test } from 'vitest';
import { startServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { alice } from '../operations/user-identities/login-fixtures.ts';
import { consentToPartner } from './consent-fixture.ts';
import { postFields } from './oauth-requests.ts';

const path = `/_iam/users/${alice.userId}`;

test('a revoked consent is deleted, and the sessions of the user at that client end', async () => {
  await using server = await startServer({ seed: { users: [alice] } });
  const { refresh_token: token } = await (await consentToPartner(server))();
  const before = await send(server, path);
  expect(before.body).toMatchObject({
    consents: [{ clientId: 'partner', clientName: 'partner', scopes: ['openid'], at: expect.any(String) }],
  });
  expect((await send(server, `${path}/consents/partner`, { method: 'DELETE' })).status).toBe(204);
  expect((await send(server, path)).body).toMatchObject({ consents: [] });
  const fields = { grant_type: 'refresh_token', refresh_token: String(token), client_id: 'partner' };
  expect((await postFields(server, '/oauth2/token', fields)).json).toMatchObject({ error: 'invalid_grant' });
  const again = await send(server, `${path}/consents/partner`, { method: 'DELETE' });
  expect(again).toMatchObject({ status: 404, body: [{ code: 'CLIENT_NOT_FOUND' }] });
});

test('a code that was issued before is worth nothing', async () => {
  await using server = await startServer({ seed: { users: [alice] } });
  const exchange = await consentToPartner(server);
  expect((await send(server, `${path}/consents/partner`, { method: 'DELETE' })).status).toBe(204);
  expect(await exchange()).toMatchObject({ error: 'invalid_grant' });
});

test('a code is worth nothing that a page issued while the consent was revoked', async () => {
  await using server = await startServer({ seed: { users: [alice] } });
  const exchange = await consentToPartner(server);
  await server.appContext.store.transaction(async (tx) => {
    const user = await tx.users.get(alice.userId);
    if (user) await tx.users.replace({ ...user, consents: [] });
  });
  expect(await exchange()).toMatchObject({ error: 'invalid_grant' });
});

test.each([{ browserLogin: false }, { grantTypes: ['refresh_token', 'client_credentials'] }])(
  'the client gets no new tokens when its logins are switched off: %j',
  async (changes) => {
    await using server = await startServer({ seed: { users: [alice] } });
    const { refresh_token: token } = await (await consentToPartner(server))();
    const update = (body: object) => send(server, '/_iam/clients/partner', { method: 'PATCH', body });
    const renewal = { grant_type: 'refresh_token', refresh_token: String(token), client_id: 'partner' };
    expect((await update(changes)).status).toBe(200);
    expect((await postFields(server, '/oauth2/token', renewal)).json).toMatchObject({ error: 'invalid_grant' });
    // The refused request used up nothing.
    await update({ browserLogin: true, grantTypes: ['authorization_code', 'refresh_token'] });
    expect((await postFields(server, '/oauth2/token', renewal)).json).toHaveProperty('access_token');
  },
);
