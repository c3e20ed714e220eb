/** A second factor gives the session of the browser a new cookie: who knew the former one does not get the higher level. */
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { password } from '../operations/user-identities/login-fixtures.ts';
import { fulfill, requestChallenge } from '../operations/user-identities/second-factor.ts';
import { authorizeUrl, type Changes, postAs, readAnswer, redeem, seed } from './applications.ts';
import { codeOn, createBrowser, type Page, type TestBrowser } from './browser.ts';

let server: TestServer;
let browser: TestBrowser;

beforeEach(async () => {
  server = await startServer({ seed });
  browser = createBrowser();
});
afterEach(() => server[Symbol.asyncDispose]());

const open = (changes: Changes = {}) => browser.get(authorizeUrl(server, changes));
const stepUp = { acr_values: 'AUTH-MFA' };
const expired = { status: 400, text: expect.stringContaining('This page has expired') };

async function logIn(): Promise<void> {
  await browser.submit(await open(), 'password', { user_name: 'alice', password });
}

const askForCode = async (changes: Changes = {}) =>
  browser.submit(await open({ ...stepUp, ...changes }), 'factor', { factor: 'main-email' });

const confirm = (page: Page) => browser.submit(page, 'code', { code: codeOn(page) });

test('the former cookie finds no session any more, and the session stays the same', async () => {
  await logIn();
  const before = decodeJwt(String((await redeem(server, readAnswer(await open()).code)).json.id_token));
  const former = browser.copy();
  const silent = authorizeUrl(server, { prompt: 'none' });
  expect(readAnswer(await former.get(silent))).toHaveProperty('code');

  const done = await confirm(await askForCode());
  expect(done.headers.get('set-cookie')).toMatch(/^iam-[0-9a-f]{12}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  const after = decodeJwt(String((await redeem(server, readAnswer(done).code)).json.id_token));
  expect(after).toMatchObject({ acr: 'AUTH-MFA', sid: before.sid, auth_time: before.auth_time });
  expect(readAnswer(await former.get(silent))).toMatchObject({ error: 'login_required' });
  expect(readAnswer(await browser.get(silent))).toHaveProperty('code');
  const sessions = (await send(server, '/_iam/sessions')).body as { readonly kind: string }[];
  expect(sessions.filter(({ kind }) => kind === 'browser')).toHaveLength(1);
});

test('a service for which the user types a code gets no refresh token of the application', async () => {
  await logIn();
  const { json } = await redeem(server, readAnswer(await open()).code);
  const service = server.as({ token: String(json.access_token) });
  const raised = await fulfill(service, await requestChallenge(server, service, 'main-email', 'alice@example.com'));
  expect(decodeJwt(raised.accessToken).authorities).toContain('ROLE_AUTH-MFA');
  expect(raised).not.toHaveProperty('refreshToken');
  const renewal = { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) };
  expect((await postAs(server, 'web', '/oauth2/token', renewal)).json).toHaveProperty('access_token');
});

test('a wrong code replaces no cookie', async () => {
  await logIn();
  const page = await askForCode();
  const before = browser.cookie();
  const wrong = await browser.submit(page, 'code', { code: codeOn(page) === '000000' ? '000001' : '000000' });
  expect(wrong.headers.get('set-cookie')).toBeNull();
  expect(browser.cookie()).toBe(before);
  expect(readAnswer(await browser.submit(wrong, 'code', { code: codeOn(page) }))).toHaveProperty('code');
});

test.each<[string, () => Promise<Page>, string, Changes]>([
  ['the code', () => askForCode(), 'code', { code: '123456' }],
  ['the second factor', () => open(stepUp), 'factor', { factor: 'main-email' }],
  ['a choice of the account', () => open({ prompt: 'select_account' }), 'continue', {}],
  ['consent', () => open({ client_id: 'partner' }), 'consent', { decision: 'allow' }],
])('a page of a parallel tab that asked for %s begins again', async (_name, openPage, step, fields) => {
  await logIn();
  const older = await openPage();
  await confirm(await askForCode());
  const page = await browser.submit(older, step, fields as Record<string, string>);
  expect(page).toMatchObject(expired);
  const [, href = ''] = /<a href="([^"]+)">Start again/.exec(page.text) ?? [];
  const again = await browser.get(new URL(href.replaceAll('&amp;', '&'), page.url).href);
  // The user is the same, and has agreed to nothing.
  if (step === 'consent') expect(again.text).toContain('Allow Partner?');
  else if (step === 'continue') expect(again.text).toContain('Continue as Alice');
  else expect(readAnswer(again)).toHaveProperty('code');
});

test('a code that is sent twice confirms once, and the second page begins again', async () => {
  await logIn();
  const page = await askForCode();
  const former = browser.copy();
  await confirm(page);
  expect(await former.submit(page, 'code', { code: codeOn(page) })).toMatchObject(expired);
});

test('the page for consent that follows belongs to the new cookie', async () => {
  await logIn();
  const page = await confirm(await askForCode({ client_id: 'partner' }));
  expect(page.text).toContain('Allow Partner?');
  expect(readAnswer(await browser.submit(page, 'consent', { decision: 'allow' }))).toHaveProperty('code');
});

test('a response without a code has the new cookie as well', async () => {
  await logIn();
  const page = await askForCode();
  const body = { effect: { authorization: 'access-denied' }, times: 1 };
  expect((await send(server, '/_iam/faults', { method: 'POST', body })).status).toBe(201);
  expect(readAnswer(await confirm(page))).toMatchObject({ error: 'access_denied' });
  expect(readAnswer(await open({ prompt: 'none' }))).toHaveProperty('code');
});
