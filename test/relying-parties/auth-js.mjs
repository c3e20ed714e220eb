/** Auth.js in an Express application, as its documentation describes it. */
import { getToken } from '@auth/core/jwt';
import { ExpressAuth } from '@auth/express';
import express from 'express';
import { readConfiguration } from './configuration.mjs';

const { issuer, clientId, clientSecret, port, url } = readConfiguration();
const secret = 'a-secret-of-the-application-of-a-test';

/** "Refresh token rotation" of the documentation, at each request of the session instead of after the expiry. */
async function renew(token) {
  const { token_endpoint: endpoint } = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token.refreshToken }),
  });
  const tokens = await response.json();
  if (!response.ok) return { ...token, error: tokens.error };
  return { ...token, refreshToken: tokens.refresh_token, idToken: tokens.id_token, renewals: token.renewals + 1 };
}

const app = express();
app.use(
  '/auth',
  ExpressAuth({
    secret,
    trustHost: true,
    providers: [
      {
        ...{ id: 'iam', name: 'IAM', type: 'oidc', issuer, clientId, clientSecret },
        authorization: { params: { scope: 'openid profile email' } },
        style: { logo: '/logo' },
        checks: ['pkce', 'state', 'nonce'],
      },
    ],
    callbacks: {
      jwt: ({ token, account, profile }) =>
        account
          ? { ...token, profile, refreshToken: account.refresh_token, idToken: account.id_token, renewals: 0 }
          : renew(token),
      session: ({ session, token: { profile, renewals, error } }) => ({ ...session, profile, renewals, error }),
    },
  }),
);
app.get('/', (_request, response) => {
  response.type('html').send('<a href="/auth/signin">Log in</a>');
});
app.get('/logout', async (request, response) => {
  const headers = { cookie: request.headers.cookie ?? '' };
  const token = await getToken({ req: { headers }, secret, salt: 'authjs.session-token' });
  const { end_session_endpoint: endpoint } = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  response.clearCookie('authjs.session-token');
  response.redirect(
    `${endpoint}?${new URLSearchParams({ id_token_hint: token?.idToken ?? '', post_logout_redirect_uri: `${url}/` })}`,
  );
});
app.listen(port, '127.0.0.1');
