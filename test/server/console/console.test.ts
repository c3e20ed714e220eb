/** The files of the web console as the server sends them. Needs dist/. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashSecret } from '../../../src/server/lib/secrets.ts';
import { appClientId, startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** The URLs of the script and the styles of a page. */
async function assetsOf(path: string): Promise<string[]> {
  const { body } = await send(server, path);
  const references = [...String(body).matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)];
  const urls = references.map(([, reference = '']) => new URL(reference, `${server.url}${path}`));
  return urls.filter(({ protocol }) => protocol !== 'data:').map(({ href }) => href);
}

describe('the page', () => {
  test.each(['', '/', '/inbox', '/users/alice', '/nosuch/page/of/any/depth'])('is served at %j', async (path) => {
    const { status, headers, body } = await send(server, `/_iam/console${path}`);
    if (path === '') {
      expect([status, headers.location]).toEqual([308, 'console/']);
      return;
    }
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(String(body)).not.toMatch(/https?:\/\/(?!www\.w3\.org)|\{\{|<script(?![^>]* src=)| on\w+=/);
  });

  test('allows only its own scripts, styles with a nonce of this response, and no frame', async () => {
    const nonces = new Set<string>();
    for (let at = 0; at < 3; at += 1) {
      const { headers, body } = await send(server, '/_iam/console/');
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "connect-src 'self'",
          "frame-ancestors 'none'",
        ]),
      );
      expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
      expect(headers['referrer-policy']).toBe('no-referrer');
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy.join()) ?? [];
      expect(nonce.length).toBeGreaterThanOrEqual(22);
      expect(String(body)).toContain(`content="${nonce}"`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  test.each(['/_iam/console/', '/_iam/console/users/alice', '/s/one/_iam/console/', '/s/one/_iam/console/users/alice'])(
    'loads from %s the same assets, which browsers may cache',
    async (path) => {
      const urls = await assetsOf(path);
      expect(urls.length).toBeGreaterThan(1);
      for (const url of urls) {
        expect(url.startsWith(`${server.url}/_iam/console/assets/`)).toBe(true);
        const response = await send(server, url.slice(server.url.length));
        expect(response).toMatchObject({
          status: 200,
          headers: { 'cache-control': 'private, max-age=31536000, immutable' },
        });
      }
    },
  );

  test('names the application client where a login is required, unless it was deleted or has a secret', async () => {
    const readLoginClient = async (from: TestServer) =>
      /name="login-client" content="([^"]*)"/.exec(String((await send(from, '/_iam/console/')).body))?.[1];
    expect(await readLoginClient(server)).toBe('');
    await using remote = await startServer({ flags: { 'allow-remote': true } });
    expect(await readLoginClient(remote)).toBe(appClientId);
    const { store } = remote.appContext;
    await store.transaction(async (tx) => {
      const client = await tx.clients.get(appClientId);
      if (client) await tx.clients.replace({ ...client, secretHash: hashSecret('demo-only-secret') });
    });
    expect(await readLoginClient(remote)).toBe('');
    await store.transaction((tx) => tx.clients.delete(appClientId));
    expect(await readLoginClient(remote)).toBe('');
  });

  test('is not served with the control plane disabled', async () => {
    await using closed = await startServer({ flags: { 'disable-control-plane': true } });
    for (const path of ['/_iam/console', '/_iam/console/', '/_iam/console/assets/index.js'])
      expect(await send(closed, path)).toMatchObject({ status: 404 });
  });
});

describe('an asset', () => {
  test('is compressed for clients that accept it, with the same content', async () => {
    const [url = ''] = await assetsOf('/_iam/console/');
    const raw = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } });
    const rejected = await fetch(url, { headers: { 'Accept-Encoding': 'br;q=0' } });
    const compressed = await fetch(url, { headers: { 'Accept-Encoding': 'gzip, br' } });
    expect([raw, rejected, compressed].map(({ headers }) => headers.get('content-encoding'))).toEqual([
      null,
      null,
      'br',
    ]);
    expect(compressed.headers.get('vary')).toBe('Accept-Encoding');
    const text = await raw.text();
    expect(await compressed.text()).toBe(text);
    expect(Number(compressed.headers.get('content-length'))).toBeLessThan(text.length / 2);
  });

  test.each(['nosuch.js', '..%2findex.html', '..%2f..%2fcli.cjs', 'index.html', ''])(
    '%j does not exist',
    async (name) => {
      expect(await send(server, `/_iam/console/assets/${name}`)).toMatchObject({ status: 404 });
    },
  );
});

test('changes nothing: other methods are rejected', async () => {
  for (const method of ['POST', 'PUT', 'DELETE'])
    expect(await send(server, '/_iam/console/', { method })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
});

test('pages of other sites may link to it, but not load, frame or embed it', async () => {
  const navigation = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'cross-site' };
  expect(await send(server, '/_iam/console/inbox', { headers: navigation })).toMatchObject({ status: 200 });
  for (const headers of [
    { ...navigation, 'Sec-Fetch-Dest': 'iframe' },
    { Origin: 'https://other.example', 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script', 'Sec-Fetch-Site': 'cross-site' },
  ])
    expect(await send(server, '/_iam/console/inbox', { headers })).toMatchObject({ status: 403 });
});
