import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { alice, basic, password } from '../operations/user-identities/login-fixtures.ts';
import { type Changes, callback, readAnswer, redeem as redeemAt, authorizeUrl as urlOf } from './applications.ts';
import { codeOn, createBrowser, type Page, type TestBrowser } from './browser.ts';
import { postFields } from './oauth-requests.ts';

const grantTypes = ['authorization_code', 'refresh_token'];
const secret = 'secret-of-the-web-client';

const privateScheme = 'com.example.mail:/callback';

/** RSA keys take long to generate. */
const idTokenAlg = 'ES256';

const seed: SeedDocument = {
  users: [alice, { userId: 'bob-id', userName: 'bob' }],
  groups: [{ groupName: 'staff', roles: ['DEPLOY', 'ADMIN'], users: ['alice-id'] }],
  clients: [
    {
      ...{ clientId: 'web', appId: 'Shop', clientSecret: secret, grantTypes, scope: ['READ'], redirectURI: callback },
      ...{ postLogoutRedirectURIs: ['https://app.example.com/bye'], idTokenAlg },
    },
    { clientId: 'rsa', appId: 'rsa', clientSecret: secret, grantTypes, redirectURI: callback },
    {
      ...{ clientId: 'spa', appId: 'Mail', grantTypes, idTokenAlg },
      redirectURIs: ['http://127.0.0.1/callback', 'http://localhost:3000/callback', privateScheme],
    },
    {
      ...{ clientId: 'partner', appId: 'Partner', clientSecret: secret, grantTypes, redirectURI: callback },
      ...{ party: '3RDPARTY', browserLogin: true, idTokenAlg },
    },
    { clientId: 'plain', appId: 'plain', grantTypes: ['password'], redirectURI: callback },
  ],
};

let server: TestServer;
let browser: TestBrowser;

beforeEach(async () => {
  server = await startServer({ seed });
  browser = createBrowser();
});
afterEach(() => server[Symbol.asyncDispose]());

const authorizeUrl = (changes: Changes = {}) => urlOf(server, { scope: 'openid profile email', ...changes });

const redeem = (code?: string, changes: Changes = {}, clientId = 'web') =>
  redeemAt(server, code, { clientId, ...changes });

function logIn(page: Page, name = 'alice', typed = password): Promise<Page> {
  return browser.submit(page, 'password', { user_name: name, password: typed });
}

async function obtainTokens(changes: Changes = {}) {
  const { code } = readAnswer(await logIn(await browser.get(authorizeUrl(changes))));
  return (await redeem(code, {}, changes.client_id)).json as Record<string, string>;
}

test('a login leads back with a code, which is exchanged for tokens', async () => {
  const page = await browser.get(authorizeUrl());
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('to continue to Shop') });
  const done = await logIn(page);
  expect(done.status).toBe(303);
  expect(done.location).toMatch(/^https:\/\/app\.example\.com\/callback\?/);
  const { code, ...others } = readAnswer(done);
  expect(others).toEqual({ state: 's t', iss: server.url });
  const { status, json, headers } = await redeem(code);
  expect({ status, json }).toMatchObject({
    status: 200,
    json: { token_type: 'Bearer', expires_in: expect.any(Number), scope: 'openid profile email READ' },
  });
  expect(headers['cache-control']).toBe('no-store');
  const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = json as Record<string, string>;
  const keySet = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`));
  const { payload, protectedHeader } = await jwtVerify(idToken ?? '', keySet, {
    issuer: server.url,
    audience: 'web',
    currentDate: server.clock.now(),
  });
  expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'JWT' });
  expect(payload).toMatchObject({
    ...{ sub: 'alice-id', azp: 'web', nonce: 'n-1', acr: 'AUTH-BASIC', amr: ['pwd'], name: 'Alice' },
    ...{ email: 'alice@example.com', email_verified: true, auth_time: payload.iat, sid: expect.any(String) },
  });
  const userinfo = await fetch(`${server.url}/oauth2/userinfo`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  expect(await userinfo.json()).toMatchObject({ sub: 'alice-id', preferred_username: 'Alice' });
  const renewal = { grant_type: 'refresh_token', refresh_token: refreshToken ?? '' };
  const renewed = await postFields(server, '/oauth2/token', renewal, basic('web', secret));
  const again = await jwtVerify(String(renewed.json.id_token), keySet, {
    issuer: server.url,
    audience: 'web',
    currentDate: server.clock.now(),
  });
  expect(again.payload).toMatchObject({ sub: 'alice-id', auth_time: payload.auth_time });
  expect(again.payload.nonce).toBeUndefined();
});

test('an ID token is signed with RS256 unless the client says otherwise, by a key that exists before the code', async () => {
  const { code } = readAnswer(await logIn(await browser.get(authorizeUrl({ client_id: 'rsa' }))));
  expect(server.appContext.keys.publicKeys().map(({ alg }) => alg)).toContain('RS256');
  const { id_token: idToken } = (await redeem(code, {}, 'rsa')).json;
  const keySet = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`));
  const { protectedHeader } = await jwtVerify(String(idToken), keySet, {
    issuer: server.url,
    audience: 'rsa',
    currentDate: server.clock.now(),
  });
  expect(protectedHeader.alg).toBe('RS256');
});

