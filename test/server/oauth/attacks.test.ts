/** Attacks on logins with a browser (RFC 9700) that no other test has. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeClient } from '../../../src/server/auth/remove-client.ts';
import { freePort } from '../../../src/testcontainers/free-port.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { password } from '../operations/user-identities/login-fixtures.ts';
import { authorizeUrl, createRequest, postAs, readAnswer, redeem, seed } from './applications.ts';
import { codeOn, createBrowser, type Page, type TestBrowser } from './browser.ts';

let server: TestServer;
let browser: TestBrowser;

beforeEach(async () => {
  server = await startServer({ seed });
  browser = createBrowser();
});
afterEach(() => server[Symbol.asyncDispose]());

const logIn = async (changes = {}) =>
  browser.submit(await browser.get(authorizeUrl(server, changes)), 'password', { user_name: 'alice', password });

const cookieOf = ({ headers }: Page) => ({ Cookie: headers.get('set-cookie')?.split(';')[0] ?? '' });

/** With headers that Node's `fetch` sets itself. */
const load = (url: string, headers: Record<string, string>) => send(server, url.slice(server.url.length), { headers });

test('no user is offered under a name that is not of this machine: of a proxy, or of a page that rebound it', async () => {
  await using remote = await startServer({ seed, flags: { 'allow-remote': true, 'test-features': 'on' } });
  const path = `/oauth2/authorize?${new URLSearchParams(createRequest())}`;
  const page = await send(remote, path, { headers: { Host: 'rebound.example' } });
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('to continue to Shop') });
  expect(page.body).not.toContain('Test: log in as');
  expect((await send(remote, path)).body).toContain('Test: log in as');
});

test.each<[string, Record<string, string>, Record<string, string>]>([
  ['a public base URL, for which a proxy sends no header', { 'base-url': 'https://login.example' }, {}],
  ['a header of a proxy that names no source', {}, { 'X-Real-IP': '203.0.113.7' }],
])('no user is offered behind a proxy: %s', async (_name, flags, headers) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  await using _proxied = await startServer({ seed, flags: { ...flags, port: new URL(url).port } });
  const page = await send({ url }, `/oauth2/authorize?${new URLSearchParams(createRequest())}`, { headers });
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('to continue to Shop') });
  expect(page.body).not.toContain('Test: log in as');
});

test('without the control plane other users of the machine get no login without a password, and see no code', async () => {
  await using guarded = await startServer({ seed, flags: { 'disable-control-plane': true } });
  const page = await browser.get(authorizeUrl(guarded));
  expect(page.text).not.toContain('Test: log in as');
  const forged = await browser.submit(page, 'password', { step: 'user', user_id: 'alice-id' });
  expect(forged).toMatchObject({ status: 400, text: expect.stringContaining('This page has expired') });
  const sent = await browser.submit(await browser.submit(page, 'forgot'), 'recover', { user_name: 'alice' });
  expect(sent.text).toContain('New password');
  expect(codeOn(sent)).toBe('');
});

test.each<[string, Record<string, string>, RegExp]>([
  ['behind a proxy that terminates TLS', { 'base-url': 'https://login.example' }, /^__Host-iam-.*; Secure$/],
  ['with the scheme in capitals', { 'base-url': 'HTTPS://login.example' }, /^__Host-iam-.*; Secure$/],
  ['on loopback with an issuer elsewhere', { issuer: 'https://login.example' }, /^iam-.*SameSite=Lax$/],
])('the cookie fits the address of the browser: %s', async (_name, flags, expected) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  await using _one = await startServer({ seed, flags: { ...flags, port: new URL(url).port } });
  const page = await createBrowser().get(authorizeUrl({ url }));
  expect(page.headers.get('set-cookie')).toMatch(expected);
});

test('the page for consent names where the browser goes', async () => {
  expect((await logIn({ client_id: 'partner' })).text).toContain('returns to <b>app.example.com</b>');
});

test('the page for consent names no host for a private scheme, which can have any', async () => {
  const privateUri = 'com.evil.app://bank.example/callback';
  await send(server, '/_iam/clients/partner', { method: 'PATCH', body: { redirectURIs: [privateUri] } });
  const page = await logIn({ client_id: 'partner', redirect_uri: privateUri });
  expect(page.text).toContain('returns to <b>com.evil.app</b>');
});

