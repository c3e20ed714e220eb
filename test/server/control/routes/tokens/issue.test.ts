/** Test tokens: this service rejects each wrong one, says why, and marks the request. */
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../../../src/contract/prefix.ts';
import { fixedClaims, omittableClaims } from '../../../../../src/contract/testing/test-tokens.ts';
import { AccessClaims } from '../../../../../src/server/tokens/claims.ts';
import type { KeyRing } from '../../../../../src/server/tokens/keys.ts';
import { signTestToken } from '../../../../../src/server/tokens/test-tokens.ts';
import { adminClient, appClientId, startServer, type TestServer } from '../../../../harness.ts';
import { createMemorySink } from '../../../audit/memory-sink.ts';
import { sharedServer } from '../../../operations/access.ts';
import { userToken } from '../../../operations/user-token.ts';
import { send } from '../../control-client.ts';

const path = '/_iam/tokens';

async function issue(server: TestServer, body: object) {
  const response = await send(server, path, { method: 'POST', body: { for: adminClient.clientId, ...body } });
  expect(response).toMatchObject({ status: 201 });
  return response.body as { accessToken: string; sessionId?: string };
}

/** Lists API keys, with the explanation of the request. */
async function use(server: TestServer, token: string) {
  const headers = { Authorization: `Bearer ${token}` };
  const { status, headers: received } = await send(server, `${servicePrefix}/api-key`, { headers });
  const entry = await send(server, `/_iam/requests/${received['x-request-id']}`);
  const why = await send(server, `/_iam/requests/${received['x-request-id']}/why`);
  const { testToken } = entry.body as { testToken?: string };
  const { credential, testToken: explained } = why.body as { credential: { reason?: string }; testToken?: string };
  expect(explained).toBe(testToken);
  return { status, testToken, reason: credential.reason };
}

const other = 'https://other.example';

