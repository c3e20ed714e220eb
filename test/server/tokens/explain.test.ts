/**
 * The reason why a token was rejected: the control plane reports the first error, the response to the caller does not.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { createValidClaims, encodePart, type Forgery, forgeToken, readCurrentKey } from './forge.ts';

let server: TestServer;
let kid: string;
let now: number;

beforeAll(async () => {
  server = await startServer();
  ({ kid } = await readCurrentKey(server));
  now = Math.floor(server.clock.now().getTime() / 1000);
});
afterAll(() => server[Symbol.asyncDispose]());

/** The reason in the control plane for a request that was rejected with this token. */
async function reasonOf(token: string): Promise<string> {
  const response = await send(server, '/security/iam/v1/groups', { headers: { Authorization: `Bearer ${token}` } });
  expect(response.status).toBe(401);
  const explanation = await send(server, `/_iam/requests/${response.headers['x-request-id']}/why`);
  return (explanation.body as { credential: { reason: string } }).credential.reason;
}

const invalidSignature = () => Buffer.alloc(64);

/** A token with these members in its header; everything else is valid. */
async function withHeader(header: object, forgery: Forgery = {}): Promise<string> {
  return forgeToken(server, { header: { alg: 'ES256', kid, typ: 'at+jwt', ...header }, ...forgery });
}

async function withClaims(claims: object, forgery: Forgery = {}): Promise<string> {
  return withHeader({}, { payload: { ...createValidClaims(server), ...claims }, ...forgery });
}

test('reports an error of the header first', async () => {
  const payload = { ...createValidClaims(server), exp: now - 1 };
  expect(await reasonOf(await withHeader({ kid: undefined }, { payload }))).toBe(
    'Its header contains no key id (kid).',
  );
  expect(await reasonOf(await withHeader({ kid: 'other' }, { payload }))).toContain(
    'It expired at 2026-03-01T11:59:59.000Z, and is signed with a key that this server does not have: another server issued it',
  );
  expect(await reasonOf(await withHeader({ alg: 'ES384' }, { payload }))).toContain('algorithm differs from that');
  for (const typ of ['JWT', 'refresh+jwt', undefined])
    expect(await reasonOf(await withHeader({ typ }, { payload }))).toContain('but not an access token');
  expect(await reasonOf(await withHeader({ typ: 'AT+JWT' }, { payload }))).toContain('It expired at');
});

test('reports the issuer, then the audience', async () => {
  const elsewhere = { iss: 'https://elsewhere.example', aud: 'https://elsewhere.example', exp: now - 1 };
  expect(await reasonOf(await withClaims(elsewhere))).toBe(`It was issued by an issuer other than ${server.url}.`);
  for (const aud of [elsewhere.aud, [elsewhere.aud], [], undefined])
    expect(await reasonOf(await withClaims({ aud, exp: now - 1 }))).toBe('It has a different audience.');
  const both = [elsewhere.aud, server.url];
  expect(await reasonOf(await withClaims({ aud: both, exp: now - 1 }))).toContain('It expired at');
});

test('reports the time, to the second, before the signature', async () => {
  const expired = 'It expired at 2026-03-01T12:00:00.000Z.';
  expect(await reasonOf(await withClaims({ exp: now }, { signature: invalidSignature }))).toBe(expired);
  const early = 'It is not valid before 2026-03-01T12:00:01.000Z';
  expect(await reasonOf(await withClaims({ nbf: now + 1 }, { signature: invalidSignature }))).toBe(`${early}.`);
  const fromLater = await withClaims({ iat: now + 61, nbf: now }, { signature: invalidSignature });
  expect(await reasonOf(fromLater)).toBe(`${early}: the clock was set back.`);
  for (const claims of [{ exp: now + 1 }, { nbf: now }, { iat: now + 60 }])
    expect(await reasonOf(await withClaims(claims, { signature: invalidSignature }))).toContain('signature is invalid');
  for (const claims of [{ nbf: '9000000000' }, { exp: '1' }])
    expect(await reasonOf(await withClaims(claims))).toBe(`Its claim ${Object.keys(claims)[0]} has a wrong type.`);
});

test('reports times that are no valid dates', async () => {
  const latest = 8.64e12;
  expect(await reasonOf(await withClaims({ nbf: latest }))).toContain('not valid before +275760-09-13T00:00:00.000Z.');
  expect(await reasonOf(await withClaims({ nbf: latest + 1 }))).toContain('not valid before 8640000000001.');
  expect(await reasonOf(await withClaims({ exp: -latest - 1 }))).toContain('expired at -8640000000001.');
});

test('reports a malformed token where a part is missing, extra or not an object', async () => {
  const [header = '', payload = '', signature = ''] = (await forgeToken(server)).split('.');
  const odd = [
    `${header}.${payload}`,
    `${header}.${payload}.${signature}.${signature}`,
    `${encodePart('null')}.${payload}.${signature}`,
    `${header}.${encodePart('7')}.${signature}`,
    `${header}.${encodePart('{')}.${signature}`,
  ];
  for (const token of odd)
    expect([token, await reasonOf(token)]).toEqual([token, expect.stringContaining('not a JSON')]);
});
