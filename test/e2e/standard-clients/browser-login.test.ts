/** openid-client and oauth4webapi log a user in with a browser, renew, read the claims and log out, configured only with the issuer. */
import { writeFile } from 'node:fs/promises';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBrowser, type TestBrowser } from '../../server/oauth/browser.ts';
import { makeRunner, type Runner, type Served } from '../runner.ts';

const clientId = 'shop';
/** Characters that form-encoding or Basic could spoil. */
const secret = 'demo-only: 50%41 + ä/ö & "c=d"?#~';
const user = { userName: 'ada', password: 'demo-only+password & more%' };
const callback = 'https://shop.example/callback';
const goodbye = 'https://shop.example/bye';
const scope = 'openid profile email';
const claims = { sub: 'ada-id', preferred_username: 'ada', email: 'ada@example.com', email_verified: true };

const seed = {
  users: [{ userId: 'ada-id', ...user, userEmail: 'ada@example.com' }],
  clients: [
    {
      ...{ clientId, appId: clientId, clientSecret: secret, redirectURI: callback, postLogoutRedirectURIs: [goodbye] },
      grantTypes: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    },
  ],
};

let runner: Runner;
let served: Served;
let browser: TestBrowser;

beforeAll(async () => {
  runner = await makeRunner();
  await writeFile(runner.file('seed.json'), JSON.stringify(seed));
  served = await runner.serve(['--store', 'memory', '--seed', runner.file('seed.json')]);
});
afterAll(() => runner[Symbol.asyncDispose]());
beforeEach(() => {
  browser = createBrowser();
});

/** What the browser brings to the application. */
async function logIn(address: URL): Promise<URL> {
  const page = await browser.get(address.href);
  const { location } = await browser.submit(page, 'password', { user_name: user.userName, password: user.password });
  return new URL(String(location));
}

/** Where the browser goes after it was sent to log out. */
async function logOut(address: URL): Promise<string | undefined> {
  return (await browser.get(address.href)).location;
}

