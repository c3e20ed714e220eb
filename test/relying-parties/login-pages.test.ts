/** The pages of a login that lead elsewhere, in a real browser: sign-up, and a provider that is another server. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findViewProblems } from '../../packages/console/test/harness/axe-violations.ts';
import { acquirePage, hasBrowser, otherHost, releasePage } from '../../packages/console/test/harness/browser.ts';
import { startServer, type TestServer } from '../harness.ts';
import { deviceGrant } from '../server/oauth/applications.ts';
import { codeChallenge } from '../server/oauth/browser.ts';
import { postFields } from '../server/oauth/oauth-requests.ts';
import { alice, password } from '../server/operations/user-identities/login-fixtures.ts';

const name = 'corp';
const ada = { userId: 'ada-id', userName: 'ada', userEmail: 'ada@example.com' };
let application: Server;
let callback: string;
let provider: TestServer;
let server: TestServer;
let page: Page;

/** Of the application: what a login leads back to, or a form that it sends to the address after `/form?`. */
const renderSite = (url = ''): string =>
  url.startsWith('/form?')
    ? `<!doctype html><form method="post" action="${url.slice(6)}"><input name="form_token" value="x"><input name="user_code" value="x"><button>Send</button></form>`
    : 'back';

const press = (text: string) => page.getByRole('button', { name: text, exact: true }).click();
const openLogin = (changes: Readonly<Record<string, string>> = {}) =>
  page.goto(
    `${server.url}/oauth2/authorize?${new URLSearchParams({
      ...{ client_id: 'web', response_type: 'code', redirect_uri: callback, scope: 'openid', state: 's' },
      ...{ code_challenge: codeChallenge, code_challenge_method: 'S256', ...changes },
    })}`,
  );

describe.runIf(hasBrowser)('in Chromium', () => {
  beforeAll(async () => {
    application = createServer((request, response) => response.end(renderSite(request.url))).listen(0, '127.0.0.1');
    await new Promise((resolve) => application.once('listening', resolve));
    callback = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
    const client = { grantTypes: ['authorization_code'], idTokenAlg: 'ES256' as const };
    const redirectURI = `http://127.0.0.1/oauth2/callback/${name}`;
    const clients = [{ ...client, clientId: 'standin', appId: 'Stand-in', redirectURI }];
    provider = await startServer({ seed: { users: [ada], clients } });
    server = await startServer({
      seed: {
        users: [ada],
        clients: [{ ...client, clientId: 'web', appId: 'Shop', redirectURI: callback }],
        providers: [
          {
            ...{ kind: 'oidc', name, clientId: 'standin', issuer: provider.url, emailDomains: ['example.com'] },
            jwksUri: `${provider.url}/.well-known/jwks.json`,
            authorizationEndpoint: `${provider.url}/oauth2/authorize`,
            tokenEndpoint: `${provider.url}/oauth2/token`,
          },
        ],
      },
    });
    // Registered to the letter: with a session there, the provider shows no page.
    await provider.appContext.store.transaction(async (tx) => {
      const standin = await tx.clients.get('standin');
      if (standin) await tx.clients.replace({ ...standin, redirectURI: `${server.url}/oauth2/callback/${name}` });
    });
    page = await acquirePage();
  });
  afterAll(async () => {
    await releasePage(page);
    await Promise.all([provider, server].map((each) => each[Symbol.asyncDispose]()));
    application.close();
  });

  test('a login at the provider ends at the application', async () => {
    await openLogin();
    expect(await findViewProblems(page)).toEqual([]);
    await press(`Log in with ${name}`);
    await page.waitForURL(`${provider.url}/**`);
    await page.getByRole('button', { name: /^ada/ }).click();
    await page.waitForURL(`${callback}?code=*`);
    // With the session there, all redirects follow one form.
    await openLogin({ prompt: 'select_account' });
    await press(`Log in with ${name}`);
    await page.waitForURL(`${callback}?code=*`);
  });

  test('a refusal at the provider is on the login page', async () => {
    await openLogin({ prompt: 'login' });
    await press(`Log in with ${name}`);
    await page.waitForURL(`${provider.url}/**`);
    await press('Cancel');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain(`not logged in with ${name}`);
    expect(await findViewProblems(page)).toEqual([]);
  });

  test('an account is created, with what was typed kept on errors', async () => {
    await openLogin({ prompt: 'create' });
    expect(await findViewProblems(page)).toEqual([]);
    await page.getByLabel('E-mail address').fill('carol@example.com');
    await press('Send a code');
    const code = (await page.locator('.note code').textContent()) ?? '';
    expect(await findViewProblems(page)).toEqual([]);
    await page.getByLabel('Code').fill(code);
    await page.getByLabel('User name').fill('ada');
    await page.getByLabel('Password').fill('seven green umbrellas');
    await press('Create the account');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('already in use');
    expect(await page.getByLabel('Code').inputValue()).toBe(code);
    expect(await findViewProblems(page)).toEqual([]);
    await page.getByLabel('User name').fill('carol');
    await page.getByLabel('Password').fill('seven green umbrellas');
    await press('Create the account');
    await page.waitForURL(`${callback}?code=*`);
  });
  // Over http, browsers send Fetch Metadata only to loopback hosts, and Origin to all.
  test.each(['127.0.0.1', 'localhost', otherHost])(
    'at http://%s own forms work, and none of another port',
    async (host) => {
      const clients = [{ clientId: 'tv', appId: 'Living room', grantTypes: [deviceGrant] }];
      await using one = await startServer({ seed: { users: [alice], clients }, flags: { 'allowed-host': otherHost } });
      const at = one.url.replace('127.0.0.1', host);
      const { json } = await postFields(one, '/oauth2/device_authorization', { client_id: 'tv' });
      await page.goto(`${at}/oauth2/device?user_code=${json.user_code}`);
      await press('Continue');
      await page.getByLabel('User name or e-mail').fill(alice.userName);
      await page.getByLabel('Password').fill(password);
      await press('Log in');
      await press('Allow');
      await page.getByRole('heading', { name: 'You are logged in to Living room' }).waitFor();
      await page.goto(`${callback.replace('127.0.0.1', host).replace('callback', 'form')}?${at}/oauth2/device`);
      await press('Send');
      await page.getByText('Another site sent this form.').waitFor();
      await page.goto(`${at}/oauth2/logout`);
      await press('Log out');
      await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
    },
  );
});
