/** What the request log and the lists of sessions say about logins, and the hint of an application that knows its user. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { password } from '../operations/user-identities/login-fixtures.ts';
import { authorizeUrl, createRequest, postAs, readAnswer, redeem, seed } from './applications.ts';
import { createBrowser, type Page, type TestBrowser } from './browser.ts';

let server: TestServer;
let browser: TestBrowser;

beforeEach(async () => {
  server = await startServer({ seed });
  browser = createBrowser();
});
afterEach(() => server[Symbol.asyncDispose]());

const logIn = (page: Page, name = 'alice') => browser.submit(page, 'password', { user_name: name, password });

async function list(path: string): Promise<readonly Record<string, unknown>[]> {
  return (await send(server, `/_iam/${path}`)).body as Record<string, unknown>[];
}

test('the requests of a login are one flow, from the pushed request to the tokens', async () => {
  const { json } = await postAs(server, 'web', '/oauth2/par', createRequest());
  const pushed = new URLSearchParams({ client_id: 'web', request_uri: String(json.request_uri) });
  const page = await logIn(await browser.get(`${server.url}/oauth2/authorize?${pushed}`), 'nemo');
  await redeem(server, readAnswer(await logIn(page)).code);
  await browser.get(authorizeUrl(server, { state: 'another' }));
  const [{ flow } = {}] = await list('requests?operation=oauth2.token');
  expect(flow).toMatch(/^[0-9a-f]{16}$/);
  const requests = await list(`requests?flow=${String(flow)}`);
  const operations = ['token', 'login', 'login', 'authorize', 'par'].map((name) => `oauth2.${name}`);
  expect(requests.map(({ operation }) => operation)).toEqual(operations);
  expect(requests.map(({ clientId }) => clientId)).toEqual(Array(5).fill('web'));
});

test('a code that the token endpoint refuses is explained', async () => {
  const { code: first = '' } = readAnswer(await logIn(await browser.get(authorizeUrl(server))));
  const explain = async (code: string, changes = {}) => {
    const { json, headers } = await redeem(server, code, changes);
    expect(json.error).toBe('invalid_grant');
    return (await send(server, `/_iam/requests/${headers['x-request-id']}/why`)).body;
  };
  const because = (text: string) => ({ credential: { reason: expect.stringContaining(text) } });
  expect(await explain('x')).toMatchObject(because('has not issued'));
  expect(await explain(first, { code_verifier: 'x'.repeat(43) })).toMatchObject(because('PKCE'));
  expect(await explain(first, { redirect_uri: 'https://app.example.com/x' })).toMatchObject(because('redirect_uri'));
  await redeem(server, first);
  expect(await explain(first)).toMatchObject({ ...because('was used already'), flow: expect.any(String) });
  const { code: second = '' } = readAnswer(await browser.get(authorizeUrl(server)));
  server.clock.advance(61);
  expect(await explain(second)).toMatchObject(because('60 s'));
});

test('a redirect URI that is not registered is shown as text', async () => {
  const uri = 'http://127.0.0.1:3000/<b>';
  const { headers, text } = await browser.get(authorizeUrl(server, { redirect_uri: uri }));
  expect(text).toContain('The redirect URI http://127.0.0.1:3000/&lt;b&gt; is not registered for Shop (web).');
  const { body } = await send(server, `/_iam/requests/${headers.get('x-request-id')}/why`);
  expect(JSON.stringify(body)).toContain(uri);
});

test('an error at the redirect URI is explained', async () => {
  const { headers } = await browser.get(authorizeUrl(server, { scope: 'openid WRITE' }));
  const { body } = await send(server, `/_iam/requests/${headers.get('x-request-id')}/why`);
  expect(body).toMatchObject({
    ...{ status: 303, rejected: true, client: { clientId: 'web' } },
    errors: [{ code: 'SCOPE_EXCEEDED', message: 'The client may not request one of the scopes.' }],
  });
});

test('the sessions of a login have a kind', async () => {
  await redeem(server, readAnswer(await logIn(await browser.get(authorizeUrl(server)))).code);
  const sessions = await list('sessions?userId=alice-id');
  expect(sessions.map(({ kind }) => kind).sort()).toEqual(['application', 'browser']);
});

test('an application that knows its user gets no other one', async () => {
  const { code } = readAnswer(await logIn(await browser.get(authorizeUrl(server))));
  const { id_token: hint } = (await redeem(server, code)).json as Record<string, string>;
  const silent = { id_token_hint: hint, prompt: 'none' };
  expect(readAnswer(await browser.get(authorizeUrl(server, silent)))).toHaveProperty('code');
  const page = await browser.get(authorizeUrl(server, { prompt: 'login' }));
  await browser.submit(page, 'user', { user_id: 'bob-id' });
  expect(readAnswer(await browser.get(authorizeUrl(server, silent)))).toMatchObject({ error: 'login_required' });
  const asked = await browser.get(authorizeUrl(server, { id_token_hint: hint }));
  expect(asked).toMatchObject({ status: 200, text: expect.stringContaining('Log in') });
  expect(readAnswer(await browser.submit(asked, 'user', { user_id: 'bob-id' }))).toMatchObject({
    error: 'login_required',
  });
  expect(readAnswer(await browser.get(authorizeUrl(server, { id_token_hint: 'e30.e30.' })))).toMatchObject({
    error: 'invalid_request',
  });
  const requests = await list('requests');
  const logged = await Promise.all(requests.map(({ id }) => send(server, `/_iam/requests/${String(id)}`)));
  const texts = JSON.stringify(logged.map(({ body }) => body));
  expect(texts).toContain('id_token_hint');
  expect(texts).not.toContain(hint);
});