test('an ID token is no access token', async () => {
  const { id_token: idToken } = await obtainTokens();
  const response = await fetch(`${server.url}/oauth2/userinfo`, { headers: { authorization: `Bearer ${idToken}` } });
  expect(response.status).toBe(401);
});

test('a second application needs no second login', async () => {
  await obtainTokens();
  const changes = { client_id: 'spa', redirect_uri: 'http://localhost:3000/callback', prompt: 'none' };
  expect(readAnswer(await browser.get(authorizeUrl(changes)))).toMatchObject({ code: expect.any(String) });
});

test.each([
  ['a new login that is asked for', { prompt: 'login' }],
  ['a choice of the account', { prompt: 'select_account' }],
  ['a login that is too old', { max_age: '60' }],
  ['another user', { login_hint: 'bob' }],
])('the page is shown again for %s', async (_, changes) => {
  await obtainTokens();
  server.clock.advance(61);
  expect(await browser.get(authorizeUrl(changes))).toMatchObject({
    status: 200,
    text: expect.stringContaining('Log in'),
  });
});

test('prompt=consent asks for an application of the first party, too', async () => {
  await obtainTokens();
  const page = await browser.get(authorizeUrl({ prompt: 'consent' }));
  expect(page.text).toContain('Allow Shop?');
  const denied = await browser.submit(page, 'consent', { decision: 'deny' });
  expect(readAnswer(denied)).toMatchObject({ error: 'access_denied' });
  expect(readAnswer(await browser.submit(page, 'consent', { decision: 'allow' }))).toHaveProperty('code');
});

test.each<[string, Changes]>([
  ['login_required', {}],
  ['consent_required', { client_id: 'partner' }],
])('without pages the application gets the error %s', async (error, changes) => {
  if (error !== 'login_required') await obtainTokens();
  const page = await browser.get(authorizeUrl({ prompt: 'none', ...changes }));
  if (changes.client_id === 'partner') expect(page).toMatchObject({ status: 400, location: undefined });
  else expect(readAnswer(page)).toMatchObject({ error, state: 's t', iss: server.url });
});

test('the wrong password keeps what was typed', async () => {
  const page = await logIn(await browser.get(authorizeUrl()), 'alice.smith', 'wrong');
  expect(page.status).toBe(400);
  expect(page.text).toContain('value="alice.smith"');
  expect(page.text).toContain('The user name or the password is wrong.');
  expect(page.headers.get('www-authenticate')).toBeNull();
  expect(readAnswer(await logIn(page))).toMatchObject({ code: expect.any(String) });
});

test.each<[string, Changes]>([
  ['an unknown client', { client_id: 'unknown' }],
  ['no client', { client_id: undefined }],
  ['a client that is not registered for it', { client_id: 'plain' }],
  ['another redirect URI', { redirect_uri: 'https://evil.example/callback' }],
  ['a longer redirect URI', { redirect_uri: `${callback}/more` }],
  ['no redirect URI with openid', { redirect_uri: undefined, state: undefined, client_id: 'unknown' }],
  ['another port where none may be chosen', { redirect_uri: 'https://app.example.com:444/callback' }],
  ['another host that looks local', { client_id: 'spa', redirect_uri: 'http://127.0.0.1:80@evil.example/callback' }],
])('never redirects: %s', async (_, changes) => {
  expect(await browser.get(authorizeUrl(changes))).toMatchObject({ status: 400, location: undefined });
});

