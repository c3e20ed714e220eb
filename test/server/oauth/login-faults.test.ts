/** Injected faults of the response that an application gets at its redirect URI. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { password } from '../operations/user-identities/login-fixtures.ts';
import { authorizeUrl, readAnswer, redeem, seed } from './applications.ts';
import { createBrowser } from './browser.ts';

let server: TestServer;

beforeEach(async () => {
  server = await startServer({ seed });
});
afterEach(() => server[Symbol.asyncDispose]());

/** Logs in with this fault, and once more. The page before counts for no rule. */
async function logInWith(authorization: string) {
  const body = { effect: { authorization }, times: 1 };
  expect((await send(server, '/_iam/faults', { method: 'POST', body })).status).toBe(201);
  const browser = createBrowser();
  const page = await browser.get(authorizeUrl(server));
  const done = await browser.submit(page, 'password', { user_name: 'alice', password });
  expect(done.headers.get('x-iam-fault')).toContain(`authorization=${authorization}`);
  const next = await browser.get(authorizeUrl(server));
  expect(readAnswer(next)).toMatchObject({ state: 's t', iss: server.url, code: expect.any(String) });
  return readAnswer(done);
}

test.each([
  ['access-denied', { error: 'access_denied', state: 's t' }],
  ['wrong-state', { state: expect.not.stringMatching(/^s t$/), code: expect.any(String) }],
  ['wrong-iss', { iss: 'https://other.example', code: expect.any(String) }],
])('%s', async (fault, expected) => {
  expect(await logInWith(fault)).toMatchObject(expected);
});

test('expired-code', async () => {
  const { code } = await logInWith('expired-code');
  expect(await redeem(server, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});

test('wrong-nonce', async () => {
  const { code } = await logInWith('wrong-nonce');
  const { json } = await redeem(server, code);
  const [, claims = ''] = String(json.id_token).split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).nonce).toMatch(/^[\w-]{43}$/);
});