test('the page for consent shows scopes with names of JavaScript as they are', async () => {
  const scope = ['constructor', '__proto__', 'toString'];
  await send(server, '/_iam/clients/partner', { method: 'PATCH', body: { scope } });
  const { status, text } = await logIn({ client_id: 'partner', scope: scope.join(' ') });
  expect(status).toBe(200);
  expect(text).not.toContain('function');
  for (const name of scope) expect(text).toContain(`use ${name}`);
});

test.each(['https://x;sandbox/cb', 'https://x,y/cb', 'https://*/cb', "https://'self'/cb", 'http://*;x.localhost/cb'])(
  'no login or logout leads to a host that the policy of a page would read as something else: %s',
  async (uri) => {
    const lists = { redirectURIs: [uri], postLogoutRedirectURIs: [uri] };
    expect(await send(server, '/_iam/clients/web', { method: 'PATCH', body: lists })).toMatchObject({ status: 200 });
    const login = await browser.get(authorizeUrl(server, { redirect_uri: uri }));
    expect(login).toMatchObject({ status: 400, text: expect.stringContaining('It has none that can be used.') });
    const query = new URLSearchParams({ client_id: 'web', post_logout_redirect_uri: uri });
    expect(await browser.get(`${server.url}/oauth2/logout?${query}`)).toMatchObject({ status: 400 });
  },
);

test.each(['https://xn--bcher-kva.example/cb', 'https://[2001:db8::1]:8443/cb', 'http://[::1]/cb', 'com.app:/cb'])(
  'a login leads to %s',
  async (uri) => {
    await send(server, '/_iam/clients/web', { method: 'PATCH', body: { redirectURIs: [uri] } });
    expect((await logIn({ redirect_uri: uri })).location).toMatch(`${uri}?code=`);
  },
);

test('a link to the logout leads to a third-party client only by a click, unless its session ends', async () => {
  const bye = 'https://partner.example/bye';
  await send(server, '/_iam/clients/partner', { method: 'PATCH', body: { postLogoutRedirectURIs: [bye] } });
  const { code } = readAnswer(
    await browser.submit(await logIn({ client_id: 'partner' }), 'consent', { decision: 'allow' }),
  );
  const { id_token: hint } = (await redeem(server, code, { clientId: 'partner' })).json;
  const fields = { id_token_hint: String(hint), post_logout_redirect_uri: bye };
  const logOut = () => browser.get(`${server.url}/oauth2/logout?${new URLSearchParams(fields)}`);
  expect(await logOut()).toMatchObject({ status: 303, location: bye });
  const page = await logOut();
  expect(page).toMatchObject({ status: 200, location: undefined });
  expect(page.text).toContain(`<a href="${bye}">Return to partner.example</a>`);
});

test.each([
  ['that is switched off', { browserLogin: false }, false],
  ['without a grant type of logins', { grantTypes: ['password'] }, false],
  ['whose owner is locked', { userId: 'bob-id' }, true],
  ['whose owner was removed', { userId: 'unknown' }, false],
])('a logout ends the session, but does not lead to a client %s', async (_name, changes, locked) => {
  const bye = 'https://app.example.com/bye';
  const logOut = () =>
    browser.get(
      `${server.url}/oauth2/logout?${new URLSearchParams({ client_id: 'web', post_logout_redirect_uri: bye })}`,
    );
  await server.appContext.store.transaction(async (tx) => {
    const [client, bob] = [await tx.clients.get('web'), await tx.users.get('bob-id')];
    if (client) await tx.clients.replace({ ...client, postLogoutRedirectURIs: [bye] });
    if (bob) await tx.users.replace({ ...bob, locked });
  });
  expect(await logOut()).toMatchObject({ status: 303, location: bye });
  await logIn({ client_id: 'tv' });
  await server.appContext.store.transaction(async (tx) => {
    const client = await tx.clients.get('web');
    if (client) await tx.clients.replace({ ...client, ...changes });
  });
  const page = await browser.submit(await logOut(), '');
  for (const { status, location, text } of [page, await logOut()]) {
    expect({ status, location }).toEqual({ status: 200, location: undefined });
    expect(text).toContain('You are logged out');
    expect(text).not.toContain(bye);
  }
});

