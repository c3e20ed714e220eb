/** Applications that users log in to, and their requests. */
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import type { TestServer } from '../../harness.ts';
import { alice, basic } from '../operations/user-identities/login-fixtures.ts';
import { codeChallenge, codeVerifier, type Page } from './browser.ts';
import { postFields } from './oauth-requests.ts';

export const callback = 'https://app.example.com/callback';

const secret = 'secret-of-the-web-client';
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** RSA keys take long to generate. */
const idTokenAlg = 'ES256' as const;
const common = { clientSecret: secret, redirectURI: callback, scope: ['READ'], idTokenAlg };
const grantTypes = ['authorization_code', 'refresh_token', deviceGrant];

export const seed: SeedDocument = {
  users: [alice, { userId: 'bob-id', userName: 'bob' }],
  clients: [
    { ...common, clientId: 'web', appId: 'Shop', grantTypes },
    { ...common, clientId: 'partner', appId: 'Partner', grantTypes, party: '3RDPARTY', browserLogin: true },
    { ...common, clientId: 'tv', appId: 'Living room', grantTypes, clientSecret: undefined },
    { ...common, clientId: 'plain', appId: 'plain', grantTypes: ['password'] },
  ],
};

export type Changes = Readonly<Record<string, string | undefined>>;
type Fields = Readonly<Record<string, string>>;

export function withoutUndefined(fields: Changes): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The parameters of a request of `web` for a login, with these changes. */
export function createRequest(changes: Changes = {}): Fields {
  return withoutUndefined({
    ...{ client_id: 'web', response_type: 'code', redirect_uri: callback, scope: 'openid', state: 's t', nonce: 'n-1' },
    ...{ code_challenge: codeChallenge, code_challenge_method: 'S256', ...changes },
  });
}

export function authorizeUrl(server: Pick<TestServer, 'url'>, changes: Changes = {}): string {
  return `${server.url}/oauth2/authorize?${new URLSearchParams(createRequest(changes))}`;
}

/** The parameters at the redirect URI. */
export function readAnswer({ location = '', text }: Page): Fields {
  if (location === '') throw new Error(`no redirect: ${text}`);
  return Object.fromEntries(new URL(location).searchParams);
}

export function postAs(server: TestServer, clientId: string, path: string, fields: Changes) {
  return postFields(server, path, withoutUndefined(fields), basic(clientId, secret));
}

export function redeem(server: TestServer, code = '', { clientId = 'web', ...changes }: Changes = {}) {
  const proof = { redirect_uri: callback, code_verifier: codeVerifier };
  const fields = { grant_type: 'authorization_code', code, ...proof, ...changes };
  return postAs(server, clientId, '/oauth2/token', fields);
}