test.each<[string, string, Changes]>([
  ['no response type', 'invalid_request', { response_type: undefined }],
  ['another response type', 'unsupported_response_type', { response_type: 'token' }],
  ['no challenge', 'invalid_request', { code_challenge: undefined, code_challenge_method: undefined }],
  ['a plain challenge', 'invalid_request', { code_challenge_method: 'plain' }],
  ['a challenge without a method', 'invalid_request', { code_challenge_method: undefined }],
  ['a short challenge', 'invalid_request', { code_challenge: 'short' }],
  ['a scope that the client lacks', 'invalid_scope', { scope: 'openid WRITE' }],
  ['a foreign resource', 'invalid_target', { resource: 'https://api.example.com' }],
  ['a request object', 'request_not_supported', { request: 'e30.e30.' }],
  ['a request URI', 'request_uri_not_supported', { request_uri: 'https://app.example.com/request' }],
  ['prompts that exclude each other', 'invalid_request', { prompt: 'none login' }],
  ['an age that is no number', 'invalid_request', { max_age: 'old' }],
  ['an unknown response mode', 'invalid_request', { response_mode: 'fragment' }],
])('reports to the application: %s', async (_, error, changes) => {
  expect(readAnswer(await browser.get(authorizeUrl(changes)))).toMatchObject({ error, state: 's t', iss: server.url });
});

test('a repeated parameter is reported to the application', async () => {
  expect(readAnswer(await browser.get(`${authorizeUrl()}&nonce=2`))).toMatchObject({ error: 'invalid_request' });
});