test.each([
  ['authorize', createRequest()],
  ['logout', {}],
  ['logout', { form_token: 'x' }],
] as const)('a form of another site, without the cookie, neither replaces nor deletes it: %s', async (path, form) => {
  const stranger = await createBrowser().post(`${server.url}/oauth2/${path}`, form);
  expect(stranger).toMatchObject({ status: 303, location: expect.stringMatching(`^${path}[?]`) });
  expect(stranger.location).not.toContain('form_token');
  expect(stranger.headers.get('set-cookie')).toBeNull();
  await logIn();
  const page = await browser.get(new URL(stranger.location ?? '', stranger.url).href);
  if (path === 'authorize') expect(readAnswer(page)).toHaveProperty('code');
  else expect(page.text).toContain('Log out?');
});

test('a logout of another site does not end a login that has begun', async () => {
  const page = await browser.get(authorizeUrl(server));
  const logout = await browser.get(`${server.url}/oauth2/logout`);
  expect(logout).toMatchObject({ status: 200, text: expect.stringContaining('You are logged out') });
  expect(readAnswer(await browser.submit(page, 'password', { user_name: 'alice', password }))).toHaveProperty('code');
});

test('the owner of a third-party client that deletes it ends no session of other applications', async () => {
  await browser.submit(await logIn({ client_id: 'partner' }), 'consent', { decision: 'allow' });
  await server.appContext.store.transaction(async (tx) => {
    const client = await tx.clients.get('partner');
    if (client) await removeClient(tx, client);
  });
  expect(readAnswer(await browser.get(authorizeUrl(server, { prompt: 'none' })))).toHaveProperty('code');
  expect((await send(server, '/_iam/sessions')).body).toMatchObject([{ kind: 'browser', clientId: 'partner' }]);
});

test('a third-party client ends no later session with an ID token of an earlier one', async () => {
  const page = await logIn({ client_id: 'partner' });
  const { code } = readAnswer(await browser.submit(page, 'consent', { decision: 'allow' }));
  const hint = String((await redeem(server, code, { clientId: 'partner' })).json.id_token);
  const logOut = () => browser.get(`${server.url}/oauth2/logout?${new URLSearchParams({ id_token_hint: hint })}`);
  expect((await logOut()).text).toContain('You are logged out');
  await logIn();
  expect((await logOut()).text).toContain('Log out?');
});

const navigation = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': 'same-site' };

test('test runners have applications in frames of another port', async () => {
  await using tests = await startServer({ seed });
  const headers = { ...navigation, 'Sec-Fetch-Dest': 'iframe' };
  expect((await send(tests, authorizeUrl(tests).slice(tests.url.length), { headers })).status).toBe(200);
});

