/** What the administrator of a sandbox makes the server connect to. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeClock, startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { audience as clientId, type OpenIdProvider, startOpenIdProvider } from '../federation/openid-provider.ts';
import { authorizeUrl, callback } from '../oauth/applications.ts';
import { createBrowser } from '../oauth/browser.ts';

const clock = createFakeClock();
let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await startOpenIdProvider(clock);
});
afterAll(() => provider.close());

/** A seed with a provider whose keys are at this URL. */
function seedWith(jwksUri: string) {
  return {
    users: [{ userId: 'alice', identities: ['oidc:subject-1'] }],
    providers: [{ kind: 'oidc' as const, name: 'oidc', issuer: provider.issuer, jwksUri, clientId }],
  };
}

async function logIn(server: TestServer, name: string) {
  const { appContext } = server;
  const app = await appContext.store.clients.getBy('bootstrap', 'app');
  const path = `/s/${name}/security/iam/v1/user-identities/login-federated?clientId=${app?.clientId}`;
  return send(server, path, { method: 'POST', body: { provider: 'oidc', idToken: await provider.token() } });
}

const remote = { 'allow-remote': true };
const isFetched = async (work: () => Promise<unknown>) => {
  const before = provider.fetches;
  await work();
  return provider.fetches > before;
};

describe('on a server with remote access', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ flags: remote, clock });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(['seed', 'applied'])('the keys of a provider (%s) are not fetched from this machine', async (how) => {
    const { sandboxes } = server.appContext;
    const seed = seedWith(provider.jwksUri);
    const { appContext, bootstrapped } = await sandboxes.create(how, how === 'seed' ? seed : {});
    const headers = {
      Authorization: `Basic ${btoa(`${bootstrapped.adminClientId}:${bootstrapped.adminClientSecret}`)}`,
    };
    if (how === 'applied')
      expect((await send(server, `/s/${how}/_iam/seed`, { method: 'POST', headers, body: seed })).status).toBe(200);
    const before = provider.fetches;
    expect(await logIn(server, how)).toMatchObject({ status: 503, body: [{ code: 'PROVIDER_UNAVAILABLE' }] });
    expect(provider.fetches).toBe(before);
    expect(await appContext.store.sessions.count()).toBe(0);
    const [last] = (await send(server, `/s/${how}/_iam/requests?limit=1&status=503`, { headers })).body as {
      id: string;
    }[];
    const why = await send(server, `/s/${how}/_iam/requests/${last?.id}/why`, { headers });
    expect(JSON.stringify(why.body)).toContain('sandbox-networks');
  });

  test('a code of a login is not sent to this machine', async () => {
    const [row] = seedWith(provider.jwksUri).providers;
    const endpoints = { authorizationEndpoint: `${provider.issuer}/a`, tokenEndpoint: `${provider.issuer}/token` };
    const client = { clientId: 'web', appId: 'web', grantTypes: ['authorization_code'], redirectURI: callback };
    const seed = { clients: [client], providers: row ? [{ ...row, ...endpoints }] : [] };
    await server.appContext.sandboxes.create('codes', seed);
    const [browser, url] = [createBrowser(), `${server.url}/s/codes`];
    const sent = await browser.submit(await browser.get(authorizeUrl({ url })), 'provider', { provider: 'oidc' });
    const state = new URL(sent.location ?? '').searchParams.get('state');
    const respond = () => browser.get(`${url}/oauth2/callback/oidc?state=${state}&code=c`);
    expect(await isFetched(async () => expect((await respond()).status).toBe(503))).toBe(false);
  });
});

describe('the keys of a provider are fetched', () => {
  test('on a server without remote access', async () => {
    await using server = await startServer({ clock });
    await server.appContext.sandboxes.create('one', seedWith(provider.jwksUri));
    expect(await isFetched(async () => expect((await logIn(server, 'one')).status).toBe(201))).toBe(true);
  });

  test('from a network that the administrator of the server allows', async () => {
    await using server = await startServer({ flags: { ...remote, 'sandbox-networks': '127.0.0.0/8' }, clock });
    await server.appContext.sandboxes.create('one', seedWith(provider.jwksUri));
    expect(await isFetched(async () => expect((await logIn(server, 'one')).status).toBe(201))).toBe(true);
  });

  test('if it is in the seed of the server, in each of its sandboxes', async () => {
    await using server = await startServer({ flags: remote, clock, seed: seedWith(provider.jwksUri) });
    await server.appContext.sandboxes.open('one', true);
    expect(await isFetched(async () => expect((await logIn(server, 'one')).status).toBe(201))).toBe(true);
    await server.appContext.sandboxes.create('two', seedWith(`${provider.jwksUri}?other`));
    expect((await logIn(server, 'two')).status).toBe(503);
  });
});
