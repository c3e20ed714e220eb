/** Applications with other libraries log a user in, renew and log out. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBrowser, type Page, type TestBrowser } from '../server/oauth/browser.ts';
import { type Service, startService, user } from './applications.ts';

const claims = { sub: 'ada-id', preferred_username: 'ada', email: 'ada@example.com', email_verified: true };

let service: Service;
let browser: TestBrowser;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => {
  browser = createBrowser();
});

/** Follows redirects as far as a page of the server or of the application. */
async function follow(page: Page): Promise<Page> {
  let at = page;
  for (let count = 0; at.location !== undefined && count < 10; count += 1)
    at = await browser.get(new URL(at.location, at.url).href);
  return at;
}

const open = async (url: string): Promise<Page> => follow(await browser.get(url));

/** Logs in on the page of the server, and returns to the application. */
async function logIn(page: Page): Promise<Page> {
  expect(page.text).toContain('to continue to');
  return follow(await browser.submit(page, 'password', { user_name: user.userName, password: user.password }));
}

test('Auth.js', async () => {
  const app = await service.start('auth-js');
  const signIn = async () => {
    const { csrfToken } = JSON.parse((await open(`${app}/auth/csrf`)).text);
    return follow(await browser.post(`${app}/auth/signin/iam`, { csrfToken, callbackUrl: `${app}/auth/session` }));
  };
  const consent = await logIn(await signIn());
  const session = JSON.parse((await follow(await browser.submit(consent, 'consent', { decision: 'allow' }))).text);
  expect(session).toMatchObject({ user: { name: 'ada', email: 'ada@example.com' }, profile: claims, renewals: 1 });
  expect(JSON.parse((await open(`${app}/auth/session`)).text)).toMatchObject({ renewals: 2 });
  expect((await open(`${app}/logout`)).url).toBe(`${app}/`);
  expect(JSON.parse((await open(`${app}/auth/session`)).text)).toBeNull();
  expect((await signIn()).text).toContain('to continue to auth-js');
});

test('passport-openidconnect', async () => {
  const app = await service.start('passport');
  const profile = JSON.parse((await logIn(await open(`${app}/login`))).text);
  expect(profile).toMatchObject({ id: 'ada-id', username: 'ada', emails: [{ value: 'ada@example.com' }] });
  for (let count = 0; count < 2; count += 1) expect((await open(`${app}/renewal`)).text).toBe('"renewed"');
  expect(await open(`${app}/logout`)).toMatchObject({ url: `${app}/`, text: 'null' });
  expect((await open(`${app}/login`)).text).toContain('to continue to passport');
});

test('express-openid-connect', async () => {
  const app = await service.start('express-openid-connect');
  await logIn(await open(`${app}/login`));
  expect(JSON.parse((await open(`${app}/claims`)).text)).toMatchObject({ idToken: claims, userinfo: claims });
  for (let count = 0; count < 2; count += 1) expect(Number((await open(`${app}/renewal`)).text)).toBeGreaterThan(3500);
  expect((await open(`${app}/logout`)).url).toBe(`${app}/`);
  expect((await open(`${app}/claims`)).text).toContain('to continue to express-openid-connect');
});
