/** Audiences of clients, and resource indicators (RFC 8707). */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { alice, password } from '../operations/user-identities/login-fixtures.ts';
import {
  clientToken,
  credentials,
  introspectPath,
  isAccepted,
  postBody,
  postFields,
  revokePath,
  seed,
  startOAuth,
  tokenPath,
  userTokens,
} from './oauth-requests.ts';

const [orders, stock] = ['https://orders.example', 'urn:stock'];
const audienceOf = (token: string) => decodeJwt(token).aud;
const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: credentials.web };

let server: TestServer;
const setAudiences = async (audiences: readonly string[]) => {
  const response = await send(server, '/_iam/clients/web', { method: 'PATCH', body: { audiences } });
  expect(response).toMatchObject({ status: 200, body: { audiences } });
};
beforeAll(async () => {
  const clients = seed.clients?.map((client) =>
    client.clientId === 'web' ? { ...client, audiences: [orders, stock] } : client,
  );
  server = await startOAuth({ seed: { ...seed, clients } });
});
afterAll(() => server[Symbol.asyncDispose]());

describe('tokens of a client with audiences', () => {
  test('are for this server and for them, so that this server accepts them', async () => {
    const tokens = [await clientToken(server, 'web'), (await userTokens(server, 'web')).access_token];
    for (const token of tokens) {
      expect(audienceOf(token)).toEqual([server.url, orders, stock]);
      expect(await isAccepted(server, token)).toBe(true);
    }
    expect(audienceOf(await clientToken(server, 'api'))).toBe(server.url);
  });

  test('are only for the resources of the request; this server rejects those for others and says why', async () => {
    const token = await clientToken(server, 'web', { resource: orders });
    expect(audienceOf(token)).toBe(orders);
    const response = await server.as({ token }).raw('GET', '/security/iam/v1/groups');
    expect(response.status).toBe(401);
    const why = await send(server, `/_iam/requests/${response.headers['x-request-id']}/why`);
    expect(why.body).toMatchObject({ credential: { reason: 'It has a different audience.' } });
    expect(await isAccepted(server, await clientToken(server, 'web', { resource: server.url }))).toBe(true);
  });

  test('can name several resources, in a form and in JSON', async () => {
    const fields = `grant_type=client_credentials&resource=${encodeURIComponent(orders)}&resource=${encodeURIComponent(server.url)}`;
    const json = JSON.stringify({ grant_type: 'client_credentials', resource: [server.url, orders] });
    const jsonType = { ...form, 'content-type': 'application/json' };
    for (const response of [
      await postBody(server, tokenPath, fields, form),
      await postBody(server, tokenPath, json, jsonType),
    ])
      expect(audienceOf(String(response.json.access_token))).toEqual([server.url, orders]);
    const none = JSON.stringify({ grant_type: 'client_credentials', resource: [] });
    const { json: ofAll } = await postBody(server, tokenPath, none, jsonType);
    expect(audienceOf(String(ofAll.access_token))).toEqual([server.url, orders, stock]);
    const repeated = await postBody(server, tokenPath, `${fields}&scope=READ&scope=READ`, form);
    expect(repeated).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  });

  test.each(['https://unknown.example', `${orders}/`, 'urn:STOCK', 'orders'])(
    'are refused for a resource that the client does not have: %s',
    async (resource) => {
      const fields = { grant_type: 'client_credentials', resource };
      expect(await postFields(server, tokenPath, fields, credentials.web)).toMatchObject({
        status: 400,
        json: { error: 'invalid_target' },
      });
      expect(await postFields(server, tokenPath, { ...fields, resource: orders }, credentials.api)).toMatchObject({
        json: { error: 'invalid_target' },
      });
    },
  );

  test('are introspected and revoked whatever their audience', async () => {
    const introspect = async (token: string) =>
      (await postFields(server, introspectPath, { token }, credentials.web)).json;
    for (const token of [
      await clientToken(server, 'web', { resource: orders }),
      (await userTokens(server, 'web', { resource: orders })).access_token,
    ]) {
      expect(await introspect(token)).toMatchObject({ active: true, aud: orders });
      await postFields(server, revokePath, { token }, credentials.web);
      expect(await introspect(token)).toEqual({ active: false });
    }
  });
});