describe('openid-client', () => {
  const configure = (): Promise<openid.Configuration> =>
    openid.discovery(new URL(served.url), clientId, secret, openid.ClientSecretBasic(secret), {
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    });

  test.each([
    ['query', scope],
    ['form_post', `${scope} offline_access`],
  ])('logs in with PKCE, response mode %s and scope %s', async (mode, scope) => {
    const isOffline = scope.includes('offline_access');
    const config = await configure();
    const [verifier, nonce, state] = [openid.randomPKCECodeVerifier(), openid.randomNonce(), openid.randomState()];
    const address = openid.buildAuthorizationUrl(config, {
      ...{ redirect_uri: callback, scope, nonce, state, response_mode: mode, max_age: '600' },
      ...{ code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    });
    const checks = { pkceCodeVerifier: verifier, expectedNonce: nonce, expectedState: state, maxAge: 600 };
    const tokens = await openid.authorizationCodeGrant(config, await respond(address, mode), checks);
    const idToken = tokens.claims();
    expect(idToken).toMatchObject({ ...claims, acr: 'AUTH-BASIC', amr: ['pwd'] });
    // Offline access does not depend on the session of the browser.
    expect(idToken?.sid).toEqual(isOffline ? undefined : expect.any(String));
    expect(await openid.fetchUserInfo(config, tokens.access_token, 'ada-id')).toEqual({ ...claims, name: 'ada' });
    const renewed = await openid.refreshTokenGrant(config, String(tokens.refresh_token));
    expect(renewed.claims()).toMatchObject({
      sub: 'ada-id',
      auth_time: idToken?.auth_time,
      ...(isOffline ? {} : { sid: idToken?.sid }),
    });
    const logout = { post_logout_redirect_uri: goodbye, id_token_hint: String(tokens.id_token), state: 'a b' };
    expect(await logOut(openid.buildEndSessionUrl(config, logout))).toBe(`${goodbye}?state=a+b`);
    if (isOffline) await openid.tokenRevocation(config, String(renewed.refresh_token));
    await expect(openid.fetchUserInfo(config, renewed.access_token, 'ada-id')).rejects.toMatchObject({
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    });
  });

  /** What the application gets: in the address, or in the form that the browser would send. */
  async function respond(address: URL, mode: string): Promise<URL | Request> {
    if (mode === 'query') return logIn(address);
    const page = await browser.get(address.href);
    const done = await browser.submit(page, 'password', { user_name: user.userName, password: user.password });
    const inputs = [...done.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
    const body = new URLSearchParams(Object.fromEntries(inputs.map(([, name, value = '']) => [name, value])));
    return new Request(callback, { method: 'POST', body });
  }

  test('pushes the request, and logs a device in', async () => {
    const config = await configure();
    const verifier = openid.randomPKCECodeVerifier();
    const address = await openid.buildAuthorizationUrlWithPAR(config, {
      ...{ redirect_uri: callback, scope, code_challenge_method: 'S256' },
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    });
    expect([...address.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const tokens = await openid.authorizationCodeGrant(config, await logIn(address), { pkceCodeVerifier: verifier });
    expect(tokens.claims()).toMatchObject(claims);

    const device = await openid.initiateDeviceAuthorization(config, { scope });
    const confirmation = await browser.submit(await browser.get(String(device.verification_uri_complete)), '', {
      user_code: device.user_code,
    });
    expect((await browser.submit(confirmation, 'consent', { decision: 'allow' })).status).toBe(200);
    const ofDevice = await openid.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
    expect(ofDevice.claims()).toMatchObject(claims);
  });

  test('reports what the user and the server refuse', async () => {
    const config = await configure();
    const verifier = openid.randomPKCECodeVerifier();
    const parameters = {
      ...{ redirect_uri: callback, scope: 'openid', code_challenge_method: 'S256' },
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    };
    const exchange = (response: string | undefined, pkceCodeVerifier = verifier) =>
      openid.authorizationCodeGrant(config, new URL(String(response)), { pkceCodeVerifier });
    const silent = await browser.get(openid.buildAuthorizationUrl(config, { ...parameters, prompt: 'none' }).href);
    await expect(exchange(silent.location)).rejects.toMatchObject({ error: 'login_required' });
    const page = await browser.get(openid.buildAuthorizationUrl(config, parameters).href);
    const { location } = await browser.submit(page, 'cancel');
    await expect(exchange(location)).rejects.toMatchObject({ error: 'access_denied' });
    const response = (await logIn(openid.buildAuthorizationUrl(config, parameters))).href;
    await expect(exchange(response, openid.randomPKCECodeVerifier())).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

test('oauth4webapi logs in, renews, reads the claims and logs out', async () => {
  const http = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(served.url);
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http));
  const client: oauth.Client = { client_id: clientId, require_auth_time: true };
  const authentication = oauth.ClientSecretPost(secret);
  const [verifier, nonce, state] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomNonce(),
    oauth.generateRandomState(),
  ];
  const request = {
    ...{ client_id: clientId, redirect_uri: callback, response_type: 'code', scope, nonce, state },
    ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
  };
  const address = new URL(`${as.authorization_endpoint}?${new URLSearchParams(request)}`);
  const parameters = oauth.validateAuthResponse(as, client, await logIn(address), state);
  const response = await oauth.authorizationCodeGrantRequest(
    ...([as, client, authentication, parameters, callback, verifier, http] as const),
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(as, response, http);
  expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ ...claims, azp: clientId });
  const renewal = await oauth.refreshTokenGrantRequest(
    ...([as, client, authentication, String(tokens.refresh_token), http] as const),
  );
  const renewed = await oauth.processRefreshTokenResponse(as, client, renewal);
  const userinfo = await oauth.userInfoRequest(as, client, renewed.access_token, http);
  expect(await oauth.processUserInfoResponse(as, client, 'ada-id', userinfo)).toMatchObject(claims);
  const logout = { id_token_hint: String(tokens.id_token), post_logout_redirect_uri: goodbye };
  expect(await logOut(new URL(`${as.end_session_endpoint}?${new URLSearchParams(logout)}`))).toBe(goodbye);
  expect((await browser.get(address.href)).text).toContain('name="password"');
});
