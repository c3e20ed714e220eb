/** The API reference page as served to a browser. Needs dist/. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '../../../src/contract/version.ts';
import { pageFileNames, readPageFiles } from '../../../src/server/openapi/docs-page-files.ts';
import { readSource } from '../../conformance/source-files.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';

const ofPage = ['/_iam/docs', '/_iam/openapi.json', ...pageFileNames.map((name) => `/_iam/docs/${name}`)];

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns the URLs that the page loads. */
async function loadedByPage(base = ''): Promise<string[]> {
  const { body } = await send(server, `${base}/_iam/docs`);
  const found = [...String(body).matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
  return found
    .filter((url) => !url.startsWith('data:'))
    .map((url) => new URL(url, `${server.url}${base}/_iam/docs`).href);
}

describe('the page', () => {
  test('is HTML that runs and loads only files of this server', async () => {
    const { status, headers, body } = await send(server, '/_iam/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-store');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]));
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
    expect(String(body)).not.toMatch(/https?:\/\/|\{\{|<script(?![^>]* src=)| on\w+=/);
  });

  test('loads existing files with their media type and immutable caching', async () => {
    const urls = await loadedByPage();
    expect(urls.length).toBeGreaterThan(3);
    for (const url of urls) {
      expect(url.startsWith(`${server.url}/_iam/docs/`)).toBe(true);
      const { status, headers, body } = await send(server, url.slice(server.url.length));
      expect(status).toBe(200);
      expect(headers['content-type']).toBe(`text/${/\.css\?/.test(url) ? 'css' : 'javascript'}; charset=utf-8`);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cache-control']).toBe('private, max-age=31536000, immutable');
      expect(Number(headers['content-length'])).toBe(Buffer.byteLength(String(body)));
    }
  });

  test('loads compressed files, with the same content, where the browser accepts it', async () => {
    const urls = await loadedByPage();
    const sizes = { raw: 0, compressed: 0 };
    for (const url of urls) {
      const [raw, compressed] = await Promise.all(
        ['identity', 'gzip, br'].map((coding) => fetch(url, { headers: { 'Accept-Encoding': coding } })),
      );
      expect([raw?.headers.get('content-encoding'), compressed?.headers.get('content-encoding')]).toEqual([null, 'br']);
      expect([raw?.headers.get('vary'), compressed?.headers.get('vary')]).toEqual([
        'Accept-Encoding',
        'Accept-Encoding',
      ]);
      sizes.raw += Number(raw?.headers.get('content-length'));
      sizes.compressed += Number(compressed?.headers.get('content-length'));
      expect(await compressed?.text()).toBe(await raw?.text());
    }
    expect(sizes.compressed).toBeLessThan(sizes.raw / 3);
  });

  test('is not immutable when requested with another version or without one', async () => {
    for (const query of ['', '?v=older'])
      expect(await send(server, `/_iam/docs/page.js${query}`)).toMatchObject({
        status: 200,
        headers: { 'cache-control': 'no-cache' },
      });
  });

  test('responds to HEAD without a body', async () => {
    for (const each of ofPage) {
      const { status, headers, body } = await send(server, each, { method: 'HEAD' });
      expect([status, body]).toEqual([200, undefined]);
      expect(Number(headers['content-length'])).toBeGreaterThan(10);
    }
  });

  test.each([
    '..%2f..%2fpackage.json',
    '%2e%2e',
    'index.html',
    'page.js%00',
    'PAGE.JS',
    '.',
    'swagger-ui.js',
    'page.js%2f',
  ])('serves no other file: %s', async (name) => {
    const { status, body } = await send(server, `/_iam/docs/${name}`);
    expect([status, Array.isArray(body)]).toEqual([404, true]);
  });

  test('has scripts and styles without external URLs', () => {
    for (const name of ['index.html', 'page.js', 'page.css']) {
      const text = readSource(`src/server/openapi/page/${name}`);
      expect(text).not.toMatch(/https?:|\/\/[a-z]+\.|@import|url\(|eval\(|innerHTML/);
    }
  });

  test('serves the licences of the built files', async () => {
    const licences = pageFileNames.filter((name) => name.endsWith('.txt'));
    expect(licences).toHaveLength(3);
    for (const name of licences) {
      const { headers, body } = await send(server, `/_iam/docs/${name}`);
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(String(body)).toMatch(/License|Copyright/);
    }
  });

  test('reports that its files are not built', async () => {
    const empty = await mkdtemp(path.join(os.tmpdir(), 'iam-page-'));
    try {
      for (const folder of [empty, path.join(empty, 'nothing')])
        await expect(readPageFiles(folder)).rejects.toMatchObject({
          code: 'PAGE_NOT_BUILT',
          message: expect.stringContaining('not built'),
        });
    } finally {
      await rm(empty, { recursive: true });
    }
  });
});

describe('the documents of the page', () => {
  test('are those of this server', async () => {
    const { body } = await send(server, '/_iam/openapi.json');
    expect(body).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'IAM control plane', version: packageVersion },
      servers: [{ url: `${server.url}/_iam` }],
    });
    const { components } = body as { components: { examples: object } };
    expect(Object.keys(components.examples)).toContain('ORIGIN_FOREIGN');
  });

  test('in a sandbox are those of the sandbox, as is the page', async () => {
    const { body } = await send(server, '/s/reading/_iam/openapi.json');
    expect(body).toMatchObject({ servers: [{ url: `${server.url}/s/reading/_iam` }] });
    for (const url of await loadedByPage('/s/reading')) {
      expect(url).toContain('/s/reading/_iam/docs/');
      expect((await send(server, url.slice(server.url.length))).status).toBe(200);
    }
  });
});

describe('the guard', () => {
  test('rejects pages of other sites and other hosts', async () => {
    for (const each of ofPage) {
      expect(await send(server, each, { headers: { Origin: 'https://evil.example' } })).toMatchObject({ status: 403 });
      expect(await send(server, each, { headers: { Host: 'evil.example' } })).toMatchObject({ status: 421 });
      expect(await send(server, each, { headers: { Origin: server.url } })).toMatchObject({ status: 200 });
    }
  });

  test('requires authentication on a remotely reachable server, with a scheme that browsers prompt for', async () => {
    await using remote = await startServer({ flags: { host: '0.0.0.0', 'allow-remote': true } });
    const { clientId, clientSecret } = await remote.makeClient({ authorities: ['IAM_ADMIN_READ_ONLY'] });
    const Authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    for (const each of ofPage) {
      const rejected = await send(remote, each);
      expect(rejected).toMatchObject({ status: 401, body: [{ code: 'CREDENTIALS_MISSING' }] });
      const scheme = each.includes('/docs') ? /^Basic / : /^Bearer /;
      expect(rejected.headers['www-authenticate']).toMatch(scheme);
      expect(await send(remote, each, { headers: { Authorization } })).toMatchObject({ status: 200 });
    }
    const { body } = await send(remote, '/_iam/openapi.json', { headers: { Authorization } });
    const { paths } = body as { paths: Record<string, { get: { security: object[] } }> };
    expect(paths['/users']?.get.security).not.toContainEqual({});
  });

  test('is not available without a control plane', async () => {
    await using off = await startServer({ flags: { 'disable-control-plane': true } });
    for (const each of ofPage)
      expect(await send(off, each)).toMatchObject({ status: 404, body: [{ code: 'PATH_UNKNOWN' }] });
  });
});
