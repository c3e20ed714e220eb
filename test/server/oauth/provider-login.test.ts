/** Logins at an OpenID provider on the pages of a login: one server is the provider of the other. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createFakeClock, startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { alice, password } from '../operations/user-identities/login-fixtures.ts';
import { authorizeUrl, readAnswer, redeem, seed } from './applications.ts';
import { createBrowser, type Page, type TestBrowser } from './browser.ts';

const name = 'corp';
const clientId = 'standin';
const root = { userName: 'root', userEmail: 'root@example.com' };
const clock = createFakeClock();
let provider: TestServer;
let server: TestServer;
let browser: TestBrowser;

beforeAll(async () => {
  const redirectURI = `http://127.0.0.1/oauth2/callback/${name}`;
  const relyingParty = { clientId, appId: 'Stand-in', grantTypes: ['authorization_code'], redirectURI };
  const users = [
    { ...alice, userId: 'subject-1' },
    { userId: 'subject-2', userName: 'bob' },
    { ...root, userId: 'subject-3' },
  ];
  provider = await startServer({ clock, seed: { users, clients: [{ ...relyingParty, idTokenAlg: 'ES256' }] } });
  const row = {
    ...{ kind: 'oidc' as const, name, clientId, issuer: provider.url, emailDomains: ['example.com'] },
    jwksUri: `${provider.url}/.well-known/jwks.json`,
    authorizationEndpoint: `${provider.url}/oauth2/authorize`,
    tokenEndpoint: `${provider.url}/oauth2/token`,
  };
  server = await startServer({
    clock,
    seed: {
      ...seed,
      users: [...(seed.users ?? []), { ...root, userId: 'root-id' }],
      groups: [{ groupName: 'iam-administrators', users: ['root-id'] }],
      providers: [row, { ...row, name: 'down', tokenEndpoint: 'http://127.0.0.1:1/' }],
    },
  });
});
afterAll(() => Promise.all([provider, server].map((each) => each[Symbol.asyncDispose]())));
beforeEach(() => {
  browser = createBrowser();
});

const follow = (page: Page) => browser.get(page.location ?? '');

async function explain({ headers }: Page): Promise<Record<string, unknown>> {
  return (await send(server, `/_iam/requests/${headers.get('x-request-id')}/why`)).body as Record<string, unknown>;
}

/** Up to the response of the provider, to which the browser is redirected. */
async function logInAtProvider(userName = 'alice', changes = {}): Promise<string> {
  const sent = await browser.submit(await browser.get(authorizeUrl(server, changes)), 'provider', { provider: name });
  const login = await follow(sent);
  const answer = login.text.includes('Continue as')
    ? await browser.submit(login, 'continue')
    : await browser.submit(login, 'user', { user_id: userName, level: 'AUTH-BASIC' });
  return answer.location ?? '';
}

test('the user of the provider is logged in, and its session there is used again', async () => {
  const page = await browser.get(await logInAtProvider('subject-1'));
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('You are logged in') });
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://app.example.com");
  const { code } = readAnswer(await browser.submit(page, 'continue'));
  const tokens = (await redeem(server, code)).json as Record<'access_token' | 'id_token', string>;
  expect(decodeJwt(tokens.access_token)).toMatchObject({ sub: alice.userId });
  expect(decodeJwt(tokens.id_token)).toMatchObject({ sub: alice.userId, acr: 'AUTH-BASIC', amr: [] });
  expect((await server.appContext.store.users.get(alice.userId))?.identities).toContain(`${name}:subject-1`);
  expect((await send(server, '/_iam/inbox')).body).toMatchObject([{ purpose: 'login-changed' }]);
  const { body: events } = await send(server, '/_iam/audit?operation=oauth2.provider-callback&changed=true');
  expect(events).toMatchObject([{ result: 'granted', subject: { kind: 'user', userId: alice.userId } }]);
  const again = await logInAtProvider('', { prompt: 'select_account' });
  expect(readAnswer(await browser.submit(await browser.get(again), 'continue')).code).toBeDefined();
  // The user has to log in there again.
  expect(await logInAtProvider('', { prompt: 'login' })).toBe('');
});

test('a user without an account here gets the login page again, with the request', async () => {
  const page = await browser.get(await logInAtProvider('subject-2'));
  expect(page).toMatchObject({
    status: 400,
    text: expect.stringContaining(`No user here has this account of ${name}.`),
  });
  const rule = `No user has the login identifier ${name}:subject-2, and the provider vouches for no e-mail address.`;
  expect(await explain(page)).toMatchObject({ flow: expect.stringMatching(/^[0-9a-f]{16}$/), rule });
  expect(readAnswer(await browser.submit(page, 'password', { user_name: 'alice', password })).state).toBe('s t');
});

test('an e-mail address finds no administrator, which only the log says', async () => {
  const page = await browser.get(await logInAtProvider('subject-3'));
  expect(page).toMatchObject({ status: 400, text: expect.stringContaining('No user here has this account') });
  expect((await explain(page)).rule).toContain('iam users add-identity root-id corp:subject-3');
});

