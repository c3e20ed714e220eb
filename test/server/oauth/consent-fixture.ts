/** A user who let a third-party client do something after a login with a browser. */
import type { TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { password } from '../operations/user-identities/login-fixtures.ts';
import { codeChallenge, codeVerifier, createBrowser } from './browser.ts';
import { postFields } from './oauth-requests.ts';

const redirectURI = 'https://partner.example.com/callback';

/** Adds the client `partner`, to which alice agrees. @returns what exchanges the code of the client for tokens */
export async function consentToPartner(server: TestServer): Promise<() => Promise<Record<string, unknown>>> {
  const client = { clientId: 'partner', party: '3RDPARTY', browserLogin: true, redirectURI, idTokenAlg: 'ES256' };
  const grantTypes = ['authorization_code', 'refresh_token'];
  await send(server, '/_iam/seed', { method: 'POST', body: { clients: [{ ...client, grantTypes }] } });
  const query = new URLSearchParams({
    ...{ client_id: 'partner', response_type: 'code', scope: 'openid', redirect_uri: redirectURI },
    ...{ code_challenge: codeChallenge, code_challenge_method: 'S256' },
  });
  const browser = createBrowser();
  const first = await browser.get(`${server.url}/oauth2/authorize?${query}`);
  const page = await browser.submit(first, 'password', { user_name: 'alice', password });
  const { location = '' } = await browser.submit(page, 'consent', { decision: 'allow' });
  const code = new URL(location).searchParams.get('code') ?? '';
  const exchange = { code, redirect_uri: redirectURI, code_verifier: codeVerifier, client_id: 'partner' };
  return async () =>
    (await postFields(server, '/oauth2/token', { grant_type: 'authorization_code', ...exchange })).json;
}
