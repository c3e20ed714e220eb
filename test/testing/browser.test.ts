/** Users who are logged in to the browser of a test: by the library and by the control plane. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BrowserCookie, type IamServer, startServer } from '../../src/testing/index.ts';
import { codeChallenge } from '../server/oauth/browser.ts';

const seed = {
  users: [
    { userId: 'ann', userName: 'ann.lee' },
    { userId: 'eve', locked: true },
  ],
  clients: [{ clientId: 'web', grantTypes: ['authorization_code'], redirectURI: 'https://app.example.com/callback' }],
};

let iam: IamServer;
beforeEach(async () => {
  iam = await startServer({ seed, settings: { 'fast-passwords': true } });
});
afterEach(() => iam.stop());

const query = new URLSearchParams({
  ...{ client_id: 'web', response_type: 'code', scope: 'openid', redirect_uri: 'https://app.example.com/callback' },
  ...{ code_challenge: codeChallenge, code_challenge_method: 'S256', prompt: 'none' },
});

/** What the application gets from a browser with this cookie, without any page. */
async function authorize({ name, value, url }: BrowserCookie): Promise<URLSearchParams> {
  const response = await fetch(`${url}/oauth2/authorize?${query}`, {
    redirect: 'manual',
    headers: { cookie: `${name}=${value}` },
  });
  return new URL(response.headers.get('location') ?? '').searchParams;
}

test('browser.login adds the cookie to the page, and applications get their codes at once', async () => {
  const added: BrowserCookie[] = [];
  const page = { context: () => ({ addCookies: async (cookies: BrowserCookie[]) => void added.push(...cookies) }) };
  const { cookie, userId, sessionId } = await iam.browser.login(page, 'ann.lee', { level: 'AUTH-MFA' });
  expect(userId).toBe('ann');
  expect(added).toEqual([cookie]);
  expect(cookie).toMatchObject({ url: iam.url, httpOnly: true, secure: false, sameSite: 'Lax' });
  expect((await authorize(cookie)).get('code')).toEqual(expect.any(String));
  expect((await authorize({ ...cookie, value: 'x'.repeat(43) })).get('error')).toBe('login_required');
  const sessions = await iam.client.raw('GET', '/_iam/sessions', { query: { userId: 'ann' } });
  expect(sessions.body).toEqual([expect.objectContaining({ sessionId, level: 'AUTH-MFA', renewable: false })]);
});

test('POST /_iam/browser-sessions returns the same cookie over HTTP', async () => {
  const body = { userName: 'ann.lee' };
  const { status, body: created } = await iam.client.raw('POST', '/_iam/browser-sessions', { body });
  expect(status).toBe(201);
  const { cookie, ...session } = created as { cookie: BrowserCookie };
  expect(session).toEqual({ userId: 'ann', sessionId: expect.any(String) });
  expect((await authorize(cookie)).get('code')).toEqual(expect.any(String));
});

test.each([
  [{}, 'FIELD_MISSING'],
  [{ userId: 'ann', userName: 'ann' }, 'FIELD_VALUE'],
  [{ userId: 'unknown' }, 'USER_NOT_FOUND'],
  [{ userId: 'eve' }, 'USER_LOCKED'],
])('rejects %j with %s, and starts no session', async (body, code) => {
  const { body: errors } = await iam.client.raw('POST', '/_iam/browser-sessions', { body });
  expect(errors).toEqual([expect.objectContaining({ code })]);
  expect((await iam.client.raw('GET', '/_iam/sessions')).body).toEqual([]);
});

test('browser.login names a wrong level or option, and adds nothing', async () => {
  const page = { context: () => ({ addCookies: () => Promise.reject(new Error('a cookie was added')) }) };
  await expect(iam.browser.login(page, 'ann', { level: 'high' } as never)).rejects.toThrow('Unknown level high');
  await expect(iam.browser.login(page, 'ann', { lvl: 'AUTH-MFA' } as never)).rejects.toThrow('lvl');
});
