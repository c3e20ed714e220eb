/** The metadata document (RFC 8414) is true: what it names works, and nothing else does. */
import * as oauth from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../src/testcontainers/free-port.ts';
import type { TestServer } from '../../harness.ts';
import { alice, password } from '../operations/user-identities/login-fixtures.ts';
import { clientToken, credentials, postFields, startOAuth, userTokens } from './oauth-requests.ts';

interface Metadata {
  readonly issuer: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
  readonly introspection_endpoint: string;
  readonly jwks_uri: string;
  readonly grant_types_supported: string[];
  readonly response_types_supported: string[];
  readonly token_endpoint_auth_methods_supported: string[];
  readonly revocation_endpoint_auth_methods_supported: string[];
  readonly introspection_endpoint_auth_methods_supported: string[];
  readonly id_token_signing_alg_values_supported?: string[];
}

const oauthPath = '/.well-known/oauth-authorization-server';
const openIdPath = '/.well-known/openid-configuration';

async function fetchMetadata(url: string): Promise<Metadata> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  return (await response.json()) as Metadata;
}

const pathOf = (server: TestServer, endpoint: string) => endpoint.slice(server.url.length);

describe('the metadata document', () => {
  test('has the fields of RFC 8414, without null values', async () => {
    await using server = await startOAuth();
    const metadata = await fetchMetadata(`${server.url}${oauthPath}`);
    expect(metadata).toEqual({
      issuer: server.url,
      jwks_uri: `${server.url}/.well-known/jwks.json`,
      authorization_endpoint: `${server.url}/oauth2/authorize`,
      token_endpoint: `${server.url}/oauth2/token`,
      pushed_authorization_request_endpoint: `${server.url}/oauth2/par`,
      require_pushed_authorization_requests: false,
      device_authorization_endpoint: `${server.url}/oauth2/device_authorization`,
      userinfo_endpoint: `${server.url}/oauth2/userinfo`,
      end_session_endpoint: `${server.url}/oauth2/logout`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      grant_types_supported: [
        ...['client_credentials', 'password', 'refresh_token', 'authorization_code'],
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      scopes_supported: ['openid', 'profile', 'email', 'phone', 'offline_access', 'roles'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      revocation_endpoint: `${server.url}/oauth2/revoke`,
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      introspection_endpoint: `${server.url}/oauth2/introspect`,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'Bearer'],
    });
    expect(await fetchMetadata(`${server.url}${openIdPath}`)).toEqual({
      ...metadata,
      subject_types_supported: ['public'],
      acr_values_supported: ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account', 'create'],
      claims_supported: expect.arrayContaining(['sub', 'email', 'roles']),
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    });
  });

  test('names the algorithms of ID tokens, whatever signs access tokens', async () => {
    await using server = await startOAuth({ flags: { 'signing-alg': 'EdDSA' } });
    const { id_token_signing_alg_values_supported: algorithms } = await fetchMetadata(`${server.url}${openIdPath}`);
    expect(algorithms).toEqual(['RS256', 'ES256']);
  });

  test('is found by a client library at both paths', async () => {
    await using server = await startOAuth();
    const issuer = new URL(server.url);
    for (const algorithm of ['oauth2', 'oidc'] as const) {
      const response = await oauth.discoveryRequest(issuer, { algorithm, [oauth.allowInsecureRequests]: true });
      expect(await oauth.processDiscoveryResponse(issuer, response)).toMatchObject({ issuer: server.url });
    }
  });

  test.each([oauthPath, openIdPath])('%s allows GET and HEAD only, and loopback origins', async (path) => {
    await using server = await startOAuth();
    const head = await fetch(`${server.url}${path}`, { method: 'HEAD', headers: { origin: 'http://localhost:3000' } });
    expect(head.status).toBe(200);
    expect(head.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
    const post = await fetch(`${server.url}${path}`, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('grant types', () => {
  test('that are named work', async () => {
    await using server = await startOAuth();
    const { grant_types_supported, token_endpoint } = await fetchMetadata(`${server.url}${oauthPath}`);
    const { refresh_token } = await userTokens(server, 'web');
    const fields = { username: alice.userName, password, refresh_token };
    // Codes need a login: browser-login.test.ts and device.test.ts.
    for (const grant_type of grant_types_supported.filter((name) => !name.endsWith('_code'))) {
      const { status, json } = await postFields(
        server,
        pathOf(server, token_endpoint),
        { grant_type, ...fields },
        credentials.web,
      );
      expect([grant_type, status, typeof json.access_token]).toEqual([grant_type, 200, 'string']);
    }
  });

  const others = [
    'implicit',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:ietf:params:oauth:grant-type:saml2-bearer',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:openid:params:grant-type:ciba',
    'Password',
    'constructor',
  ];
  test('other than those are rejected', async () => {
    await using server = await startOAuth();
    const { grant_types_supported, token_endpoint } = await fetchMetadata(`${server.url}${oauthPath}`);
    for (const grant_type of others) {
      expect(grant_types_supported).not.toContain(grant_type);
      const fields = { grant_type, code: 'x', assertion: 'x', device_code: 'x', subject_token: 'x' };
      const response = await postFields(server, pathOf(server, token_endpoint), fields, credentials.web);
      expect(response, grant_type).toMatchObject({ status: 400, json: { error: 'unsupported_grant_type' } });
    }
  });
});

describe('client authentication', () => {
  type Send = (server: TestServer, path: string, fields: Record<string, string>) => Promise<{ status: number }>;
  const secret = { client_id: 'web', client_secret: 'secret-of-the-web-client' };
  const methods: Record<string, Send> = {
    client_secret_basic: (server, path, fields) => postFields(server, path, fields, credentials.web),
    client_secret_post: (server, path, fields) => postFields(server, path, { ...fields, ...secret }),
    none: (server, path, fields) => postFields(server, path, { ...fields, client_id: 'spa' }),
    Bearer: async (server, path, fields) =>
      postFields(server, path, fields, `Bearer ${await clientToken(server, 'web')}`),
  };

  test.each(['token', 'revocation', 'introspection'] as const)(
    'with the methods of the %s endpoint works, and with no other one',
    async (name) => {
      await using server = await startOAuth();
      const metadata = await fetchMetadata(`${server.url}${oauthPath}`);
      const path = pathOf(server, metadata[`${name}_endpoint`]);
      const named = metadata[`${name}_endpoint_auth_methods_supported`];
      expect(Object.keys(methods)).toEqual(expect.arrayContaining(named));
      const fields =
        name === 'token' ? { grant_type: 'password', username: alice.userName, password } : { token: 'unknown' };
      const works = [];
      for (const [method, send] of Object.entries(methods))
        if ((await send(server, path, fields)).status === 200) works.push(method);
      // Bearer is registered for introspection only; the other endpoints accept it too.
      expect(works.filter((method) => method !== 'Bearer')).toEqual(named.filter((method) => method !== 'Bearer'));
    },
  );

  test.each([
    ['client_secret_jwt', { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' }],
    ['private_key_jwt', { client_assertion: 'a.b.c', client_id: 'web' }],
  ])('with %s is rejected', async (_method, fields) => {
    await using server = await startOAuth();
    const { token_endpoint } = await fetchMetadata(`${server.url}${oauthPath}`);
    const body = { grant_type: 'client_credentials', ...fields };
    expect(await postFields(server, pathOf(server, token_endpoint), body)).toMatchObject({
      status: 401,
      json: { error: 'invalid_client' },
    });
  });
});

describe('the issuer of a sandbox', () => {
  test.each([oauthPath, openIdPath])('has metadata below it, and with its path inserted after %s', async (path) => {
    await using server = await startOAuth();
    const issuer = `${server.url}/s/checkout`;
    const appended = await fetchMetadata(`${issuer}${path}`);
    expect(appended).toMatchObject({
      issuer,
      token_endpoint: `${issuer}/oauth2/token`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      revocation_endpoint: `${issuer}/oauth2/revoke`,
      introspection_endpoint: `${issuer}/oauth2/introspect`,
    });
    expect(await fetchMetadata(`${server.url}${path}/s/checkout`)).toEqual(appended);
    for (const endpoint of [appended.token_endpoint, appended.revocation_endpoint, appended.introspection_endpoint])
      expect((await fetch(endpoint, { method: 'POST' })).status).toBe(415);
  });

  test('is not found for names and paths that no sandbox has', async () => {
    await using server = await startOAuth();
    for (const path of ['/s/', '/s/..', '/s/a/b', '/s/a/', '/x', '/s/%2e', '/'])
      expect([path, (await fetch(`${server.url}${oauthPath}${path}`)).status]).toEqual([path, 404]);
  });
});

test('a base URL with a path has metadata with its path inserted', async () => {
  const port = String(await freePort());
  const issuer = `http://127.0.0.1:${port}/iam`;
  await using server = await startOAuth({ flags: { port, 'base-url': issuer } });
  const origin = new URL(server.url).origin;
  for (const path of [oauthPath, `${oauthPath}/iam`, openIdPath, `${openIdPath}/iam`])
    expect((await fetchMetadata(`${origin}${path}`)).issuer).toBe(issuer);
  expect((await fetchMetadata(`${origin}${oauthPath}/iam/s/one`)).issuer).toBe(`${issuer}/s/one`);
});
