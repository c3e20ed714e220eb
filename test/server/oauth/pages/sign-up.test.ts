/** Sign-up on the pages of a login. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { authorizeUrl, readAnswer, redeem, seed } from '../applications.ts';
import { codeOn, createBrowser, type Page, type TestBrowser } from '../browser.ts';

let server: TestServer;
let browser: TestBrowser;

beforeEach(async () => {
  server = await startServer({ seed });
  browser = createBrowser();
});
afterEach(() => server[Symbol.asyncDispose]());

const email = 'carol@example.com';
const password = 'seven green umbrellas';

async function askForCode(address: string): Promise<Page> {
  const form = await browser.submit(await browser.get(authorizeUrl(server)), 'sign-up');
  return browser.submit(form, 'verify', { email: address });
}

test('a user with a code to its address creates an account, and the login goes on', async () => {
  const page = await askForCode(email);
  const account = { code: codeOn(page), user_name: 'carol', new_password: password };
  const taken = await browser.submit(page, 'create', { ...account, user_name: 'alice' });
  expect(taken).toMatchObject({ status: 400, text: expect.stringContaining('is already in use') });
  expect(taken.text).toContain(`value="${account.code}"`);
  const weak = await browser.submit(taken, 'create', { ...account, new_password: 'carol' });
  expect(weak).toMatchObject({ status: 400, text: expect.stringContaining('at least 8 characters') });
  expect(weak.text).toContain('value="carol"');
  const answer = readAnswer(await browser.submit(weak, 'create', account));
  expect((await redeem(server, answer.code)).status).toBe(200);
  const user = await server.appContext.store.users.getBy('login', 'carol');
  expect(user).toMatchObject({ userEmail: email, emailVerified: true, selfRegistered: true });
});

test('nothing is created without the code, and the page does not tell whether a user has the address', async () => {
  const withoutCode = ({ text }: Page) =>
    text.replace(/<p class="note">.*?<\/p>/, '').replaceAll(/name="form_token" value="[^"]*"/g, '');
  const known = await askForCode('alice@example.com');
  expect(withoutCode(await askForCode(email))).toBe(withoutCode(known).replaceAll('alice@', 'carol@'));
  const wrong = codeOn(known) === '000000' ? '000001' : '000000';
  const fields = { code: wrong, user_name: 'bob', new_password: password };
  const refused = await browser.submit(known, 'create', fields);
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('role="alert"') });
  expect(refused.text).not.toContain('in use');
  const invalid = await browser.submit(refused, 'verify', { email: 'carol@' });
  expect(invalid).toMatchObject({ status: 400, text: expect.stringContaining('value="carol@"') });
  expect(await server.appContext.store.users.getBy('login', email)).toBeUndefined();
});

test('prompt=create starts with it, and a third-party client has none', async () => {
  const page = await browser.get(authorizeUrl(server, { prompt: 'create' }));
  expect(page.text).toContain('<h1>Create an account</h1>');
  expect((await browser.submit(page, 'switch')).text).toContain('<h1>Log in</h1>');
  const refused = await browser.get(authorizeUrl(server, { client_id: 'partner', prompt: 'create' }));
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('prompt must be of') });
  const partner = await browser.get(authorizeUrl(server, { client_id: 'partner' }));
  expect(partner.text).not.toContain('value="sign-up"');
  const sent = await browser.submit(partner, 'password', { step: 'sign-up' });
  expect(sent).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Log in</h1>') });
});

test('the pages create as little for a network as the operations', async () => {
  await using remote = await startServer({ seed, flags: { 'growth-limit': '1', 'trusted-proxies': '127.0.0.0/8' } });
  browser = createBrowser({ 'x-forwarded-for': '203.0.113.7' });
  const form = await browser.submit(await browser.get(authorizeUrl(remote)), 'sign-up');
  const first = await browser.submit(form, 'verify', { email });
  expect(first.status).toBe(200);
  expect((await browser.submit(first, 'verify')).status).toBe(429);
});
