/** Unmodified third-party OAuth and OpenID clients against the built server, configured only with its issuer. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRemoteJWKSet, type JWTVerifyResult, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRunner, type Runner, type Served } from '../runner.ts';

/** Characters that form-encoding, Basic or a shell could spoil; %41 must not be decoded to an A. */
const secret = 'demo-only: 50%41 + ä/ö & "c=d"?#~';
const clientId = 'standard-web';
const user = { userName: 'ada', password: 'demo-only+password & more%' };
const grantTypes = ['client_credentials', 'password', 'refresh_token'];
const service = '/security/iam/v1';

/** YAML, of which JSON strings are part. */
const seed = `
clients:
  - clientId: ${clientId}
    clientSecret: ${JSON.stringify(secret)}
    appId: ${clientId}
    party: 1STPARTY
    scope: [READ, WRITE]
    grantTypes: [${grantTypes.join(', ')}]
users:
  - userId: ada
    userName: ${user.userName}
    password: ${JSON.stringify(user.password)}
    userEmail: ada@example.com
`;

let sandbox: Runner;
let served: Served;

beforeAll(async () => {
  sandbox = await makeRunner();
  await writeFile(sandbox.file('seed.yaml'), seed);
  served = await sandbox.serve(['--store', 'memory', '--seed', sandbox.file('seed.yaml')]);
});

afterAll(() => sandbox[Symbol.asyncDispose]());

/** Discovery with oauth4webapi, which validates the document. */
async function discovered(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(served.url);
  const response = await oauth.discoveryRequest(issuer, { [oauth.allowInsecureRequests]: true });
  return oauth.processDiscoveryResponse(issuer, response);
}

function required(value: string | undefined): string {
  if (value === undefined) throw new Error('The discovery document or the response lacks it.');
  return value;
}

/** Verifies a token only with the discovery metadata. */
async function verified(accessToken: string): Promise<JWTVerifyResult> {
  const { issuer, jwks_uri } = await discovered();
  const keys = createRemoteJWKSet(new URL(required(jwks_uri)));
  return jwtVerify(accessToken, keys, { issuer, audience: issuer, typ: 'at+jwt' });
}

/**
 * Both libraries evaluate the challenge that a 401 must have (RFC 9110, 15.5.2) before the body, and leave
 * the body unread: the error object of RFC 6749, 5.2.
 */
async function expectInvalidClient(grant: Promise<unknown>): Promise<void> {
  const error: unknown = await grant.catch((reason: unknown) => reason);
  if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
  expect(error).toMatchObject({ status: 401, cause: [{ scheme: 'basic' }] });
  expect(await error.response.json()).toEqual({
    error: 'invalid_client',
    error_description: expect.any(String) as string,
  });
}

describe('discovery', () => {
  test('returns issuer, token endpoint and keys on the requested address', async () => {
    const response = await fetch(`${served.url}/.well-known/openid-configuration`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toMatchObject({
      issuer: served.url,
      token_endpoint: `${served.url}/oauth2/token`,
      jwks_uri: `${served.url}/.well-known/jwks.json`,
    });
  });
});

describe('openid-client', () => {
  const logins: [string, (secret: string) => openid.ClientAuth][] = [
    ['client_secret_basic', openid.ClientSecretBasic],
    ['client_secret_post', openid.ClientSecretPost],
  ];

  const configured = (login: openid.ClientAuth): Promise<openid.Configuration> =>
    openid.discovery(new URL(served.url), clientId, undefined, login, { execute: [openid.allowInsecureRequests] });

  test.each(logins)('discovers the server and obtains a client token by %s', async (name, login) => {
    const config = await configured(login(secret));
    expect(config.serverMetadata().token_endpoint_auth_methods_supported).toContain(name);
    const token = await openid.clientCredentialsGrant(config, { scope: 'READ' });
    expect(token).toMatchObject({ token_type: 'bearer', scope: 'READ' });
    expect(token.expiresIn()).toBeGreaterThan(3500);
    expect(token.refresh_token).toBeUndefined();
    expect((await verified(token.access_token)).payload).toMatchObject({ iss: served.url, sub: clientId });
  });

  test.each(logins)('introspects and revokes tokens by %s', async (_name, login) => {
    const config = await configured(login(secret));
    const { access_token } = await openid.clientCredentialsGrant(config);
    expect(await openid.tokenIntrospection(config, access_token)).toMatchObject({
      ...{ active: true, client_id: clientId, sub: clientId, token_type: 'Bearer', iss: served.url },
    });
    await openid.tokenRevocation(config, access_token, { token_type_hint: 'access_token' });
    expect(await openid.tokenIntrospection(config, access_token)).toEqual({ active: false });
    await openid.tokenRevocation(config, 'unknown');
  });

  test('discovers the OAuth metadata of the server and of a sandbox', async () => {
    for (const issuer of [served.url, `${served.url}/s/standard`]) {
      const options = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] };
      const config = await openid.discovery(
        new URL(issuer),
        clientId,
        undefined,
        openid.ClientSecretBasic(secret),
        options,
      );
      expect(config.serverMetadata()).toMatchObject({
        issuer,
        grant_types_supported: expect.arrayContaining(grantTypes),
      });
      const { access_token } = await openid.clientCredentialsGrant(config);
      expect(await openid.tokenIntrospection(config, access_token)).toMatchObject({ active: true, iss: issuer });
    }
  });

  test.each(logins)('reports a wrong secret by %s', async (_name, login) => {
    const config = await configured(login('wrong'));
    await expectInvalidClient(openid.clientCredentialsGrant(config));
  });
});