test('a renewal keeps the resources, can narrow them, and loses those that the client loses', async () => {
  const renew = async (refreshToken: string, more = {}) => {
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, ...more };
    const { json } = await postFields(server, tokenPath, fields, credentials.web);
    return {
      error: json.error,
      token: String(json.refresh_token),
      aud: json.access_token && audienceOf(String(json.access_token)),
    };
  };
  const login = await postBody(
    server,
    tokenPath,
    new URLSearchParams([
      ...Object.entries({ grant_type: 'password', username: alice.userName, password }),
      ['resource', orders],
      ['resource', stock],
    ]).toString(),
    form,
  );
  expect(audienceOf(String(login.json.access_token))).toEqual([orders, stock]);
  const first = await renew(String(login.json.refresh_token));
  expect(first.aud).toEqual([orders, stock]);
  expect(await renew(first.token, { resource: server.url })).toMatchObject({ error: 'invalid_target' });
  const narrow = await renew(first.token, { resource: stock });
  expect(narrow.aud).toBe(stock);
  await setAudiences([orders]);
  const less = await renew(narrow.token);
  expect(less.aud).toBe(orders);
  await setAudiences([]);
  expect(await renew(less.token)).toMatchObject({ error: 'invalid_target' });
});

test('a session that a token with less scope starts in another client keeps the resources', async () => {
  const { access_token: token } = await userTokens(server, 'api', { resource: server.url });
  const path = '/security/iam/v1/user-identities/me';
  const less = await server.as({ token }).raw('POST', `${path}/access-token`, { body: { scope: ['READ'] } });
  const caller = server.as({ token: (less.body as { accessToken: string }).accessToken });
  await setAudiences([orders]);
  const { body } = await caller.raw('POST', `${path}/change-app`, { query: { targetClientId: 'web' }, body: {} });
  expect(audienceOf((body as { accessToken: string }).accessToken)).toBe(server.url);
});

test('no operation widens the audiences to which a renewal narrowed a token', async () => {
  await setAudiences([orders, stock]);
  const { refresh_token: refreshToken } = await userTokens(server, 'web');
  const fields = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    resource: server.url,
  });
  fields.append('resource', orders);
  const { json } = await postBody(server, tokenPath, fields.toString(), form);
  const narrow = [server.url, orders];
  expect(audienceOf(String(json.access_token))).toEqual(narrow);
  const caller = server.as({ token: String(json.access_token) });
  const path = '/security/iam/v1/user-identities';
  const [{ body: param }, ...issued] = await Promise.all([
    caller.raw('POST', `${path}/me/generate-param`, { body: { targetClientId: 'web' } }),
    caller.raw('POST', `${path}/me/access-token`, { body: {} }),
    caller.raw('POST', `${path}/me/renovate-token`, { body: {} }),
    caller.raw('POST', `${path}/me/change-app`, { query: { targetClientId: 'web' }, body: {} }),
  ]);
  const started = await fetch(`${server.url}${path}/auth-legacy-by-param?clientId=web`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', param: (param as { param: string }).param },
    body: '{}',
  });
  for (const body of [...issued.map((response) => response.body), await started.json()])
    expect(audienceOf((body as { accessToken: string }).accessToken)).toEqual(narrow);
});

test.each([[['two words']], [['https://a.example#x']], [['']], [Array.from({ length: 21 }, (_, at) => `urn:${at}`)]])(
  'audiences are checked: %j',
  async (audiences) => {
    expect(await send(server, '/_iam/clients/api', { method: 'PATCH', body: { audiences } })).toMatchObject({
      status: 422,
      body: [{ code: 'FIELD_VALUE' }],
    });
  },
);
