/** Long tokens: up to the setting max-token they work everywhere; longer ones are not issued. */
import { describe, expect, test } from 'vitest';
import { adminClient, appClientId } from '../../harness.ts';
import {
  alice,
  basic,
  giveRoles,
  listRoles,
  password,
  post,
  postForm,
  postJson,
  startWith,
} from '../operations/user-identities/login-fixtures.ts';
import { createTokens } from '../operations/user-identities/session-fixtures.ts';

const maxToken = 32_768;

describe('a user with 400 roles', () => {
  test('logs in, and its token is accepted by every kind of call', async () => {
    await using server = await startWith();
    await giveRoles(server, listRoles(400));
    const { accessToken, refreshToken } = await createTokens(server, { level: 'AUTH-MFA' });
    expect(accessToken.length).toBeGreaterThan(17_000);
    const { userIdentities } = server.as({ token: accessToken });
    const { param } = await userIdentities.generateParam({ body: {} });
    const renewed = await postJson(server, `/user-identities/renew-token?clientId=${appClientId}`, { refreshToken });
    expect(renewed.status).toBe(201);
    const exchanged = await post(server, `/user-identities/auth-legacy-by-param?clientId=${appClientId}`, { param });
    expect(exchanged.status).toBe(200);
    const token = (exchanged.json as { accessToken: string }).accessToken;
    for (const path of ['/oauth2/introspect', '/oauth2/revoke']) {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { Authorization: basic(adminClient.clientId, adminClient.clientSecret) },
        body: new URLSearchParams({ token }),
      });
      expect([path, response.status]).toEqual([path, 200]);
    }
  });

  test('its token may be as long as the limit, to the byte', async () => {
    await using server = await startWith();
    await giveRoles(server, listRoles(400));
    const { length } = (await createTokens(server, { renewable: false })).accessToken;
    await using exact = await startWith([], { flags: { 'max-token': String(length) } });
    // The port is part of the issuer.
    const longer = exact.url.length - server.url.length;
    await giveRoles(exact, listRoles(400 - Math.max(0, longer)));
    expect((await createTokens(exact, { renewable: false })).accessToken.length).toBeLessThanOrEqual(length);
    await giveRoles(exact, listRoles(1 + Math.max(0, longer), 'X'));
    await expect(createTokens(exact, { renewable: false })).rejects.toMatchObject({ code: 'TOKEN_TOO_LONG' });
  });
});

describe('a user whose token would be longer than the limit', () => {
  async function startOver() {
    const server = await startWith();
    const before = await createTokens(server);
    const { userIdentities } = server.as({ token: before.accessToken });
    const { param } = await userIdentities.generateParam({ body: {} });
    await giveRoles(server, listRoles(1000));
    return { server, param, ...before };
  }

  const message = expect.stringMatching(
    /^The token would have 100\d roles and \d{5} bytes\. The limit is 32768 bytes\.$/,
  );

  test('gets 400 at every door, which changes nothing', async () => {
    const { server, param, accessToken, refreshToken } = await startOver();
    await using _server = server;
    const state = await server.dump();
    const { userName } = alice;
    const app = `clientId=${appClientId}`;
    const responses = [
      await post(server, `/user-identities/login?${app}`, { Authorization: basic(userName, password) }),
      await postJson(server, `/user-identities/renew-token?${app}`, { refreshToken }),
      await post(server, `/user-identities/auth-legacy-by-param?${app}`, { param }),
      await post(
        server,
        '/user-identities/me/access-token',
        { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
        '{}',
      ),
    ];
    for (const { status, json } of responses) {
      expect([status, json]).toEqual([
        400,
        [{ code: 'TOKEN_TOO_LONG', message, details: { limit: maxToken, setting: 'max-token' } }],
      ]);
    }
    const grants: Record<string, string>[] = [
      { grant_type: 'password', username: userName, password },
      { grant_type: 'refresh_token', refresh_token: refreshToken },
    ];
    for (const grant of grants)
      expect(await postForm(server, { ...grant, client_id: appClientId })).toMatchObject({
        status: 400,
        json: { error: 'invalid_request', error_description: message },
      });
    const session = await fetch(`${server.url}/_iam/sessions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ userId: alice.userId }),
    });
    expect([session.status, await session.json()]).toMatchObject([400, [{ code: 'TOKEN_TOO_LONG' }]]);
    expect(await server.dump()).toEqual(state);
  });

  test('only operators learn of the groups', async () => {
    const { server } = await startOver();
    await using _server = server;
    const response = await post(server, `/user-identities/login?clientId=${appClientId}`, {
      Authorization: basic(alice.userName, password),
    });
    expect(response.text).not.toContain('g-');
    const [{ id }] = (await (await fetch(`${server.url}/_iam/requests?limit=1`)).json()) as [{ id: string }];
    const record = await (await fetch(`${server.url}/_iam/requests/${id}/why`)).text();
    expect(record).toMatch(/The roles come from the groups g-[0-9a-f]{24}\./);
  });
});

test('a client whose token would be longer than the limit gets none', async () => {
  await using server = await startWith();
  const client = await server.makeClient({ clientId: 'c', authorities: listRoles(1000) });
  const state = await server.dump();
  const header = { Authorization: basic(client.clientId, client.clientSecret) };
  const response = await postForm(server, { grant_type: 'client_credentials' }, header);
  expect(response).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  // It documents no 400.
  expect(await post(server, '/client-identities/login', header)).toMatchObject({
    status: 401,
    json: [{ code: 'TOKEN_TOO_LONG' }],
  });
  await expect(server.as(client).clientIdentities.login({})).rejects.toMatchObject({ code: 'TOKEN_TOO_LONG' });
  expect(await server.dump()).toEqual(state);
});
