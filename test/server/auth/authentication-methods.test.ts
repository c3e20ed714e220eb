/**
 * Authentication methods: each one is sufficient alone, two at once are rejected, and every rejection names the
 * expected scheme.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../harness.ts';
import { login } from '../tokens/forge.ts';
import {
  formatBasicHeader,
  groupsPath,
  invalidCredentials,
  invalidToken,
  loginWithHeaders,
  sendWithHeaders,
} from './auth-requests.ts';

let server: TestServer;
let token: string;
let apiKey: string;
const { clientId, clientSecret } = adminClient;
const pair = formatBasicHeader(clientId, clientSecret);

beforeAll(async () => {
  server = await startServer();
  token = await login(server);
  const created = await server.admin.apiKey.create({ body: { appId: 'test', clientId } });
  apiKey = String(created.apiKey);
});
afterAll(() => server[Symbol.asyncDispose]());

const welcome = { status: 200, code: undefined };

describe('each authentication method', () => {
  test('accepts a secret, a token and a key', async () => {
    for (const line of [pair, `Authorization: Bearer ${token}`, `X-Api-Key: ${apiKey}`])
      expect(await sendWithHeaders(server, [line])).toMatchObject({ status: 200 });
  });

  test('accepts the scheme in any case, and followed by more than one blank', async () => {
    const encoded = pair.slice('Authorization: Basic '.length);
    for (const scheme of ['basic', 'BASIC', 'bAsIc'])
      expect(await sendWithHeaders(server, [`authorization: ${scheme} ${encoded}`])).toMatchObject({ status: 200 });
    for (const scheme of ['bearer', 'BEARER', 'bEaReR '])
      expect(await sendWithHeaders(server, [`AUTHORIZATION: ${scheme} ${token}`])).toMatchObject({ status: 200 });
  });

  test('issues a login token for Basic only', async () => {
    expect(await loginWithHeaders(server, [pair])).toMatchObject({ status: 200 });
    expect(await loginWithHeaders(server, [])).toEqual({ ...invalidCredentials, code: 'CREDENTIALS_MISSING' });
    expect(await loginWithHeaders(server, [`Authorization: Bearer ${token}`])).toEqual(invalidCredentials);
    expect(await loginWithHeaders(server, [`X-Api-Key: ${apiKey}`])).toEqual(invalidCredentials);
  });
});

describe('a rejection', () => {
  test('without credentials requests a token without an error code', async () => {
    expect(await sendWithHeaders(server, [])).toEqual({
      status: 401,
      code: 'CREDENTIALS_MISSING',
      challenge: 'Bearer realm="iam"',
    });
  });

  test('of a bad token reports invalid_token', async () => {
    for (const line of [
      'Authorization: Bearer x',
      'Authorization: Bearer',
      `Authorization: Bearer ${token}x`,
      `Authorization: Bearer "${token}"`,
    ])
      expect([line, await sendWithHeaders(server, [line])]).toEqual([line, invalidToken]);
  });

  test('of a bad secret or key requests Basic', async () => {
    const lines = [
      formatBasicHeader(clientId, 'wrong'),
      formatBasicHeader('unknown', clientSecret),
      'X-Api-Key: x',
      'X-Api-Key:',
      `X-Api-Key: ${apiKey}x`,
    ];
    for (const line of lines) expect([line, await sendWithHeaders(server, [line])]).toEqual([line, invalidCredentials]);
  });

  test('of another scheme, or none, requests Basic', async () => {
    for (const value of ['', 'Digest x', token, 'Negotiate', `Basic${pair.slice(21)}`, `Bearer=${token}`])
      expect([value, await sendWithHeaders(server, [`Authorization: ${value}`])]).toEqual([value, invalidCredentials]);
  });

  test('for a missing role returns 403 and names the role, where the operation documents 403', async () => {
    const other = await server.makeClient();
    const line = formatBasicHeader(other.clientId, other.clientSecret);
    expect(await sendWithHeaders(server, [line])).toEqual({
      status: 403,
      code: 'ROLE_MISSING',
      challenge: 'Bearer realm="iam", error="insufficient_scope"',
    });
    const removing = await sendWithHeaders(server, [line], `${servicePrefix}/client-identities/x`, 'DELETE');
    expect(removing).toMatchObject({ status: 401, code: 'ROLE_MISSING' });
  });

  test('is the same for an unknown client, a wrong secret, and a client without a secret', async () => {
    const { clientId: withoutSecret } = await server.makeClient();
    await server.appContext.store.transaction(async (tx) => {
      const { secretHash: _hash, ...row } = (await tx.clients.get(withoutSecret)) ?? {};
      await tx.clients.replace(row as never);
    });
    const bodies = new Set<string>();
    for (const [name, secret] of [
      ['unknown', 'x'],
      [clientId, 'x'],
      [withoutSecret, 'x'],
      [withoutSecret, ''],
    ] as const) {
      const response = await fetch(`${server.url}${groupsPath}`, {
        headers: { authorization: `Basic ${btoa(`${name}:${secret}`)}` },
      });
      const { date: _date, 'x-request-id': _id, ...headers } = Object.fromEntries(response.headers);
      bodies.add(JSON.stringify([response.status, headers, await response.text()]));
    }
    expect(bodies.size).toBe(1);
  });
});

describe('two authentication methods at once', () => {
  const ambiguous = { status: 400, code: 'CREDENTIALS_AMBIGUOUS' };

  test('are rejected, even where both are right', async () => {
    const bearer = `Authorization: Bearer ${token}`;
    const key = `X-Api-Key: ${apiKey}`;
    for (const lines of [
      [pair, key],
      [bearer, key],
      [pair, pair],
      [pair, bearer],
      [bearer, pair],
      [key, key],
      [key, 'X-API-KEY: x'],
    ])
      expect([lines, await sendWithHeaders(server, lines)]).toMatchObject([lines, ambiguous]);
  });

  test('return 401 where the operation documents no 400', async () => {
    const unsafe = { status: 401, code: 'CREDENTIALS_AMBIGUOUS', challenge: 'Bearer realm="iam"' };
    const lines = [pair, `X-Api-Key: ${apiKey}`];
    expect(await sendWithHeaders(server, lines, `${groupsPath}/ops`)).toEqual(unsafe);
    expect(await loginWithHeaders(server, lines)).toMatchObject({ status: 401, code: 'CREDENTIALS_AMBIGUOUS' });
    expect(await loginWithHeaders(server, [pair, pair])).toMatchObject({ status: 401, code: 'CREDENTIALS_AMBIGUOUS' });
  });
});

describe('rejects as an authentication method', () => {
  test.each(['access_token', 'token', 'api_key', 'apiKey', 'authorization', 'clientSecret'])(
    '?%s= of the query',
    async (name) => {
      for (const value of [token, apiKey, `Bearer ${token}`])
        expect(await sendWithHeaders(server, [], `${groupsPath}?${name}=${encodeURIComponent(value)}`)).toMatchObject({
          status: 401,
          code: 'CREDENTIALS_MISSING',
        });
    },
  );

  test('?clientId= where the operation does not document it, also with another method', async () => {
    expect(await sendWithHeaders(server, [], `${groupsPath}?clientId=${clientId}`)).toMatchObject({ status: 401 });
    expect(await sendWithHeaders(server, [pair], `${groupsPath}?clientId=another-client`)).toMatchObject(welcome);
  });

  test('a body, a cookie, or a header of a proxy', async () => {
    const lines = [
      `Cookie: access_token=${token}`,
      `X-Forwarded-User: ${clientId}`,
      `Proxy-${pair}`,
      `X-Forwarded-Authorization: Bearer ${token}`,
    ];
    expect(await sendWithHeaders(server, lines)).toMatchObject({ status: 401, code: 'CREDENTIALS_MISSING' });
  });
});

test('ignores headers of a proxy', async () => {
  const plain = [
    'X-Forwarded-For: 8.8.8.8',
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Port: 1',
    'Forwarded: for=8.8.8.8;host=evil.example',
    'X-Real-IP: 8.8.8.8',
    'X-HTTP-Method-Override: DELETE',
    'X-Original-URL: /healthz',
  ];
  for (let at = 0; at < 3; at += 1) await server.admin.groups.create({ body: { groupName: `forwarded-${at}` } });
  const response = await fetch(`${server.url}${groupsPath}?limit=2`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...Object.fromEntries(plain.map((line) => line.split(': ') as [string, string])),
    },
  });
  expect(response.status).toBe(206);
  expect(response.headers.get('link')).toMatch(new RegExp(`^<${server.url}/`));
  expect(await sendWithHeaders(server, [pair, ...plain])).toMatchObject(welcome);
});

test('counts failed logins for one source, whatever forwarding headers contain', async () => {
  const path = `${servicePrefix}/user-identities/login?clientId=${appClientId}`;
  const guess = (from: string) => {
    const lines = [
      formatBasicHeader('stranger', 'wrong'),
      `X-Forwarded-For: ${from}`,
      `Forwarded: for=${from}`,
      `ip: ${from}`,
    ];
    return sendWithHeaders(server, [...lines, 'Content-Length: 0'], path, 'POST');
  };
  for (let count = 0; count < 10; count += 1) expect(await guess(`10.0.0.${count}`)).toEqual(invalidCredentials);
  expect(await guess('10.0.1.1')).toMatchObject({ status: 429 });
});
