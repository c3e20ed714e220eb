/** Claims: times are enforced to the second; issuer, audience, subject and client must match. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { callWithToken, createValidClaims, forgeToken, login, rejectedToken } from './forge.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** A valid token with this JSON text as the claim `name`; without the claim where it is undefined. */
function withClaim(name: string, json: string | undefined): Promise<string> {
  const { [name]: _left, ...others } = createValidClaims(server);
  const members = Object.entries(others).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`);
  return forgeToken(server, { payload: `{${members.join(',')}}` });
}

function fromNow(seconds: number): string {
  return String(Math.floor(server.clock.now().getTime() / 1000) + seconds);
}

describe('times', () => {
  const never = [
    '"2000000000"',
    '-1',
    '1e308',
    '-1e308',
    '1e999',
    'null',
    'true',
    '[2000000000]',
    '{}',
    '2000000000.5',
  ];
  test.each(['exp', 'iat', 'nbf'])('rejects a malformed %s', async (name) => {
    const odd = name === 'nbf' ? never.filter((json) => json !== '-1') : never;
    for (const json of odd)
      expect([json, await callWithToken(server, await withClaim(name, json))]).toEqual([json, rejectedToken]);
  });

  test.each(['exp', 'iat', 'sub', 'jti', 'iss', 'aud', 'client_id', 'app_id', 'scope', 'authorities'])(
    'rejects a token without %s',
    async (name) => {
      expect(await callWithToken(server, await withClaim(name, undefined))).toEqual(rejectedToken);
    },
  );

  test('rejects an expired token, and accepts one that expires in a second', async () => {
    for (const seconds of [-86_400, -1, 0])
      expect(await callWithToken(server, await withClaim('exp', fromNow(seconds)))).toEqual(rejectedToken);
    expect((await callWithToken(server, await withClaim('exp', fromNow(1)))).status).toBe(200);
  });

  test('rejects a token before its nbf', async () => {
    for (const seconds of [1, 3600])
      expect(await callWithToken(server, await withClaim('nbf', fromNow(seconds)))).toEqual(rejectedToken);
    expect((await callWithToken(server, await withClaim('nbf', fromNow(0)))).status).toBe(200);
  });

  test('rejects a token that was issued more than a minute in the future, the allowed clock skew', async () => {
    for (const seconds of [61, 86_400])
      expect(await callWithToken(server, await withClaim('iat', fromNow(seconds)))).toEqual(rejectedToken);
    expect((await callWithToken(server, await withClaim('iat', fromNow(60)))).status).toBe(200);
  });

  test('rejects a token that it accepted before when the clock is set back before its iat', async () => {
    const token = await withClaim('nbf', fromNow(0));
    expect((await callWithToken(server, token)).status).toBe(200);
    server.clock.advance(-1);
    expect(await callWithToken(server, token)).toEqual(rejectedToken);
    server.clock.advance(1);
    expect((await callWithToken(server, token)).status).toBe(200);
  });
});

describe('issuer and audience', () => {
  test.each(['iss', 'aud'])('rejects another %s', async (name) => {
    const url = server.url;
    const others = [
      '',
      'https://elsewhere.example',
      `${url}/`,
      `${url}.`,
      url.toUpperCase(),
      ` ${url}`,
      `${url}/x`,
      'null',
    ];
    for (const other of others)
      expect([other, await callWithToken(server, await withClaim(name, JSON.stringify(other)))]).toEqual([
        other,
        rejectedToken,
      ]);
  });

  test('accepts several audiences only if its own is among them', async () => {
    const url = JSON.stringify(server.url);
    const [other, near] = ['"https://elsewhere.example"', JSON.stringify(`${server.url}/`)];
    for (const json of [`[${url}]`, `[${url},${other}]`])
      expect(await callWithToken(server, await withClaim('aud', json))).toMatchObject({ status: 200 });
    for (const json of ['[]', `[${other},${near}]`, `[${url},1]`, `[[${url}]]`, `{"0":${url}}`])
      expect(await callWithToken(server, await withClaim('aud', json))).toEqual(rejectedToken);
  });

  test('rejects the token of another server with a client of the same name', async () => {
    await using other = await startServer();
    expect(await callWithToken(other, await login(server))).toEqual(rejectedToken);
    expect((await callWithToken(other, await login(other))).status).toBe(200);
  });
});

describe('subject and client', () => {
  test('rejects an unknown subject or client', async () => {
    for (const name of ['sub', 'client_id'])
      expect(await callWithToken(server, await withClaim(name, '"unknown"'))).toEqual(rejectedToken);
  });
});
