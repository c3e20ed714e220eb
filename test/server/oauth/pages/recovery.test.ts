/** Account recovery on the pages of a login. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { password } from '../../operations/user-identities/login-fixtures.ts';
import { authorizeUrl, readAnswer, redeem, seed } from '../applications.ts';
import { codeOn, createBrowser, type Page, type TestBrowser } from '../browser.ts';

let server: TestServer;
let browser: TestBrowser;

beforeEach(async () => {
  server = await startServer({ seed });
  browser = createBrowser();
});
afterEach(() => server[Symbol.asyncDispose]());

const newPassword = 'another sesame, please';

async function askForCode(name: string): Promise<Page> {
  const forgot = await browser.submit(await browser.get(authorizeUrl(server)), 'forgot');
  return browser.submit(forgot, 'recover', { user_name: name });
}

test('a code replaces a lost password, and the login goes on', async () => {
  const page = await askForCode('alice');
  const weak = await browser.submit(page, 'reset', { code: codeOn(page), new_password: 'short' });
  expect(weak).toMatchObject({ status: 400, text: expect.stringContaining('at least 8 characters') });
  expect(weak.text).toContain(`value="${codeOn(page)}"`);
  const login = await browser.submit(weak, 'reset', { code: codeOn(page), new_password: newPassword });
  expect(login).toMatchObject({ status: 200, text: expect.stringContaining('Your password was changed.') });
  expect(login.text).toContain('value="alice"');
  const old = await browser.submit(login, 'password', { user_name: 'alice', password });
  expect(old.status).toBe(400);
  const answer = readAnswer(await browser.submit(old, 'password', { user_name: 'alice', password: newPassword }));
  expect((await redeem(server, answer.code)).status).toBe(200);
});

test('a new password ends the session of the browser', async () => {
  await browser.submit(await browser.get(authorizeUrl(server)), 'password', { user_name: 'alice', password });
  const forgot = await browser.submit(await browser.get(authorizeUrl(server, { prompt: 'login' })), 'forgot');
  const page = await browser.submit(forgot, 'recover', { user_name: 'alice' });
  await browser.submit(page, 'reset', { code: codeOn(page), new_password: newPassword });
  expect(readAnswer(await browser.get(authorizeUrl(server, { prompt: 'none' })))).toMatchObject({
    error: 'login_required',
  });
});

test('the page is the same for a name that no user has', async () => {
  const withoutCode = ({ text }: Page) =>
    text.replace(/<p class="note">.*?<\/p>/, '').replaceAll(/name="form_token" value="[^"]*"/g, '');
  const known = withoutCode(await askForCode('alice'));
  expect(withoutCode(await askForCode('nemo'))).toBe(known.replaceAll('alice', 'nemo'));
});

test('a wrong code is limited as that of the operation', async () => {
  let page = await askForCode('alice');
  const wrong = codeOn(page) === '000000' ? '000001' : '000000';
  const statuses = [];
  for (let at = 0; at < 6; at += 1) {
    page = await browser.submit(page, 'reset', { code: wrong, new_password: newPassword });
    statuses.push(page.status);
  }
  expect(statuses).toEqual([...Array<number>(5).fill(400), 429]);
});
