import { createPublicKey } from 'node:crypto';
import { createRemoteJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { adminClient, startServer } from '../../../harness.ts';
import { sharedServer } from '../access.ts';

const path = '/security/iam/v1/keys';

test.each(['ES256', 'RS256', 'RS512', 'PS256', 'EdDSA'])(
  'returns keys, found through discovery, that verify a token signed with %s',
  async (alg) => {
    await using server = await startServer({ flags: { 'signing-alg': alg } });
    const { accessToken } = await server.as(adminClient).clientIdentities.login();
    const discovered = await server.as().raw('GET', '/.well-known/openid-configuration');
    const { issuer, jwks_uri } = discovered.body as { issuer: string; jwks_uri: string };
    expect(jwks_uri).toBe(`${server.url}/.well-known/jwks.json`);
    const verified = await jwtVerify(accessToken, createRemoteJWKSet(new URL(jwks_uri)), {
      issuer,
      audience: issuer,
      typ: 'at+jwt',
      currentDate: server.clock.now(),
    });
    expect(verified.protectedHeader).toMatchObject({ alg, kid: expect.any(String) });
    expect(verified.payload).toMatchObject({ sub: adminClient.clientId });
    const { keys } = await server.as().keys.get();
    expect(keys).toEqual([expect.objectContaining({ alg, kid: verified.protectedHeader.kid, use: 'sig' })]);
  },
);

test('returns the same set as the root path, without private members', async () => {
  await using server = await startServer({ flags: { 'signing-alg': 'RS256' } });
  const { body } = await server.as().raw('GET', path);
  expect(body).toEqual((await server.as().raw('GET', '/.well-known/jwks.json')).body);
  const members = (body as JSONWebKeySet).keys.flatMap((key) => Object.keys(key));
  expect(members.toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
});

test('returns the current key as PEM when requested', async () => {
  await using server = await startServer();
  const headers = { accept: 'application/x-pem-file' };
  const response = await server.as().call('keys.get', { headers });
  expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'application/x-pem-file' } });
  // RFC 7468, 3: the post-encapsulation boundary ends with a line break, so that files can be concatenated.
  expect(String(response.body)).toMatch(/^-----BEGIN PUBLIC KEY-----\n[\s\S]+\n-----END PUBLIC KEY-----\n$/);
  const { keys } = await server.as().keys.get();
  const { x, y } = createPublicKey(String(response.body)).export({ format: 'jwk' });
  expect(keys).toMatchObject([{ x, y }]);
});

const shared = sharedServer();
test.each(['*/*', 'text/html', 'application/json', ''])('returns JSON for Accept %j', async (accept) => {
  const server = shared();
  const response = await server.as().call('keys.get', { headers: { accept } });
  expect(response).toMatchObject({ status: 200, body: { keys: [{ kty: 'EC' }] } });
});

test('ignores stale, malformed and repeated credentials', async () => {
  await using server = await startServer();
  const authorizations = ['Bearer stale', 'Basic eDp5', 'Basic !', 'Digest x', ''];
  for (const authorization of authorizations) {
    const headers = [['Authorization', authorization]] as const;
    expect(await server.send({ method: 'GET', path, headers })).toMatchObject({ status: 200 });
    const twice = [...headers, ['X-Api-Key', 'one'], ['X-Api-Key', 'two']] as const;
    expect(await server.send({ method: 'GET', path, headers: twice })).toMatchObject({ status: 200 });
  }
});
