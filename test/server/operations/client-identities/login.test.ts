import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { adminClient, startServer } from '../../../harness.ts';
import { catchClientError, sharedServer } from '../access.ts';

const path = '/security/iam/v1/client-identities/login';
const pair = Buffer.from(`${adminClient.clientId}:${adminClient.clientSecret}`).toString('base64');
const basic = ['Authorization', `Basic ${pair}`] as const;

/** What programs read of the answer. */
const loggedIn = {
  accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  tokenType: 'Bearer',
  expiresIn: '3600',
  scope: ['READ', 'WRITE'],
};

describe('serves programs written for the real service, which send', () => {
  const shared = sharedServer();
  const json = ['Content-Type', 'application/json'] as const;

  test.each([
    ['no body and no Content-Type', [basic], undefined],
    ['no body, with Content-Length: 0', [basic], ''],
    ['{}', [basic, json], '{}'],
    ['an empty body as JSON', [basic, json], ''],
    ['a body of the wrong length of text', [basic, json], '   '],
    ['the credential again as JSON', [basic, json], JSON.stringify(adminClient)],
    ['another credential as JSON', [basic, json], '{"clientId":"nobody","clientSecret":"x"}'],
    ['a form', [basic, ['Content-Type', 'application/x-www-form-urlencoded']], 'grant_type=client_credentials&a=%ZZ'],
    ['broken JSON', [basic, json], '{"broken'],
    ['bytes that are no text', [basic, json], Buffer.from([0xff, 0xfe, 0x00])],
    ['a type nobody knows', [basic, ['Content-Type', 'nothing']], 'x'],
    ['a compressed body', [basic, json, ['Content-Encoding', 'gzip']], 'x'],
    ['a body in chunks', [basic, json, ['Transfer-Encoding', 'chunked']], '{}'],
    ['a megabyte and more', [basic, json], ' '.repeat(1_500_000)],
    [
      'cookies and unknown headers',
      [basic, ['Cookie', 'JSESSIONID=1; token=stale'], ['X-Unknown', '?'], ['ip', '::1']],
      '',
    ],
    ['an Accept that takes no JSON', [basic, ['Accept', 'text/html']], undefined],
    ['the scheme word in lower case', [['authorization', `basic ${pair}`]], undefined],
    ['the scheme word in upper case', [['AUTHORIZATION', `BASIC ${pair}`]], undefined],
    ['two blanks after the scheme word', [['Authorization', `Basic  ${pair}`]], undefined],
    ['an Origin of a page', [basic, ['Origin', 'https://elsewhere.example']], undefined],
  ] as const)('%s', async (_, headers, body) => {
    const answer = await shared().send({ method: 'POST', path, headers, body });
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(answer.json).toEqual(loggedIn);
  });

  test.each([`/${path}`, `///${path}`, `${path}?x=1`, `${path}?clientId=test-app&clientId=y`])(
    'the path %s',
    async (other) => {
      const answer = await shared().send({ method: 'POST', path: other, headers: [basic] });
      expect(answer).toMatchObject({ status: 200, json: loggedIn });
    },
  );
});

test('gives a token that says who the client is and what it may do, for an hour', async () => {
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

test('tells the second of expiry where the deployment is set so', async () => {
  await using server = await startServer({ flags: { 'expires-in': 'epoch', 'client-token-lifetime': '600' } });
  const { expiresIn } = await server.as(adminClient).clientIdentities.login();
  expect(expiresIn).toBe(String(server.clock.now().getTime() / 1000 + 600));
});

test('goes on while the store takes no writes', async () => {
  await using server = await startServer();
  server.stopWrites();
  await expect(server.as(adminClient).clientIdentities.login()).resolves.toMatchObject({ tokenType: 'Bearer' });
});

describe('refuses with 401 and an array whose first element tells why', () => {
  const shared = sharedServer();
  const header = (value: string) => [['Authorization', value]] as const;
  const encoded = (text: string) => header(`Basic ${Buffer.from(text).toString('base64')}`);

  test.each([
    ['nothing', [], 'CREDENTIALS_MISSING'],
    ['a client id in the query alone', [], 'CREDENTIALS_MISSING'],
    ['a wrong secret', encoded('test-admin:wrong'), 'CREDENTIALS_INVALID'],
    ['an unknown client', encoded('nobody:x'), 'CREDENTIALS_INVALID'],
    ['a client without a secret', encoded('test-app:'), 'CREDENTIALS_INVALID'],
    ['no colon', encoded('test-admin'), 'CREDENTIALS_INVALID'],
    ['no id', encoded(`:${adminClient.clientSecret}`), 'CREDENTIALS_INVALID'],
    ['an id in upper case', encoded(`TEST-ADMIN:${adminClient.clientSecret}`), 'CREDENTIALS_INVALID'],
    ['a secret with a blank behind it', encoded(`test-admin:${adminClient.clientSecret} `), 'CREDENTIALS_INVALID'],
    ['an id called __proto__', encoded('__proto__:x'), 'CREDENTIALS_INVALID'],
    ['no base64', header('Basic ???'), 'CREDENTIALS_INVALID'],
    ['a scheme without a value', header('Basic'), 'CREDENTIALS_INVALID'],
    ['the pair as it is', header(`Basic ${adminClient.clientId}:${adminClient.clientSecret}`), 'CREDENTIALS_INVALID'],
    ['an unknown scheme', header('Digest x'), 'CREDENTIALS_INVALID'],
    ['bytes that are no UTF-8', header('Basic /zr/'), 'CREDENTIALS_INVALID'],
    ['a bearer token', header('Bearer x.y.z'), 'CREDENTIALS_INVALID'],
    ['an API key', [['X-Api-Key', 'x']], 'CREDENTIALS_INVALID'],
    ['two headers', [basic, ['X-Api-Key', 'x']], 'CREDENTIALS_AMBIGUOUS'],
    ['two pairs', [basic, basic], 'CREDENTIALS_AMBIGUOUS'],
  ] as const)('%s', async (what, headers, code) => {
    const search = what.includes('query') ? '?clientId=test-admin' : '';
    const answer = await shared().send({ method: 'POST', path: path + search, headers });
    expect(answer).toMatchObject({ status: 401, json: [{ code, message: expect.stringMatching(/./) }] });
    expect(answer.headers['www-authenticate']).toMatch(/^(Basic|Bearer) realm="iam"/);
  });

  test('also a token that is good: it proves no secret', async () => {
    const { accessToken } = await shared().as(adminClient).clientIdentities.login();
    const answer = await shared().send({ method: 'POST', path, headers: header(`Bearer ${accessToken}`) });
    expect(answer).toMatchObject({ status: 401, json: [{ code: 'CREDENTIALS_INVALID' }] });
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

test('ten wrong secrets close a client out of nothing', async () => {
  await using server = await startServer();
  const { clientId, clientSecret } = await server.makeClient();
  const wrong = server.as({ basic: { clientId, clientSecret: 'wrong' } });
  for (let time = 0; time < 20; time += 1) {
    expect(await catchClientError(wrong.clientIdentities.login())).toMatchObject({
      status: 401,
      code: 'CREDENTIALS_INVALID',
    });
    expect(await catchClientError(wrong.groups.list())).toMatchObject({ status: 401, code: 'CREDENTIALS_INVALID' });
  }
  const right = server.as({ basic: { clientId, clientSecret } });
  await expect(right.clientIdentities.login()).resolves.toBeDefined();
});
