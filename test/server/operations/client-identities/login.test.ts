import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { adminClient, startServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';

const path = '/security/iam/v1/client-identities/login';
const pair = Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64');
const basic = ['Authorization', `Basic ${pair}`] as const;

/** The fields of the response that clients read. */
const loginResponse = {
  accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  tokenType: 'Bearer',
  expiresIn: '3600',
  scope: ['READ', 'WRITE'],
};

describe('accepts requests in the formats of existing clients:', () => {
  const shared = sharedServer();
  const json = ['Content-Type', 'application/json'] as const;

  test.each([
    ['no body and no Content-Type', [basic], undefined],
    ['no body, with Content-Length: 0', [basic], ''],
    ['{}', [basic, json], '{}'],
    ['an empty body as JSON', [basic, json], ''],
    ['a blank JSON body', [basic, json], '   '],
    ['the credential again as JSON', [basic, json], JSON.stringify(adminClient)],
    ['another credential as JSON', [basic, json], '{"clientId":"unknown","clientSecret":"x"}'],
    ['a form', [basic, ['Content-Type', 'application/x-www-form-urlencoded']], 'grant_type=client_credentials&a=%ZZ'],
    ['broken JSON', [basic, json], '{"broken'],
    ['bytes that are not text', [basic, json], Buffer.from([0xff, 0xfe, 0x00])],
    ['an unknown media type', [basic, ['Content-Type', 'nothing']], 'x'],
    ['a compressed body', [basic, json, ['Content-Encoding', 'gzip']], 'x'],
    ['a chunked body', [basic, json, ['Transfer-Encoding', 'chunked']], '{}'],
    ['a body of more than a megabyte', [basic, json], ' '.repeat(1_500_000)],
    [
      'cookies and unknown headers',
      [basic, ['Cookie', 'JSESSIONID=1; token=stale'], ['X-Unknown', '?'], ['ip', '::1']],
      '',
    ],
    ['an Accept header without JSON', [basic, ['Accept', 'text/html']], undefined],
    ['the scheme in lower case', [['authorization', `basic ${pair}`]], undefined],
    ['the scheme in upper case', [['AUTHORIZATION', `BASIC ${pair}`]], undefined],
    ['two spaces after the scheme', [['Authorization', `Basic  ${pair}`]], undefined],
    ['the Origin of a page that may read the response', [basic, ['Origin', 'http://localhost:3000']], undefined],
  ] as const)('%s', async (_, headers, body) => {
    const response = await shared().send({ method: 'POST', path, headers, body });
    expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(response.json).toEqual(loginResponse);
  });

  test.each([`/${path}`, `///${path}`, `${path}?x=1`, `${path}?clientId=test-app&clientId=y`])(
    'the path %s',
    async (other) => {
      const response = await shared().send({ method: 'POST', path: other, headers: [basic] });
      expect(response).toMatchObject({ status: 200, json: loginResponse });
    },
  );
});

test('returns a token with the identity and the rights of the client, valid for one hour', async () => {
  await using server = await startServer();
  const client = await server.makeClient({ authorities: ['AUTH-BASIC', 'X'], scope: ['READ'], organizationId: 'org' });
  const { accessToken, ...rest } = await server.as(client).clientIdentities.login();
  expect(rest).toEqual({ tokenType: 'Bearer', expiresIn: '3600', scope: ['READ'] });
  expect(decodeProtectedHeader(accessToken)).toEqual({ alg: 'ES256', kid: expect.any(String), typ: 'at+jwt' });
  const now = server.clock.now().getTime() / 1000;
  expect(decodeJwt(accessToken)).toEqual({
    iss: server.url,
    aud: server.url,
    sub: client.clientId,
    client_id: client.clientId,
    app_id: 'test-application',
    stand_in: true,
    organization_id: 'org',
    iat: now,
    exp: now + 3600,
    jti: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
    scope: ['READ'],
    authorities: ['AUTH-BASIC', 'CLI-1STPARTY', 'CLI-AUTH-BASIC', 'CLI-AUTH-IDENTIFIED', 'X'].map(
      (role) => `ROLE_${role}`,
    ),
  });
  expect(server.log.at(-1)).toContain(`"caller":"${client.clientId}"`);
});

test('returns the expiry as epoch seconds if expires-in is epoch', async () => {
  await using server = await startServer({ flags: { 'expires-in': 'epoch', 'client-token-lifetime': '600' } });
  const { expiresIn } = await server.as(adminClient).clientIdentities.login();
  expect(expiresIn).toBe(String(server.clock.now().getTime() / 1000 + 600));
});

test('works while the store is read-only', async () => {
  await using server = await startServer();
  server.stopWrites();
  await expect(server.as(adminClient).clientIdentities.login()).resolves.toMatchObject({ tokenType: 'Bearer' });
});

describe('rejects with 401 and an array whose first element contains the reason:', () => {
  const shared = sharedServer();
  const header = (value: string) => [['Authorization', value]] as const;
  const encoded = (text: string) => header(`Basic ${Buffer.from(text).toString('base64')}`);

  test.each([
    ['a client id in the query alone', [], 'CREDENTIALS_MISSING'],
    ['a client without a secret', encoded('test-app:'), 'CREDENTIALS_INVALID'],
    ['an id in upper case', encoded(`TEST-ADMIN:${adminClient.clientSecret}`), 'CREDENTIALS_INVALID'],
    ['a secret with a trailing space', encoded(`test-admin:${adminClient.clientSecret} `), 'CREDENTIALS_INVALID'],
    ['the id __proto__', encoded('__proto__:x'), 'CREDENTIALS_INVALID'],
  ] as const)('%s', async (what, headers, code) => {
    const search = what.includes('query') ? '?clientId=test-admin' : '';
    const response = await shared().send({ method: 'POST', path: path + search, headers });
    expect(response).toMatchObject({ status: 401, json: [{ code, message: expect.stringMatching(/./) }] });
    expect(response.headers['www-authenticate']).toMatch(/^(Basic|Bearer) realm="iam"/);
  });

  test('a valid token, which does not prove knowledge of the secret', async () => {
    const { accessToken } = await shared().as(adminClient).clientIdentities.login();
    const response = await shared().send({ method: 'POST', path, headers: header(`Bearer ${accessToken}`) });
    expect(response).toMatchObject({ status: 401, json: [{ code: 'CREDENTIALS_INVALID' }] });
  });

  test('a client whose owner is locked', async () => {
    const seed = { users: [{ userId: 'eve', userName: 'eve', locked: true }] };
    await using server = await startServer({ seed });
    const client = await server.makeClient({ userId: 'eve' });
    expect(await catchClientError(server.as(client).clientIdentities.login())).toMatchObject({
      code: 'CREDENTIALS_INVALID',
    });
  });
});
