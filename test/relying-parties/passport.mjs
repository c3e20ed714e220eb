/** passport-openidconnect in an Express application. It knows no PKCE, no discovery and no logout at the server. */
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';
import { readConfiguration } from './configuration.mjs';

const { issuer, clientId, clientSecret, port, url } = readConfiguration();
const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();

const strategy = new OpenIDConnectStrategy(
  {
    ...{ issuer, clientID: clientId, clientSecret, callbackURL: `${url}/callback` },
    authorizationURL: metadata.authorization_endpoint,
    tokenURL: metadata.token_endpoint,
    userInfoURL: metadata.userinfo_endpoint,
    scope: ['profile', 'email'],
  },
  (_issuer, profile, _context, idToken, _accessToken, refreshToken, done) =>
    done(null, { profile, idToken, refreshToken }),
);
passport.use(strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

/** As passport-oauth2-refresh does. */
function renew(refreshToken) {
  const parameters = { grant_type: 'refresh_token' };
  return new Promise((resolve, reject) => {
    strategy._oauth2.getOAuthAccessToken(refreshToken, parameters, (error, accessToken, nextToken, tokens) =>
      error ? reject(error) : resolve({ accessToken, refreshToken: nextToken, idToken: tokens.id_token }),
    );
  });
}

const app = express();
app.use(session({ secret: 'of-the-application-of-a-test', resave: false, saveUninitialized: false }));
app.use(passport.session());
app.get('/', (request, response) => response.json(request.user?.profile ?? null));
app.get('/login', passport.authenticate('openidconnect'));
app.get(
  '/callback',
  passport.authenticate('openidconnect', { successRedirect: '/', failWithError: true, failureMessage: true }),
);
app.get('/renewal', async (request, response) => {
  try {
    const { refreshToken, idToken } = await renew(request.user.refreshToken);
    Object.assign(request.user, { refreshToken, idToken });
    response.json('renewed');
  } catch (error) {
    response.status(401).json(JSON.parse(error.data).error);
  }
});
app.get('/logout', (request, response, next) => {
  const { idToken } = request.user;
  const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: `${url}/` });
  request.logout((error) => (error ? next(error) : response.redirect(`${metadata.end_session_endpoint}?${query}`)));
});
app.use((error, _request, response, _next) => {
  response.status(error.status ?? 500).json(error.message);
});
app.listen(port, '127.0.0.1');
