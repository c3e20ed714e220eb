/** The scopes of codes and of renewed tokens, and parameters without a value. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { password } from '../operations/user-identities/login-fixtures.ts';
import { authorizeUrl, callback, postAs, readAnswer, seed } from './applications.ts';
import { codeVerifier, createBrowser } from './browser.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer({ seed });
});
afterEach(() => server[Symbol.asyncDispose]());

async function logIn(changes: Readonly<Record<string, string>>) {
  const browser = createBrowser();
  const page = await browser.get(authorizeUrl(server, changes));
  return readAnswer(await browser.submit(page, 'password', { user_name: 'alice', password }));
}

const exchange = (code = '', more = {}) =>
  postAs(server, 'web', '/oauth2/token', {
    ...{ grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: codeVerifier, ...more },
  });

const renew = (token: unknown, scope?: string) =>
  postAs(server, 'web', '/oauth2/token', { grant_type: 'refresh_token', refresh_token: String(token), scope });

test('a scope in the exchange of a code is ignored, as any other unknown parameter', async () => {
  const { code } = await logIn({ scope: 'openid READ' });
  const { status, json } = await exchange(code, { scope: 'openid WRITE' });
  expect([status, json.scope]).toEqual([200, 'openid READ']);
});

test('a renewal can name the scopes of the login, and a part of them', async () => {
  const { code } = await logIn({ scope: 'openid profile READ' });
  const { json } = await exchange(code);
  const all = await renew(json.refresh_token, 'openid profile READ');
  expect(all.json).toMatchObject({ scope: 'openid profile READ', id_token: expect.any(String) });
  const fewer = await renew(all.json.refresh_token, 'openid');
  expect(fewer.json).toMatchObject({ scope: 'openid', id_token: expect.any(String) });
  const none = await renew(fewer.json.refresh_token, 'READ');
  expect(none.json.scope).toBe('READ');
  expect(none.json.id_token).toBeUndefined();
  for (const scope of ['openid email', 'READ WRITE'])
    expect((await renew(none.json.refresh_token, scope)).json.error).toBe('invalid_scope');
  expect((await renew(none.json.refresh_token)).json.scope).toBe('openid profile READ');
});

test('a redirect URI without a value counts as omitted', async () => {
  const { code } = await logIn({ redirect_uri: '', scope: 'READ' });
  expect((await exchange(code, { redirect_uri: '' })).status).toBe(200);
});

test('max_age can be longer than anyone is logged in', async () => {
  expect(await logIn({ max_age: '99999999999' })).toMatchObject({ code: expect.any(String) });
});
