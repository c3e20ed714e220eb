/** Logins with a browser whose steps reach different servers, also after a restart. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isFullRun } from '../../effort.ts';
import type { TestServer } from '../../harness.ts';
import { createRequest, deviceGrant, postAs, readAnswer, redeem, seed } from '../../server/oauth/applications.ts';
import { codeOn, createBrowser, type Page, type TestBrowser } from '../../server/oauth/browser.ts';
import { postFields } from '../../server/oauth/oauth-requests.ts';
import { password } from '../../server/operations/user-identities/login-fixtures.ts';
import { type Replicas, startReplicas } from './replicas.ts';

describe.runIf(isFullRun)('steps at different servers', () => {
  let replicas: Replicas;
  let browser: TestBrowser;

  beforeEach(async () => {
    replicas = await startReplicas({ seed, count: 3 });
    browser = createBrowser();
  });
  afterEach(() => replicas[Symbol.asyncDispose]());

  const at = (index: number) => replicas.servers[index] as TestServer;
  /** The page as if this server had sent it. */
  const from = (server: TestServer, page: Page): Page => ({
    ...page,
    url: new URL(page.url.slice(new URL(page.url).origin.length), server.url).href,
  });
  const logIn = (server: TestServer, page: Page) =>
    browser.submit(from(server, page), 'password', { user_name: 'alice', password });
  const open = (server: TestServer, fields: Readonly<Record<string, string>>) =>
    browser.get(`${server.url}/oauth2/authorize?${new URLSearchParams(fields)}`);
  const renew = async (server: TestServer, token: unknown) =>
    (await postAs(server, 'web', '/oauth2/token', { grant_type: 'refresh_token', refresh_token: String(token) }))
      .status;

  test('a pushed request, its page, the login, the code and its second use', async () => {
    const { json: pushed } = await postAs(at(0), 'web', '/oauth2/par', createRequest());
    const reference = { client_id: 'web', request_uri: String(pushed.request_uri) };
    const page = await open(at(1), reference);
    expect((await open(at(2), reference)).status).toBe(400);
    const { code } = readAnswer(await logIn(at(2), page));
    await replicas.restart(0);
    const { status, json } = await redeem(at(0), code);
    expect({ status, json }).toMatchObject({ status: 200, json: { id_token: expect.any(String) } });
    // The browser is logged in at all of them.
    expect(readAnswer(await open(at(1), createRequest()))).toHaveProperty('code');
    expect((await redeem(at(1), code)).json.error).toBe('invalid_grant');
    expect(await renew(at(2), json.refresh_token)).toBe(400);
  });

  test('of one code sent to all servers at once, only one exchange succeeds, and the others end its session', async () => {
    const { code } = readAnswer(await logIn(at(0), await open(at(0), createRequest())));
    const exchanged = await Promise.all(replicas.servers.map((server) => redeem(server, code)));
    expect(exchanged.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const tokens = exchanged.find(({ status }) => status === 200)?.json;
    expect(await renew(at(1), tokens?.refresh_token)).toBe(400);
  });

  test('a second factor replaces the cookie at all', async () => {
    await logIn(at(0), await open(at(0), createRequest()));
    const former = browser.copy();
    const choice = await open(at(1), createRequest({ acr_values: 'AUTH-MFA' }));
    const page = await browser.submit(from(at(2), choice), 'factor', { factor: 'main-email' });
    expect(readAnswer(await browser.submit(from(at(0), page), 'code', { code: codeOn(page) }))).toHaveProperty('code');
    const silent = `/oauth2/authorize?${new URLSearchParams(createRequest({ prompt: 'none' }))}`;
    for (const { url } of replicas.servers) {
      expect(readAnswer(await former.get(`${url}${silent}`))).toMatchObject({ error: 'login_required' });
      expect(readAnswer(await browser.get(`${url}${silent}`))).toHaveProperty('code');
    }
  });

  test('a logout at one ends the sessions at all', async () => {
    const { code } = readAnswer(await logIn(at(0), await open(at(0), createRequest())));
    const { json } = await redeem(at(1), code);
    const confirmation = await browser.get(`${at(2).url}/oauth2/logout`);
    expect((await browser.submit(confirmation, '')).text).toContain('You are logged out');
    expect(await renew(at(0), json.refresh_token)).toBe(400);
    expect((await open(at(1), createRequest({ prompt: 'none' }))).location).toContain('login_required');
  });

  test('a device, the approval of its user, and its polls', async () => {
    const client = { client_id: 'tv' };
    const { json } = await postFields(at(0), '/oauth2/device_authorization', { ...client, scope: 'openid' });
    const poll = (server: TestServer) =>
      postFields(server, '/oauth2/token', {
        ...client,
        grant_type: deviceGrant,
        device_code: String(json.device_code),
      });
    expect((await poll(at(2))).json.error).toBe('authorization_pending');
    // The interval holds for all servers together.
    expect((await poll(at(0))).json.error).toBe('slow_down');
    const typed = from(at(1), await browser.get(`${at(0).url}/oauth2/device`));
    const page = await logIn(at(2), await browser.submit(typed, '', { user_code: String(json.user_code) }));
    await browser.submit(from(at(0), page), 'consent', { decision: 'allow' });
    await replicas.restart(1);
    expect((await poll(at(1))).json).toMatchObject({ id_token: expect.any(String) });
    expect((await poll(at(2))).json.error).toBe('invalid_grant');
  });
});