test('a response is accepted once, from the browser that asked for it, of the provider that was asked, in time', async () => {
  const attacker = createBrowser();
  await attacker.get(authorizeUrl(server));
  const expired = { status: 400, text: expect.stringContaining('This login has expired') };
  for (const other of [attacker, createBrowser()]) {
    const stolen = await logInAtProvider('subject-1');
    expect(await other.get(stolen)).toMatchObject(expired);
    // The attempt has used it up, also in a browser without a cookie.
    expect(await browser.get(stolen)).toMatchObject(expired);
  }

  const answer = new URL(await logInAtProvider('subject-1'));
  expect(await browser.get(`${answer}`.replace(`/${name}?`, '/other?'))).toMatchObject(expired);
  const mixedUp = new URL(await logInAtProvider('subject-1'));
  mixedUp.searchParams.set('iss', 'https://login.example.org');
  const failed = { status: 400, text: expect.stringContaining(`You were not logged in with ${name}.`) };
  const mixed = await browser.get(mixedUp.href);
  expect(mixed).toMatchObject(failed);
  expect((await explain(mixed)).rule).toContain('iss of the response');

  const late = await logInAtProvider('subject-1');
  clock.advance(601_000);
  expect(await browser.get(late)).toMatchObject(expired);
});

test('a new login at the provider is verified by its auth_time, whatever the browser sends there', async () => {
  await logInAtProvider('subject-1');
  clock.advance(120);
  const request = authorizeUrl(server, { prompt: 'login' });
  const start = async () => browser.submit(await browser.get(request), 'provider', { provider: name });
  const stripped = new URL((await start()).location ?? '');
  expect(Object.fromEntries(stripped.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
  for (const parameter of ['prompt', 'max_age']) stripped.searchParams.delete(parameter);
  const old = await browser.submit(await browser.get(stripped.href), 'continue');
  const failed = { status: 400, text: expect.stringContaining(`You were not logged in with ${name}.`) };
  const refused = await follow(old);
  expect(refused).toMatchObject(failed);
  expect((await explain(refused)).rule).toContain('The claim auth_time of the ID token');

  const forced = await follow(await start());
  const fresh = await browser.submit(forced, 'user', { user_id: 'subject-1', level: 'AUTH-BASIC' });
  expect(readAnswer(await browser.submit(await follow(fresh), 'continue')).code).toBeDefined();
});

test('a login has the time of that at the provider, by which max_age is judged', async () => {
  await logInAtProvider('subject-1');
  const authenticatedAt = Math.floor(clock.now().getTime() / 1000);
  clock.advance(3600);
  const page = await browser.get(await logInAtProvider());
  const { code } = readAnswer(await browser.submit(page, 'continue'));
  const { json } = await redeem(server, code);
  expect(decodeJwt(String(json.id_token)).auth_time).toBe(authenticatedAt);
  const recent = await browser.get(authorizeUrl(server, { max_age: '3599' }));
  expect(recent).toMatchObject({ status: 200, text: expect.stringContaining('to continue to Shop') });
  expect(readAnswer(await browser.get(authorizeUrl(server, { max_age: '3600' })))).toHaveProperty('code');
});

test('a login at a provider that does not say when it was is too old for every max_age', async () => {
  await logInAtProvider('subject-1');
  const { store } = provider.appContext;
  await store.transaction(async (tx) => {
    for (const session of await tx.sessions.find('userId', 'subject-1'))
      if (session.browser)
        await tx.sessions.replace({ ...session, browser: { ...session.browser, authenticatedAt: 0 } });
  });
  const page = await browser.get(await logInAtProvider());
  const { code } = readAnswer(await browser.submit(page, 'continue'));
  const { json } = await redeem(server, code);
  expect(decodeJwt(String(json.id_token))).not.toHaveProperty('auth_time');
  const later = await browser.get(authorizeUrl(server, { max_age: '3600' }));
  expect(later).toMatchObject({ status: 200, text: expect.stringContaining('to continue to Shop') });
});

test('a code of another login is refused by the provider, and an error has no code', async () => {
  const [first, second] = [new URL(await logInAtProvider('subject-1')), new URL(await logInAtProvider('subject-1'))];
  second.searchParams.set('code', first.searchParams.get('code') ?? '');
  const failed = { status: 400, text: expect.stringContaining(`You were not logged in with ${name}.`) };
  const swapped = await browser.get(second.href);
  expect(swapped).toMatchObject(failed);
  expect(await explain(swapped)).toMatchObject({
    flow: expect.any(String),
    rule: 'The token endpoint of the provider refused the code: the response has status 400 and the error invalid_grant.',
  });
  const denied = new URL(await logInAtProvider('subject-1'));
  denied.searchParams.delete('code');
  denied.searchParams.set('error', '<b>access_denied');
  const page = await browser.get(denied.href);
  expect(page).toMatchObject(failed);
  expect(page.text).not.toContain('<b>access');
  expect((await explain(page)).rule).toBe('The provider sent no code, but the error (unknown).');
  expect(page.text).toContain('action="../login?');
  const sent = await browser.submit(page, 'provider', { provider: 'down' });
  const state = new URL(sent.location ?? '').searchParams.get('state');
  const down = await browser.get(`${server.url}/oauth2/callback/down?state=${state}&code=c`);
  expect(down).toMatchObject({ status: 503, text: expect.stringContaining('down cannot be reached.') });
});