describe('oauth4webapi', () => {
  const client: oauth.Client = { client_id: clientId };
  const basic = oauth.ClientSecretBasic(secret);
  const http = { [oauth.allowInsecureRequests]: true };

  async function clientToken(login: oauth.ClientAuth): Promise<oauth.TokenEndpointResponse> {
    const as = await discovered();
    const response = await oauth.clientCredentialsGrantRequest(as, client, login, { scope: 'READ WRITE' }, http);
    return oauth.processClientCredentialsResponse(as, client, response);
  }

  async function userToken(password: string): Promise<oauth.TokenEndpointResponse> {
    const as = await discovered();
    const pair = { username: user.userName, password };
    const response = await oauth.genericTokenEndpointRequest(as, client, basic, 'password', pair, http);
    return oauth.processGenericTokenEndpointResponse(as, client, response);
  }

  async function renewed(refreshToken: string): Promise<oauth.TokenEndpointResponse> {
    const as = await discovered();
    const response = await oauth.refreshTokenGrantRequest(as, client, basic, refreshToken, http);
    return oauth.processRefreshTokenResponse(as, client, response);
  }

  test('obtains a client token without a password', async () => {
    const token = await clientToken(basic);
    expect(token).toMatchObject({ token_type: 'bearer', scope: 'READ WRITE' });
    expect((await verified(token.access_token)).payload.sub).toBe(clientId);
  });

  test('logs a user in and renews the token; each refresh token is valid once', async () => {
    const first = await userToken(user.password);
    const second = await renewed(required(first.refresh_token));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const subjects = await Promise.all([first, second].map(({ access_token }) => verified(access_token)));
    expect(subjects.map(({ payload }) => payload.sub)).toEqual(['ada', 'ada']);
    const third = await renewed(required(second.refresh_token));
    expect((await verified(third.access_token)).payload.sub).toBe('ada');
    await expect(renewed(required(first.refresh_token))).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('revokes the refresh token of a user, and with it the session', async () => {
    const as = await discovered();
    const { access_token, refresh_token } = await userToken(user.password);
    const request = await oauth.revocationRequest(as, client, basic, required(refresh_token), http);
    expect(await oauth.processRevocationResponse(request)).toBeUndefined();
    const response = await oauth.introspectionRequest(as, client, basic, access_token, http);
    expect(await oauth.processIntrospectionResponse(as, client, response)).toEqual({ active: false });
    await expect(renewed(required(refresh_token))).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('distinguishes errors of client, user and refresh token', async () => {
    await expectInvalidClient(clientToken(oauth.ClientSecretBasic('wrong')));
    const grants = [() => userToken('a-wrong-password'), () => renewed('no-such-token')];
    for (const grant of grants) {
      const error: unknown = await grant().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(oauth.ResponseBodyError);
      expect(error).toMatchObject({ status: 400, error: 'invalid_grant' });
    }
  });
});

describe('Authlib', () => {
  /** The bytes that `OAuth2Session.revoke_token(url, token=..., token_type_hint=...)` sends. */
  test('revokes a token with the request of revoke_token', async () => {
    const { token_endpoint, revocation_endpoint } = await discovered();
    const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
    const headers = {
      Accept: 'application/json',
      Authorization: authorization,
      'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8',
    };
    const send = (url: string | undefined, body: string) => fetch(required(url), { method: 'POST', headers, body });
    const issued = await send(token_endpoint, 'grant_type=client_credentials');
    const { access_token } = (await issued.json()) as { access_token: string };
    const response = await send(revocation_endpoint, `token=${access_token}&token_type_hint=access_token`);
    expect([response.status, await response.json()]).toEqual([200, {}]);
    const groups = await fetch(`${served.url}${service}/groups`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(groups.status).toBe(401);
  });
});

describe('jose', () => {
  let accessToken: string;

  beforeAll(async () => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
    });
    const response = await fetch(required((await discovered()).token_endpoint), { method: 'POST', body });
    accessToken = ((await response.json()) as { access_token: string }).access_token;
  });

  test('verifies an access token with keys, issuer and audience from discovery', async () => {
    const { payload, protectedHeader } = await verified(accessToken);
    expect(protectedHeader).toMatchObject({ typ: 'at+jwt', kid: expect.any(String) as string });
    expect((await discovered()).id_token_signing_alg_values_supported).toContain(protectedHeader.alg);
    expect(payload).toMatchObject({ client_id: clientId, sub: clientId, exp: expect.any(Number) as number });
  });

  test('rejects changed claims and another audience', async () => {
    const [header, , signature] = accessToken.split('.');
    const forged = Buffer.from(JSON.stringify({ iss: served.url, aud: served.url, sub: 'admin' })).toString(
      'base64url',
    );
    await expect(verified(`${header}.${forged}.${signature}`)).rejects.toMatchObject({
      code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    });
    const keys = createRemoteJWKSet(new URL(required((await discovered()).jwks_uri)));
    await expect(jwtVerify(accessToken, keys, { audience: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'ERR_JWT_CLAIM_VALIDATION_FAILED',
      claim: 'aud',
    });
  });
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe('curl', () => {
  /** @returns the status and the JSON of the response */
  async function curl(...words: string[]): Promise<[status: number, body: unknown]> {
    const config = [
      '-q',
      '--silent',
      '--show-error',
      '--noproxy',
      '*',
      '--max-time',
      '20',
      '--write-out',
      '\n%{http_code}',
    ];
    const { code, out, err } = await sandbox.start('curl', [...config, ...words]).done;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const end = out.lastIndexOf('\n');
    return [Number(out.slice(end)), JSON.parse(out.slice(0, end))];
  }

  test('logs a client in with Basic and sends a request with the token', async (context) => {
    context.skip(!hasCurl, 'there is no curl here');
    const { IAM_CLIENT_ID, IAM_CLIENT_SECRET } = served.variables;
    const login = `${served.url}${service}/client-identities/login`;
    const [status, token] = await curl('-X', 'POST', '-u', `${IAM_CLIENT_ID}:${IAM_CLIENT_SECRET}`, login);
    expect([status, token]).toEqual([200, expect.objectContaining({ accessToken: expect.any(String) as string })]);
    const { accessToken } = token as { accessToken: string };
    const groups = `${served.url}${service}/groups`;
    expect((await curl('-H', `Authorization: Bearer ${accessToken}`, groups))[0]).toBe(200);
    expect((await curl(groups))[0]).toBe(401);
  });

  test('obtains a token with a form, with the secret in the form or in Basic', async (context) => {
    context.skip(!hasCurl, 'there is no curl here');
    const endpoint = required((await discovered()).token_endpoint);
    const form = ['-d', 'grant_type=client_credentials'];
    const inForm = [...form, '-d', `client_id=${clientId}`, '--data-urlencode', `client_secret=${secret}`];
    for (const words of [inForm, [...form, '-u', `${clientId}:${secret}`]]) {
      const [status, token] = await curl(...words, endpoint);
      expect([status, token]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })]);
      const { access_token } = token as { access_token: string };
      expect((await verified(access_token)).payload.sub).toBe(clientId);
    }
    expect(await curl(...form, '-u', `${clientId}:wrong`, endpoint)).toMatchObject([401, { error: 'invalid_client' }]);
  });
});