describe('without test features', () => {
  beforeEach(async () => {
    await server[Symbol.asyncDispose]();
    server = await startServer({ seed, flags: { 'test-features': 'off' } });
  });

  test.each([
    ['a script', { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' }, 400, 400],
    ['an image', { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' }, 400, 400],
    ['an object', { ...navigation, 'Sec-Fetch-Dest': 'object' }, 400, 400],
    ['an embedded object', { ...navigation, 'Sec-Fetch-Dest': 'embed' }, 400, 400],
    ['a prefetch', { ...navigation, 'Sec-Fetch-Dest': 'document', 'Sec-Purpose': 'prefetch' }, 400, 400],
    ['a frame, in which an application renews its login', { ...navigation, 'Sec-Fetch-Dest': 'iframe' }, 303, 400],
    ['a frame of a frameset', { ...navigation, 'Sec-Fetch-Dest': 'frame' }, 303, 400],
    [
      'but its own frame does',
      { ...navigation, 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Site': 'same-origin' },
      303,
      303,
    ],
    ['but a link does, which the user sees', { ...navigation, 'Sec-Fetch-Dest': 'document' }, 303, 303],
    ['but a program does, which is no browser', { 'Sec-Fetch-Mode': 'cors' }, 303, 303],
  ])('a page of another port gets no code in the background: %s', async (_name, metadata, silent, interactive) => {
    const cookie = cookieOf(await logIn());
    for (const [prompt, status] of [['none', silent] as const, ['', interactive] as const]) {
      const response = await load(authorizeUrl(server, { prompt }), { ...metadata, ...cookie });
      expect([response.status, 'location' in response.headers]).toEqual([status, status === 303]);
    }
  });

  describe('in a frame of another port', () => {
    const frame = { ...navigation, 'Sec-Fetch-Dest': 'iframe' };

    test('a pushed request renews a login, too', async () => {
      const cookie = cookieOf(await logIn());
      const follow = async (prompt: string) => {
        const { json } = await postAs(server, 'web', '/oauth2/par', createRequest({ prompt }));
        const query = new URLSearchParams({ client_id: 'web', request_uri: String(json.request_uri) });
        return load(`${server.url}/oauth2/authorize?${query}`, { ...frame, ...cookie });
      };
      expect((await follow('none')).headers.location).toContain('code=');
      expect(await follow('')).toMatchObject({ status: 400, body: expect.stringContaining('prompt=none') });
    });

    test('no application logs its user out', async () => {
      const page = await logIn();
      const { id_token: hint } = (await redeem(server, readAnswer(page).code)).json;
      const logOut = `${server.url}/oauth2/logout?${new URLSearchParams({ id_token_hint: String(hint) })}`;
      expect(await load(logOut, { ...frame, ...cookieOf(page) })).toMatchObject({ status: 400 });
      expect(readAnswer(await browser.get(authorizeUrl(server)))).toHaveProperty('code');
    });
  });
});

test('what a third-party client gets later was never agreed to', async () => {
  const page = await logIn({ client_id: 'partner', scope: undefined });
  expect(page.text).toContain('use READ');
  const { code } = readAnswer(await browser.submit(page, 'consent', { decision: 'allow' }));
  const { json } = await redeem(server, code, { clientId: 'partner' });
  await server.appContext.store.transaction(async (tx) => {
    const client = await tx.clients.get('partner');
    if (client) await tx.clients.replace({ ...client, scope: ['READ', 'WRITE'] });
  });
  const renewal = { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) };
  expect((await postAs(server, 'partner', '/oauth2/token', renewal)).json.scope).toBe('READ');
});

test.each([
  ['scope=openid', 'scope=openid+READ'],
  ['acr_values=AUTH-MFA', 'acr_values='],
  ['client_id=web', 'client_id=partner'],
])('a form is accepted only for the request of its page: %s', async (accepted, changed) => {
  const page = await browser.get(authorizeUrl(server, { acr_values: 'AUTH-MFA' }));
  const forged = { ...page, text: page.text.replaceAll(accepted, changed) };
  expect(forged.text).not.toBe(page.text);
  const refused = await browser.submit(forged, 'password', { user_name: 'alice', password });
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('This page has expired') });
});

test('what a third-party client gets between the page and the click was never agreed to', async () => {
  const page = await logIn({ client_id: 'partner', scope: undefined });
  await server.appContext.store.transaction(async (tx) => {
    const client = await tx.clients.get('partner');
    if (client) await tx.clients.replace({ ...client, scope: ['READ', 'WRITE'] });
  });
  const refused = await browser.submit(page, 'consent', { decision: 'allow' });
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('This page has expired') });
  expect(await server.appContext.store.users.get('alice-id')).not.toHaveProperty('consents');
});

test.each([
  ['a login', { prompt: 'login' }],
  ['a second factor', { acr_values: 'AUTH-MFA' }],
])('nothing is agreed to before %s that the application asks for', async (_name, changes) => {
  await logIn();
  const page = await browser.get(authorizeUrl(server, { client_id: 'partner', ...changes }));
  const next = await browser.submit(page, '', { step: 'consent', decision: 'allow' });
  expect(next).toMatchObject({ status: 200, text: page.text });
  expect(await server.appContext.store.users.get('alice-id')).not.toHaveProperty('consents');
});

