/** Behind a proxy, below a path and in a sandbox, every address that the server names is one of the proxy, and works there. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../src/testcontainers/free-port.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { password } from '../operations/user-identities/login-fixtures.ts';
import { callback, createRequest, deviceGrant, postAs, readAnswer, redeem, seed } from './applications.ts';
import { createBrowser, type Page } from './browser.ts';

const prefix = '/iam';

/** A proxy that removes its prefix from paths, as `proxy_pass` of nginx with a path does. */
async function startProxy(port: number) {
  const proxy = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '', headers, socket } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      outgoing.writeHead(502).end();
      return;
    }
    const forwarded = { ...headers, 'x-forwarded-for': socket.remoteAddress };
    const onward = request({ host: '127.0.0.1', port, method, path: url.slice(prefix.length), headers: forwarded });
    onward.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}

describe.each(['', '/s/checkout'])('below a prefix%s', (sandbox) => {
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let server: TestServer;
  /** The base URL at the proxy. */
  let base: { readonly url: string };
  let metadata: Readonly<Record<string, unknown>>;

  beforeAll(async () => {
    const port = await freePort();
    proxy = await startProxy(port);
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`;
    const flags = { port: String(port), 'base-url': url, 'trusted-proxies': '127.0.0.1' };
    server = await startServer({ seed, flags });
    const direct = { url: `http://127.0.0.1:${port}` };
    if (sandbox !== '') await send(direct, '/_iam/sandboxes', { method: 'POST', body: { name: 'checkout', seed } });
    base = { url: `${url}${sandbox}` };
    const response = await fetch(`${base.url}/.well-known/openid-configuration`);
    metadata = (await response.json()) as typeof metadata;
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });

  const endpoint = (name: string) => String(metadata[name]);
  const pathOf = (name: string) => endpoint(name).slice(base.url.length);
  /** Follows redirects within the server. */
  const follow = async (browser: ReturnType<typeof createBrowser>, page: Page): Promise<Page> => {
    const target = page.location === undefined ? undefined : new URL(page.location, page.url).href;
    if (target === undefined || target.startsWith(callback)) return page;
    expect(target.startsWith(`${base.url}/`), target).toBe(true);
    return follow(browser, await browser.get(target));
  };

  test('the metadata names endpoints of the base URL, each of which responds', async () => {
    const endpoints = Object.entries(metadata).filter(([name]) => /_(endpoint|uri)$/.test(name));
    expect(endpoints.length).toBe(9);
    for (const [name, url] of endpoints) {
      expect([name, String(url).startsWith(`${base.url}/`)]).toEqual([name, true]);
      const { status } = await fetch(String(url));
      expect([name, [200, 400, 401, 405].includes(status)]).toEqual([name, true]);
    }
    expect(metadata.issuer).toBe(base.url);
  });

  test.each([
    ['a form of another site', (url: string) => createBrowser().post(url, createRequest())],
    ['a link', (url: string) => createBrowser().get(`${url}?${new URLSearchParams(createRequest())}`)],
  ])('a login and a logout stay there: %s', async (_name, open) => {
    const browser = createBrowser();
    const first = await open(endpoint('authorization_endpoint'));
    const page = first.location === undefined ? await browser.get(first.url) : await follow(browser, first);
    const { code, iss } = readAnswer(await browser.submit(page, 'password', { user_name: 'alice', password }));
    expect(iss).toBe(base.url);
    const { status, json } = await redeem({ ...server, ...base }, code);
    expect([pathOf('token_endpoint'), status]).toEqual(['/oauth2/token', 200]);
    const headers = { authorization: `Bearer ${json.access_token}` };
    expect((await fetch(endpoint('userinfo_endpoint'), { headers })).status).toBe(200);
    const logout = await browser.get(endpoint('end_session_endpoint'));
    expect((await follow(browser, await browser.submit(logout, ''))).text).toContain('You are logged out');
  });

  test('a pushed request is used there', async () => {
    const form = await postAs(
      { ...server, ...base },
      'web',
      pathOf('pushed_authorization_request_endpoint'),
      createRequest(),
    );
    const query = new URLSearchParams({ client_id: 'web', request_uri: String(form.json.request_uri) });
    expect((await createBrowser().get(`${endpoint('authorization_endpoint')}?${query}`)).text).toContain('Log in');
  });

  test('a device shows an address there, and an expired page leads back to it', async () => {
    const path = pathOf('device_authorization_endpoint');
    const { json } = await postAs({ ...server, ...base }, 'web', path, {});
    expect(json.verification_uri).toBe(`${base.url}/oauth2/device`);
    const browser = createBrowser();
    const page = await browser.get(String(json.verification_uri_complete));
    const expired = await createBrowser().submit(page, '', { user_code: String(json.user_code) });
    const [, link = ''] = /<a href="([^"]*)"/.exec(expired.text) ?? [];
    expect(new URL(link, expired.url).href).toBe(`${base.url}/oauth2/device`);
    const typed = await browser.submit(page, '', { user_code: String(json.user_code) });
    const login = await browser.submit(typed, 'password', { user_name: 'alice', password });
    expect((await browser.submit(login, 'consent', { decision: 'allow' })).status).toBe(200);
    const poll = { grant_type: deviceGrant, device_code: String(json.device_code) };
    expect((await postAs({ ...server, ...base }, 'web', '/oauth2/token', poll)).status).toBe(200);
  });
});
