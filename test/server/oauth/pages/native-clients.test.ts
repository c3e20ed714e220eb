/** Programs that another one of the machine can imitate (RFC 8252, 8.6): no code without an act of the user. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../harness.ts';
import { alice, password } from '../../operations/user-identities/login-fixtures.ts';
import { authorizeUrl, readAnswer } from '../applications.ts';
import { createBrowser, type TestBrowser } from '../browser.ts';

const loopback = 'http://127.0.0.1:5173/callback';
const privateScheme = 'com.example.app:/callback';
/** Registered for all ports; as it is, it leads to port 80. */
const allPorts = 'http://127.0.0.1/callback';
const common = { grantTypes: ['authorization_code'], redirectURIs: [allPorts, privateScheme] };
let server: TestServer;
let browser: TestBrowser;

beforeEach(async () => {
  const clients = [
    { ...common, clientId: 'cli', appId: 'Command line', idTokenAlg: 'ES256' as const },
    { ...common, clientId: 'foreign', appId: 'Foreign', party: '3RDPARTY' as const, browserLogin: true },
  ];
  server = await startServer({ seed: { users: [alice], clients } });
  browser = createBrowser();
});
afterEach(() => server[Symbol.asyncDispose]());

const open = (changes = {}) =>
  browser.get(authorizeUrl(server, { client_id: 'cli', redirect_uri: loopback, ...changes }));

async function logIn(): Promise<void> {
  await browser.submit(await open(), 'password', { user_name: alice.userName, password });
}

test.each([loopback, allPorts, privateScheme])(
  'a user who is logged in confirms the account: %s',
  async (redirectUri) => {
    await logIn();
    const changes = { redirect_uri: redirectUri };
    expect(readAnswer(await open({ ...changes, prompt: 'none' }))).toMatchObject({
      ...{ error: 'interaction_required', state: 's t' },
    });
    const page = await open(changes);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Continue as Alice') });
    expect(readAnswer(await browser.submit(page, 'continue'))).toHaveProperty('code');
    // A login is enough.
    const again = await browser.submit(page, 'password', { user_name: alice.userName, password });
    expect(readAnswer(again)).toHaveProperty('code');
  },
);

test('the account can be confirmed unless the login is older than max_age', async () => {
  await logIn();
  expect((await open({ max_age: '0' })).text).not.toContain('Continue as');
  server.clock.advance(59);
  const page = await open({ max_age: '60' });
  expect(page.text).toContain('Continue as Alice');
  server.clock.advance(2);
  expect((await open({ max_age: '60' })).text).not.toContain('Continue as');
  const late = await browser.submit(page, 'continue');
  expect(late).toMatchObject({ status: 200, text: expect.stringContaining('Password') });
});

test('consent is the confirmation of a third-party program', async () => {
  await logIn();
  const request = { client_id: 'foreign' };
  const page = await open(request);
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Allow Foreign?') });
  expect(readAnswer(await browser.submit(page, 'consent', { decision: 'allow' }))).toHaveProperty('code');
  // It is remembered, for this program and those that imitate it.
  expect((await open(request)).text).toContain('Continue as Alice');
});
