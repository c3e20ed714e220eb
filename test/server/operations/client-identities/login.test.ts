import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { adminClient, startServer, type TestServer } from '../../../harness.ts';
import { failureOf, sharedServer } from '../access.ts';

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
    expect(await failureOf(server.as(client).clientIdentities.login())).toMatchObject({ code: 'CREDENTIALS_INVALID' });
  });
});

describe('after ten failures holds further attempts back', () => {
  async function fail(server: TestServer, clientId: string, times: number) {
    for (let time = 0; time < times; time += 1) await attempt(server, clientId, 'wrong');
  }

  async function attempt(server: TestServer, clientId: string, clientSecret: string) {
    const value = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const answer = await server.send({ method: 'POST', path, headers: [['Authorization', `Basic ${value}`]] });
    const { 'x-request-id': _, date: __, ...headers } = answer.headers;
    return { status: answer.status, json: answer.json, headers };
  }

  test('with 429 and Retry-After, the right secret too, alike for one that nobody knows', async () => {
    await using server = await startServer();
    const { clientId, clientSecret } = await server.makeClient();
    for (const id of [clientId, 'nobody']) {
      await fail(server, id, 9);
      expect(await attempt(server, id, 'wrong')).toMatchObject({ status: 401 });
    }
    const held = await attempt(server, clientId, clientSecret);
    expect(held).toMatchObject({
      status: 429,
      headers: { 'retry-after': '30' },
      json: [{ code: 'TOO_MANY_ATTEMPTS' }],
    });
    expect(await attempt(server, 'nobody', clientSecret)).toEqual(held);
    expect(await attempt(server, adminClient.clientId, adminClient.clientSecret)).toMatchObject({ status: 200 });
  });

  test('until the delay is over: then the right secret gets in and clears it', async () => {
    await using server = await startServer();
    const { clientId, clientSecret } = await server.makeClient();
    await fail(server, clientId, 10);
    server.clock.advance(29);
    const held = await attempt(server, clientId, clientSecret);
    expect(held).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    server.clock.advance(1);
    expect(await attempt(server, clientId, clientSecret)).toMatchObject({ status: 200 });
    await fail(server, clientId, 9);
    expect(await attempt(server, clientId, clientSecret)).toMatchObject({ status: 200 });
  });

  test('for twice as long after each further failure, at most a quarter of an hour', async () => {
    await using server = await startServer();
    await fail(server, 'nobody', 10);
    const delays: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      const { headers } = await attempt(server, 'nobody', 'wrong');
      delays.push(Number(headers['retry-after']));
      server.clock.advance(delays.at(-1) ?? 0);
      expect(await attempt(server, 'nobody', 'wrong')).toMatchObject({ status: 401 });
    }
    expect(delays).toEqual([30, 60, 120, 240, 480, 900, 900]);
  });

  test('counts Basic on any other operation as well', async () => {
    await using server = await startServer();
    const { clientId, clientSecret } = await server.makeClient();
    const wrong = server.as({ basic: { clientId, clientSecret: 'wrong' } });
    for (let time = 0; time < 10; time += 1) await failureOf(wrong.groups.list());
    const right = server.as({ basic: { clientId, clientSecret } });
    expect(await failureOf(right.groups.list())).toMatchObject({ status: 429, retryAfter: 30 });
  });

  test('forgets failures that are a quarter of an hour apart', async () => {
    await using server = await startServer();
    await fail(server, 'nobody', 9);
    server.clock.advance(15 * 60 + 1);
    await fail(server, 'nobody', 9);
    expect(await attempt(server, 'nobody', 'wrong')).toMatchObject({ status: 401 });
  });
});