test('a code is used once, and its second use ends what the first one issued', async () => {
  const { code } = readAnswer(await logIn(await browser.get(authorizeUrl())));
  const first = await redeem(code);
  expect(first.status).toBe(200);
  expect(await redeem(code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  const userinfo = await fetch(`${server.url}/oauth2/userinfo`, {
    headers: { authorization: `Bearer ${String(first.json.access_token)}` },
  });
  expect(userinfo.status).toBe(401);
});

test.each<[string, Changes, string?]>([
  ['another redirect URI', { redirect_uri: 'https://app.example.com/other' }],
  ['no redirect URI', { redirect_uri: undefined }],
  ['another verifier', { code_verifier: 'another-verifier-that-is-long-enough-for-the-rfc' }],
  ['no verifier', { code_verifier: undefined }],
  ['another client', {}, 'partner'],
])('a code is bound: %s', async (_, changes, clientId) => {
  const { code } = readAnswer(await logIn(await browser.get(authorizeUrl())));
  expect(await redeem(code, changes, clientId)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  expect((await redeem(code)).status).toBe(200);
});

test('a code expires after a minute', async () => {
  const { code } = readAnswer(await logIn(await browser.get(authorizeUrl())));
  server.clock.advance(60);
  expect(await redeem(code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});

test('a form of another browser logs no user in', async () => {
  const page = await createBrowser().get(authorizeUrl());
  await browser.get(authorizeUrl());
  expect(await logIn(page)).toMatchObject({
    status: 400,
    location: undefined,
    text: expect.stringContaining('expired'),
  });
});

test('a login replaces the cookie', async () => {
  const page = await browser.get(authorizeUrl());
  const before = browser.cookie();
  await logIn(page);
  expect(browser.cookie()).not.toBe(before);
});

test('a page cannot be framed, loads nothing and keeps no copies', async () => {
  const { headers } = await browser.get(authorizeUrl());
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/app\.example\.com; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect(headers.get('set-cookie')).toMatch(/^iam-[0-9a-f]{12}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  expect(Object.fromEntries(headers)).toMatchObject({
    ...{ 'x-frame-options': 'DENY', 'referrer-policy': 'same-origin', 'cache-control': 'no-store' },
  });
});

test('no script runs that came with the request', async () => {
  const page = await browser.get(authorizeUrl({ login_hint: '"><script>alert(1)</script>', state: '"><b>' }));
  expect(page.text).not.toContain('<script>');
  expect(page.text).not.toContain('"><b>');
});

test('a third-party client gets what the user agreed to, and no administrative role', async () => {
  const partner = { client_id: 'partner', scope: 'openid roles' };
  const page = await logIn(await browser.get(authorizeUrl(partner)));
  expect(page.text).toContain('Allow Partner?');
  const { code } = readAnswer(await browser.submit(page, 'consent', { decision: 'allow' }));
  const { json } = await redeem(code, {}, 'partner');
  const inspected = await postFields(
    server,
    '/oauth2/introspect',
    { token: String(json.access_token) },
    basic('partner', secret),
  );
  expect(inspected.json.authorities).toEqual(
    expect.arrayContaining(['ROLE_DEPLOY', 'ROLE_USER', 'ROLE_CLI-3RDPARTY', 'ROLE_AUTH-BASIC']),
  );
  expect(inspected.json.authorities).not.toContain('ROLE_ADMIN');
  expect(readAnswer(await browser.get(authorizeUrl(partner)))).toMatchObject({ code: expect.any(String) });
});

test('a user refuses a third-party client', async () => {
  const page = await logIn(await browser.get(authorizeUrl({ client_id: 'partner' })));
  expect(readAnswer(await browser.submit(page, 'consent', { decision: 'deny' }))).toMatchObject({
    error: 'access_denied',
  });
});

test('a second factor is asked for, and the page of a test shows its code', async () => {
  const choice = await logIn(await browser.get(authorizeUrl({ acr_values: 'AUTH-MFA' })));
  expect(choice.text).toContain('Confirm that it is you');
  const page = await browser.submit(choice, 'factor', { factor: 'main-email' });
  const sent = codeOn(page);
  const wrong = await browser.submit(page, 'code', { code: sent === '000000' ? '000001' : '000000' });
  expect(wrong).toMatchObject({ status: 400, text: expect.stringContaining('role="alert"') });
  const { code } = readAnswer(await browser.submit(wrong, 'code', { code: sent }));
  const { json } = await redeem(code);
  const [, claims = ''] = String(json.id_token).split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    ...{ acr: 'AUTH-MFA', amr: ['pwd', 'otp', 'mfa'] },
  });
});

test('a test logs in as any user without a password', async () => {
  const page = await browser.get(authorizeUrl());
  expect(page.text).toContain('Test: log in as');
  const { code } = readAnswer(await browser.submit(page, 'user', { user_id: 'bob-id', level: 'AUTH-MFA' }));
  expect((await redeem(code)).status).toBe(200);
});

test('a logout with the ID token ends the sessions of all applications, but not offline access', async () => {
  const { id_token: hint = '', access_token: online = '' } = await obtainTokens();
  const { code } = readAnswer(await browser.get(authorizeUrl({ scope: 'openid offline_access' })));
  const { json } = await redeem(code);
  const bye = 'https://app.example.com/bye';
  const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: bye, state: 'x' });
  const page = await browser.get(`${server.url}/oauth2/logout?${query}`);
  expect(page).toMatchObject({ status: 303, location: `${bye}?state=x` });
  const statusOf = async (token: string) =>
    (await fetch(`${server.url}/oauth2/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await statusOf(online)).toBe(401);
  expect(await statusOf(String(json.access_token))).toBe(200);
  expect(readAnswer(await browser.get(authorizeUrl({ prompt: 'none' })))).toMatchObject({ error: 'login_required' });
});

test('a logout without the ID token must be confirmed, and never leads elsewhere', async () => {
  await obtainTokens();
  const page = await browser.get(`${server.url}/oauth2/logout`);
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Log out?') });
  expect(readAnswer(await browser.get(authorizeUrl({ prompt: 'none' })))).toHaveProperty('code');
  const foreign = new URLSearchParams({ client_id: 'web', post_logout_redirect_uri: 'https://evil.example/' });
  expect(await browser.get(`${server.url}/oauth2/logout?${foreign}`)).toMatchObject({ status: 400 });
  expect(await browser.submit(page, '')).toMatchObject({
    status: 200,
    text: expect.stringContaining('You are logged out'),
  });
  expect(readAnswer(await browser.get(authorizeUrl({ prompt: 'none' })))).toMatchObject({ error: 'login_required' });
});

test('a form posts the code if the application asks for it', async () => {
  const page = await logIn(await browser.get(authorizeUrl({ response_mode: 'form_post' })));
  expect(page.status).toBe(200);
  expect(page.text).toContain(`<form method="post" action="${callback}"><input type="hidden" name="code"`);
});

test('a lock ends the session of the browser', async () => {
  await obtainTokens();
  await server.appContext.store.transaction(async (tx) => {
    const user = await tx.users.get('alice-id');
    if (user) await tx.users.replace({ ...user, locked: true });
  });
  expect(readAnswer(await browser.get(authorizeUrl({ prompt: 'none' })))).toMatchObject({ error: 'login_required' });
});

test('a new password ends the session of the browser, but not that of the application that changed it', async () => {
  const { access_token: token = '' } = await obtainTokens();
  const authorization = `Bearer ${token}`;
  const change = await fetch(`${server.url}/security/iam/v1/user-identities/me/change-password`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ password, newPassword: 'another sesame, please' }),
  });
  expect(change.status).toBe(201);
  expect((await fetch(`${server.url}/oauth2/userinfo`, { headers: { authorization } })).status).toBe(200);
  expect(readAnswer(await browser.get(authorizeUrl({ prompt: 'none' })))).toMatchObject({ error: 'login_required' });
});
