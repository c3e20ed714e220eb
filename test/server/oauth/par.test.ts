/** Pushed authorization requests (RFC 9126). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { password } from '../operations/user-identities/login-fixtures.ts';
import { authorizeUrl, createRequest, postAs, readAnswer, redeem, seed } from './applications.ts';
import { createBrowser, type TestBrowser } from './browser.ts';
import { postFields } from './oauth-requests.ts';

let server: TestServer;
let browser: TestBrowser;

beforeEach(async () => {
  server = await startServer({ seed });
  browser = createBrowser();
});
afterEach(() => server[Symbol.asyncDispose]());

type Changes = Readonly<Record<string, string | undefined>>;

const push = (changes: Changes = {}, clientId = 'web') =>
  postAs(server, clientId, '/oauth2/par', createRequest({ client_id: clientId, ...changes }));

const follow = (uri: unknown, clientId = 'web', more: Changes = {}) =>
  browser.get(
    `${server.url}/oauth2/authorize?${new URLSearchParams({ client_id: clientId, request_uri: String(uri), ...more })}`,
  );

test('a pushed request is used once, in place of what the browser sends', async () => {
  const { status, json, headers } = await push();
  expect({ status, json }).toEqual({
    status: 201,
    json: { request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/), expires_in: 60 },
  });
  expect(headers['cache-control']).toBe('no-store');
  const stored = JSON.stringify(await server.appContext.store.tickets.list());
  expect(stored).not.toContain('response_type');
  const page = await follow(json.request_uri, 'web', { redirect_uri: 'https://evil.example/', state: 'other' });
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('to continue to Shop') });
  const answer = readAnswer(await browser.submit(page, 'password', { user_name: 'alice', password }));
  expect(answer).toMatchObject({ state: 's t', iss: server.url });
  expect((await redeem(server, answer.code)).status).toBe(200);
  expect(await follow(json.request_uri)).toMatchObject({ status: 400, location: undefined });
});

test('a pushed request expires after a minute, and belongs to its client', async () => {
  const first = await push();
  server.clock.advance(60);
  expect(await follow(first.json.request_uri)).toMatchObject({ status: 400, location: undefined });
  const second = await push();
  expect(await follow(second.json.request_uri, 'partner')).toMatchObject({ status: 400, location: undefined });
});

test.each<[string, string, Changes, string?]>([
  ['no response type', 'invalid_request', { response_type: undefined }],
  ['another response type', 'unsupported_response_type', { response_type: 'token' }],
  ['another redirect URI', 'invalid_request', { redirect_uri: 'https://evil.example/' }],
  ['no challenge', 'invalid_request', { code_challenge: undefined, code_challenge_method: undefined }],
  ['a scope that the client lacks', 'invalid_scope', { scope: 'openid WRITE' }],
  ['a foreign resource', 'invalid_target', { resource: 'https://api.example.com' }],
  ['a request object', 'request_not_supported', { request: 'e30.e30.' }],
  ['a reference', 'request_uri_not_supported', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }],
  ['a client without browser logins', 'unauthorized_client', {}, 'plain'],
])('refuses to store %s', async (_, error, changes, clientId) => {
  expect(await push(changes, clientId)).toMatchObject({ status: 400, json: { error } });
});

test('the client authenticates as at the token endpoint', async () => {
  expect(await postFields(server, '/oauth2/par', createRequest())).toMatchObject({
    ...{ status: 401, json: { error: 'invalid_client' } },
  });
  const wrong = await postFields(server, '/oauth2/par', { ...createRequest(), client_secret: 'wrong' });
  expect(wrong.status).toBe(401);
  expect((await postFields(server, '/oauth2/par', createRequest({ client_id: 'tv' }))).status).toBe(201);
});

test('a plain reference is still refused', async () => {
  expect(
    readAnswer(await browser.get(authorizeUrl(server, { request_uri: 'https://app.example.com/r' }))),
  ).toMatchObject({ error: 'request_uri_not_supported' });
});

test('a client that must push its requests sends no others', async () => {
  await server.appContext.store.transaction(async (tx) => {
    const client = await tx.clients.get('web');
    if (client) await tx.clients.replace({ ...client, requirePushedAuthorizationRequests: true });
  });
  expect(readAnswer(await browser.get(authorizeUrl(server)))).toMatchObject({ error: 'invalid_request', state: 's t' });
  // Without client_id in the form, as clients with HTTP Basic may push.
  const page = await follow((await push({ client_id: undefined })).json.request_uri);
  const forged = { ...page, text: page.text.replaceAll('scope=openid', 'scope=openid+READ') };
  const refused = await browser.submit(forged, 'password', { user_name: 'alice', password });
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('Start again at the application.') });
  const { code } = readAnswer(await browser.submit(page, 'password', { user_name: 'alice', password }));
  expect((await redeem(server, code)).status).toBe(200);
});
