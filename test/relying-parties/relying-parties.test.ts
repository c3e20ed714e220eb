/** Applications with other libraries log a user in, renew and log out: each a process that knows the issuer and its client. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { root } from '../e2e/cli-process.ts';
import { makeRunner, type Runner, type Served } from '../e2e/runner.ts';
import { findFreePort } from '../e2e/standard-clients/proxies.ts';
import { createBrowser, type Page, type TestBrowser } from '../server/oauth/browser.ts';

const user = { userName: 'ada', password: 'demo-only+password & more%' };
const secret = 'only-for-these-tests-0123456789';
const claims = { sub: 'ada-id', preferred_username: 'ada', email: 'ada@example.com', email_verified: true };

const makeClient = (clientId: string, callback: string, more = {}) => ({
  ...{ clientId, appId: clientId, clientSecret: secret, redirectURI: `http://127.0.0.1${callback}` },
  ...{ grantTypes: ['authorization_code', 'refresh_token'], postLogoutRedirectURIs: ['http://127.0.0.1/'] },
  ...more,
});

const seed = {
  users: [{ userId: 'ada-id', ...user, userEmail: 'ada@example.com' }],
  clients: [
    makeClient('auth-js', '/auth/callback/iam'),
    makeClient('passport', '/callback', { requirePkce: false }),
    makeClient('express-openid-connect', '/callback', { postLogoutRedirectURIs: ['http://127.0.0.1'] }),
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

/** Starts an application. @returns its address */
async function start(name: string): Promise<string> {
  const port = await findFreePort();
  const script = path.join(root, 'test/relying-parties', `${name}.mjs`);
  const variables = { ISSUER: served.url, CLIENT_ID: name, CLIENT_SECRET: secret, PORT: String(port) };
  const { done } = runner.start(process.execPath, [script], variables);
  const url = `http://127.0.0.1:${port}`;
  const failure = done.then(({ err }) => Promise.reject(new Error(err)));
  await Promise.race([vi.waitFor(() => fetch(url), { timeout: 30_000 }), failure]);
  return url;
}

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
  const app = await start('auth-js');
  const signIn = async () => {
    const { csrfToken } = JSON.parse((await open(`${app}/auth/csrf`)).text);
    return follow(await browser.post(`${app}/auth/signin/iam`, { csrfToken, callbackUrl: `${app}/auth/session` }));
  };
  const session = JSON.parse((await logIn(await signIn())).text);
  expect(session).toMatchObject({ user: { name: 'ada', email: 'ada@example.com' }, profile: claims, renewals: 1 });
  expect(JSON.parse((await open(`${app}/auth/session`)).text)).toMatchObject({ renewals: 2 });
  expect((await open(`${app}/logout`)).url).toBe(`${app}/`);
  expect(JSON.parse((await open(`${app}/auth/session`)).text)).toBeNull();
  expect((await signIn()).text).toContain('to continue to auth-js');
});

test('passport-openidconnect', async () => {
  const app = await start('passport');
  const profile = JSON.parse((await logIn(await open(`${app}/login`))).text);
  expect(profile).toMatchObject({ id: 'ada-id', username: 'ada', emails: [{ value: 'ada@example.com' }] });
  for (let count = 0; count < 2; count += 1) expect((await open(`${app}/renewal`)).text).toBe('"renewed"');
  expect(await open(`${app}/logout`)).toMatchObject({ url: `${app}/`, text: 'null' });
  expect((await open(`${app}/login`)).text).toContain('to continue to passport');
});

test('express-openid-connect', async () => {
  const app = await start('express-openid-connect');
  await logIn(await open(`${app}/login`));
  expect(JSON.parse((await open(`${app}/claims`)).text)).toMatchObject({ idToken: claims, userinfo: claims });
  for (let count = 0; count < 2; count += 1) expect(Number((await open(`${app}/renewal`)).text)).toBeGreaterThan(3500);
  expect((await open(`${app}/logout`)).url).toBe(`${app}/`);
  expect((await open(`${app}/claims`)).text).toContain('to continue to express-openid-connect');
});
