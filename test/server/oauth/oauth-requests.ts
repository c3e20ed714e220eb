/** Clients with tokens, and raw requests to the OAuth endpoints. */
import { hashSecret } from '../../../src/server/lib/secrets.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { startSession } from '../../../src/server/sessions/sessions.ts';
import { createLogonContent } from '../../../src/server/tokens/content.ts';
import { startServer, type TestServer, type TestServerOptions } from '../../harness.ts';
import { alice, basic, password } from '../operations/user-identities/login-fixtures.ts';

export const tokenPath = '/security/iam/v1/client-identities/connect/token';
export const revokePath = '/oauth2/revoke';
export const introspectPath = '/oauth2/introspect';

const grantTypes = ['client_credentials', 'password', 'refresh_token'];
const scope = ['READ', 'WRITE'];

/** `web` and `api` are first-party clients with a secret, `spa` has none, `partner` is a third-party client. */
export const seed: SeedDocument = {
  users: [alice],
  clients: [
    { clientId: 'web', appId: 'web', clientSecret: 'secret-of-the-web-client', grantTypes, scope },
    { clientId: 'api', appId: 'api', clientSecret: 'secret-of-the-api-client', grantTypes, scope },
    { clientId: 'spa', appId: 'spa', grantTypes: ['password', 'refresh_token'], scope },
    {
      clientId: 'partner',
      appId: 'partner',
      clientSecret: 'secret-of-the-partner-client',
      party: '3RDPARTY',
      grantTypes,
      scope,
    },
  ],
};

export const credentials = {
  web: basic('web', 'secret-of-the-web-client'),
  api: basic('api', 'secret-of-the-api-client'),
  partner: basic('partner', 'secret-of-the-partner-client'),
};

export type Confidential = keyof typeof credentials;

export const startOAuth = (options: TestServerOptions = {}): Promise<TestServer> => startServer({ seed, ...options });

export interface OAuthResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Sends a body as given. */
export async function postBody(
  server: TestServer,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<OAuthResponse> {
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
  const json = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: Object.fromEntries(response.headers), json };
}

/** Sends a form, as the client with this authorization. */
export function postFields(
  server: TestServer,
  path: string,
  fields: Readonly<Record<string, string>>,
  authorization?: string,
): Promise<OAuthResponse> {
  return postBody(server, path, new URLSearchParams(fields).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
    ...(authorization === undefined ? {} : { authorization }),
  });
}

export interface OAuthTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Obtains a token of a client for itself. */
export async function clientToken(server: TestServer, client: Confidential, more = {}): Promise<string> {
  const fields = { grant_type: 'client_credentials', ...more };
  const { status, json } = await postFields(server, tokenPath, fields, credentials[client]);
  if (status !== 200) throw new Error(JSON.stringify(json));
  return (json as unknown as OAuthTokens).access_token;
}

/** Logs Alice in through a client. */
export async function userTokens(server: TestServer, client: 'web' | 'api' | 'spa', more = {}): Promise<OAuthTokens> {
  const fields = { grant_type: 'password', username: alice.userName, password, ...more };
  const { status, json } =
    client === 'spa'
      ? await postFields(server, tokenPath, { ...fields, client_id: 'spa' })
      : await postFields(server, tokenPath, fields, credentials[client]);
  if (status !== 200) throw new Error(JSON.stringify(json));
  return json as unknown as OAuthTokens;
}

/** Whether the server accepts an access token: a missing role is 403, an invalid token 401. */
export async function isAccepted(server: TestServer, accessToken: string): Promise<boolean> {
  return (await server.as({ token: accessToken }).raw('GET', '/security/iam/v1/groups')).status !== 401;
}

/** Whether a refresh token can be used; using it rotates it. */
export async function canRenew(server: TestServer, refreshToken: string, client: Confidential): Promise<boolean> {
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
  return (await postFields(server, tokenPath, fields, credentials[client])).status === 200;
}

/** Stores an API key for a client, and returns it. */
export async function apiKeyOf(server: TestServer, clientId: string): Promise<string> {
  const apiKey = `key-of-${clientId}`;
  await server.appContext.store.transaction((tx) =>
    tx.apiKeys.insert({
      ...{ apiKeyId: apiKey, appId: 'test', clientId, keyHash: hashSecret(apiKey), hint: 'key' },
      createdAt: server.clock.now().toISOString(),
    }),
  );
  return apiKey;
}

/** Issues a token for a mainframe logon that is linked to no user. */
export async function issueLogonToken(server: TestServer, clientId: string): Promise<string> {
  const { store, issuer } = server.appContext;
  const client = await store.clients.get(clientId);
  if (!client) throw new Error('unknown client');
  const options = { client, level: 'AUTH-BASIC', remember: false, renewable: false, logon: 'LOGON1' } as const;
  const { session } = await store.transaction((tx) => startSession(tx, options, server.appContext));
  return (await issuer.issue(createLogonContent('LOGON1', { session, client }))).accessToken;
}
