/** express-openid-connect, which logs in with PKCE, renews, and logs out at the server by itself. */
import express from 'express';
import openid from 'express-openid-connect';
import { readConfiguration } from './configuration.mjs';

const { auth, requiresAuth } = openid;
const { issuer, clientId, clientSecret, port, url } = readConfiguration();

const app = express();
app.use(
  auth({
    ...{ issuerBaseURL: issuer, baseURL: url, clientID: clientId, clientSecret },
    ...{ secret: 'a-secret-of-the-application-of-a-test', authRequired: false, idpLogout: true },
    authorizationParams: { response_type: 'code', scope: 'openid profile email' },
  }),
);
app.get('/', (request, response) => {
  response
    .type('html')
    .send(request.oidc.isAuthenticated() ? '<a href="/logout">Log out</a>' : '<a href="/login">Log in</a>');
});
app.get('/claims', requiresAuth(), async (request, response) => {
  response.json({ idToken: request.oidc.idTokenClaims, userinfo: await request.oidc.fetchUserInfo() });
});
app.get('/renewal', requiresAuth(), async (request, response) => {
  const { expires_in: seconds } = await request.oidc.accessToken.refresh();
  response.json(seconds);
});
app.use((error, _request, response, _next) => {
  response.status(error.status ?? 500).json(error.message);
});
app.listen(port, '127.0.0.1');