describe('a test token', () => {
  // The audit log records the subject of each token, in the place where the claims are obtained.
  const shared = sharedServer(() => startServer({ audit: createMemorySink() }));

  test.each([
    [{ claims: { aud: other } }, 'aud', 'It has a different audience.'],
    [{ claims: { aud: [other] } }, 'aud', 'It has a different audience.'],
    [{ omit: ['aud'] }, 'without aud', 'It has a different audience.'],
    [{ claims: { iss: other } }, 'iss', /^It was issued by an issuer other than http/],
    [{ notBefore: 600 }, 'notBefore=600', /^It is not valid before [^:]+T[\d:.]+Z\.$/],
    [{ expiresIn: -60 }, 'expiresIn=-60', /^It expired at /],
    [{ claims: { exp: 'soon' } }, 'exp', 'Its claim exp has a wrong type.'],
    [{ omit: ['exp'] }, 'without exp', 'It has no claim exp.'],
    [{ omit: ['sub', 'jti'] }, 'without sub, without jti', 'It has no claim sub.'],
    [{ omit: ['authorities'] }, 'without authorities', 'It has no claim authorities.'],
    [{ claims: { jti: 'no-uuid' } }, 'jti', 'Its claim jti has a wrong type.'],
    [{ claims: { sub: 'another' } }, 'sub', 'The token names a subject other than its client.'],
    [{ claims: { client_id: 'unknown' } }, 'client_id', 'The client that the token was issued to no longer exists.'],
    [{ alg: 'none' }, 'alg=none', 'It is not signed: its algorithm is none.'],
    [{ alg: 'HS256' }, 'alg=HS256', 'Its algorithm differs from that of its key.'],
    [{ alg: 'EdDSA' }, 'alg=EdDSA', 'Its algorithm differs from that of its key.'],
    [{ kid: 'unknown' }, 'kid=unknown', /^It is signed with a key that this server does not have/],
    [{ typ: 'JWT' }, 'typ=JWT', 'It is a token of this server, but not an access token.'],
    [{ signature: 'broken' }, 'signature=broken', /^Its signature is invalid/],
    [{ signature: 'wrong-key' }, 'signature=wrong-key', /^Its signature is invalid/],
  ])('of %j is rejected with the reason, and marked', async (changes, testToken, reason) => {
    const { accessToken } = await issue(shared(), changes);
    const found = await use(shared(), accessToken);
    expect(found).toMatchObject({ status: 401, testToken });
    expect(found.reason).toMatch(reason);
  });

  test('with a broken HMAC has another signature than one with an HMAC', async () => {
    const sign = async (signature?: 'broken') => {
      const keys = { current: () => ({ alg: 'ES256', kid: 'k1' }), currentPem: async () => 'PEM' };
      return signTestToken({ sub: 'ann' }, keys as unknown as KeyRing, { alg: 'HS256', signature });
    };
    expect(await sign('broken')).not.toBe(await sign());
  });

  test('has the claims and the header of the request, and otherwise those of a normal token', async () => {
    const claims = { aud: ['a', 'b'], sub: 'someone', extra: { list: [1] } };
    const { accessToken } = await issue(shared(), { claims, kid: 'k1', omit: ['scope'], notBefore: -5, expiresIn: 60 });
    const found = decodeJwt(accessToken);
    expect(decodeProtectedHeader(accessToken)).toEqual({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' });
    expect(found).toMatchObject({ ...claims, stand_in: true, client_id: adminClient.clientId });
    expect([found.nbf, found.exp]).toEqual([(found.iat ?? 0) - 5, (found.iat ?? 0) + 60]);
    expect(found).not.toHaveProperty('scope');
  });

  test('without a change is a normal one, and marked', async () => {
    const { accessToken } = await issue(shared(), {});
    expect(await use(shared(), accessToken)).toEqual({ status: 200, testToken: 'unchanged', reason: undefined });
    const normal = (await shared().admin.clientIdentities.login()).accessToken;
    expect(await use(shared(), normal)).toMatchObject({ status: 200, testToken: undefined });
  });

  test.each([
    [{ claims: { sid: 'x' } }, 'claims.sid', /must be absent/],
    [{ claims: { stand_in: false } }, 'claims.stand_in', /must be absent/],
    [{ omit: ['stand_in'] }, 'omit[0]', /iss.*aud.*sub/],
    [{ alg: 'HS512' }, 'alg', /ES256.*HS256.*none/],
    [{ signature: 'bad' }, 'signature', /broken.*wrong-key/],
    [{ expiresIn: 86_401 }, 'expiresIn', /from -86400 to 86400/],
    [{ level: 'AUTH-MFA' }, 'level', /tokens of users/],
    [{ claims: { exp: 1 }, expiresIn: 60 }, 'expiresIn', /claims or omit has exp/],
    [{ omit: ['exp'], expiresIn: 5 }, 'expiresIn', /claims or omit has exp/],
    [{ claims: { nbf: 1 }, notBefore: 5 }, 'notBefore', /claims or omit has nbf/],
    [{ claims: { sub: 'x' }, omit: ['sub'] }, 'omit', /must not have sub/],
    [{ alg: 'none', signature: 'broken' }, 'signature', /none has no signature/],
    [{ alg: 'HS256', signature: 'wrong-key' }, 'signature', /HS256 has another key/],
    [{ kind: 'id' }, 'kind', /unknown/i],
  ])('is rejected at once if the request is invalid: %j', async (changes, field, message) => {
    const body = { for: adminClient.clientId, ...changes };
    const response = await send(shared(), path, { method: 'POST', body });
    expect(response).toMatchObject({
      status: 400,
      body: [{ details: { field }, message: expect.stringMatching(message) }],
    });
  });

  test('can lack every claim but those that bind and mark it', () => {
    const names = Object.keys(AccessClaims.shape).filter((name) => name !== 'nbf');
    expect([...omittableClaims, ...fixedClaims].sort()).toEqual(names.sort());
  });
});

describe('a test token of a user', () => {
  test('belongs to a session, and has no role that the store does not grant', async () => {
    await using server = await startServer();
    await userToken(server, { userId: 'ann' });
    const authorities = ['ROLE_ADMIN', 'ROLE_AUTH-MFA', 'ROLE_CLI-1STPARTY', 'ROLE_CLI-AUTH-IDENTIFIED'];
    const { accessToken, sessionId } = await issue(server, { for: 'ann', claims: { authorities } });
    expect(decodeJwt(accessToken)).toMatchObject({ sub: 'ann', sid: sessionId, client_id: appClientId, authorities });
    // It is accepted, but ann has no role for this operation.
    expect(await use(server, accessToken)).toMatchObject({ status: 403, testToken: 'authorities' });
    await server.admin.userIdentities.lock({ body: { userId: 'ann', reason: 'lost' } });
    expect(await use(server, accessToken)).toMatchObject({ status: 401 });
    expect(await send(server, path, { method: 'POST', body: { for: 'ann' } })).toMatchObject({
      status: 412,
      body: [{ code: 'USER_LOCKED' }],
    });
  });

  test('that names another user is rejected', async () => {
    await using server = await startServer();
    for (const userId of ['ann', 'bob']) await userToken(server, { userId });
    for (const [claims, reason] of [
      [{ sub: 'bob', user_id: 'bob' }, 'The session of the token belongs to another user.'],
      [{ sub: 'bob' }, 'The token names a subject other than its user.'],
    ]) {
      const { accessToken } = await issue(server, { for: 'ann', claims });
      expect(await use(server, accessToken)).toMatchObject({ status: 401, reason });
    }
  });
});

test.each([[{ 'allow-remote': true, 'test-features': 'on' }], [{ 'test-features': 'off' }]])(
  'a server with %j issues none',
  async (flags) => {
    await using server = await startServer({ flags });
    const headers = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };
    expect(await send(server, path, { method: 'POST', headers, body: { for: adminClient.clientId } })).toMatchObject({
      status: 412,
      body: [{ code: 'TEST_FEATURES_OFF' }],
    });
  },
);