test('introspection returns no name to a third-party client without the scope profile', async () => {
  const page = await logIn({ client_id: 'partner' });
  const { code } = readAnswer(await browser.submit(page, 'consent', { decision: 'allow' }));
  const { json } = await redeem(server, code, { clientId: 'partner' });
  for (const token of [json.access_token, json.refresh_token]) {
    const inspected = await postAs(server, 'partner', '/oauth2/introspect', { token: String(token) });
    expect(inspected.json).toMatchObject({ active: true, sub: 'alice-id' });
    expect(inspected.json).not.toHaveProperty('username');
  }
});

describe('a third-party client that hints at a user', () => {
  const silent = (hint: string) =>
    browser.get(authorizeUrl(server, { client_id: 'partner', prompt: 'none', login_hint: hint }));
  const agree = async (scope: string) => {
    const page = await logIn({ client_id: 'partner', scope, prompt: 'login' });
    await browser.submit(page, 'consent', { decision: 'allow' });
  };
  const hints = {
    names: ['alice', 'bob', 'carol'],
    addresses: ['alice@example.com', 'bob@example.com', 'Carol@example.com'],
  };

  test.each([
    ['openid', [...hints.names, ...hints.addresses, 'alice-id', 'bob-id']],
    ['openid email', hints.names],
    ['openid profile', hints.addresses],
    ['openid phone', [...hints.names, ...hints.addresses]],
  ])('learns nothing that consent to %s does not tell', async (scope, unreadable) => {
    await agree(scope);
    for (const hint of unreadable)
      expect([hint, readAnswer(await silent(hint))]).toMatchObject([hint, { code: expect.any(String) }]);
  });

  test.each([
    ['openid email', 'alice@example.com', 'bob@example.com'],
    ['openid profile', 'ALICE', 'bob'],
    ['openid profile', 'alice-id', 'bob-id'],
  ])('gets no code of another user than it knows, with %s', async (scope, own, other) => {
    await agree(scope);
    expect(readAnswer(await silent(own))).toHaveProperty('code');
    expect(await silent(other)).toMatchObject({ status: 400, text: expect.stringContaining('is not logged in') });
    const page = await browser.get(authorizeUrl(server, { client_id: 'partner', login_hint: other }));
    expect(page.text).toContain(`value="${other}"`);
  });

  test('gets none by the id of another user who agreed, too', async () => {
    const page = await browser.get(authorizeUrl(server, { client_id: 'partner' }));
    const consent = await browser.submit(page, 'user', { user_id: 'bob-id', level: 'AUTH-BASIC' });
    await browser.submit(consent, 'consent', { decision: 'allow' });
    await agree('openid');
    expect(await silent('bob-id')).toMatchObject({ status: 400, text: expect.stringContaining('is not logged in') });
    expect(readAnswer(await silent('alice-id'))).toHaveProperty('code');
  });

  test('learns no more from what the user has not agreed to yet, or no longer', async () => {
    await logIn();
    const ask = async (hint: string) => (await silent(hint)).text.replaceAll(hint, '');
    expect(new Set(await Promise.all([...hints.names, ...hints.addresses].map(ask))).size).toBe(1);
    await agree('openid email profile');
    await send(server, '/_iam/users/alice-id/consents/partner', { method: 'DELETE' });
    expect(new Set(await Promise.all([...hints.names, ...hints.addresses].map(ask))).size).toBe(1);
  });

  test('has the hint in the form, which is for the user', async () => {
    const page = await browser.get(authorizeUrl(server, { client_id: 'partner', login_hint: 'bob@example.com' }));
    expect(page.text).toContain('value="bob@example.com"');
  });
});

test('a first-party client gets no code of another user than its hint names', async () => {
  await logIn();
  for (const hint of ['alice', 'ALICE@example.com', 'alice-id'])
    expect(readAnswer(await browser.get(authorizeUrl(server, { prompt: 'none', login_hint: hint })))).toHaveProperty(
      'code',
    );
  for (const hint of ['bob', 'bob@example.com', 'bob-id'])
    expect(readAnswer(await browser.get(authorizeUrl(server, { prompt: 'none', login_hint: hint })))).toMatchObject({
      error: 'login_required',
    });
});
