import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { saveLocalProfile, saveProfile } from '../../../src/cli/config/profile.ts';
import { isSameServer, toReachableUrl } from '../../../src/cli/config/server-url.ts';
import { CliSettings } from '../../../src/cli/config/settings.ts';
import { createLoopbackLookup } from '../../../src/cli/http/loopback.ts';
import { assertConfidential } from '../../../src/cli/http/transport-security.ts';
import { startFakeServer, tokenResponse } from '../../client/fake-server.ts';
import { Home, iam, test } from '../run-cli.ts';

const user = { IAM_CLIENT_ID: 'app', IAM_USERNAME: 'ann', IAM_PASSWORD: 'canary' };
const client = { IAM_CLIENT_ID: 'app', IAM_CLIENT_SECRET: 'canary' };
const credentialVariables: readonly Readonly<Record<string, string>>[] = [
  { IAM_TOKEN: 'canary' },
  { IAM_API_KEY: 'canary' },
  client,
  user,
];

/** The same server with an address that is not recognized as loopback. */
function elsewhere({ url }: { readonly url: string }): string {
  return url.replace('127.0.0.1', '0.0.0.0');
}

describe('credentials over http to another host', () => {
  test.each(credentialVariables)('are not sent: %j', async (variables) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const url = elsewhere(server);
    for (const words of [['groups', 'list'], ['users', 'list'], ['whoami'], ['api', 'GET', '/groups'], ['export']]) {
      const outcome = await iam(words, { url, variables });
      expect(outcome).toMatchObject({ code: 2, out: '' });
      expect(outcome.err).toContain(`${url} is an http URL of another host (IAM_BASE_URL)`);
      expect(outcome.err).toContain('--insecure-http or set IAM_INSECURE_HTTP=true');
      expect(outcome.err).not.toContain('canary');
    }
    expect(server.received).toEqual([]);
  });

  test('are a separate error for programs', async () => {
    const { code, err } = await iam(['groups', 'list', '-o', 'json'], { url: 'http://iam.example.com' });
    expect(code).toBe(2);
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'INSECURE_HTTP', transient: false } });
  });

  test('are neither prompted for nor read by a login', async ({ home }) => {
    await using server = await startFakeServer(() => tokenResponse('t'));
    const prompts: string[] = [];
    const prompter = async ({ message }: { readonly message: string }) => void prompts.push(message);
    const logins = [
      ['--user', 'ann', '--client-id', 'app'],
      ['--user', 'ann', '--client-id', 'app', '--password-stdin'],
      ['--client-id', 'app'],
      ['--client-id', 'app', '--secret-stdin'],
      ['--mfa'],
    ];
    for (const words of logins) {
      const outcome = await home.iam(['login', ...words], {
        url: elsewhere(server),
        columns: 80,
        prompter,
        variables: {},
      });
      expect(outcome.code).toBe(2);
    }
    expect(prompts).toEqual([]);
    expect(server.received).toEqual([]);
  });

  test.each([
    [{ token: 'canary' }],
    [{ apiKey: 'canary' }],
    [{ clientId: 'app', clientSecret: 'canary' }],
    [{ session: { clientId: 'app', userName: 'ann' } }],
  ])('are not sent for a profile: %j', async (credentials) => {
    await using home = await Home.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    await saveProfile('p', { baseUrl: elsewhere(server), ...credentials }, home.variables);
    const outcome = await home.iam(['groups', 'list']);
    expect(outcome).toMatchObject({ code: 2, out: '', err: expect.stringContaining('(profile p)') });
    expect((await home.iam(['config', 'set', 'insecure-http', 'true'])).code).toBe(2);
    expect(server.received).toEqual([]);
  });

  test('are not sent in a body, a query or a header of the command line, nor for completion', async () => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const url = elsewhere(server);
    const attempts = [
      [['call', 'generate-token.create', '--anonymous', '-f', '-'], '{"grantType":"password","password":"canary"}'],
      [['call', 'generate-token.create', '--anonymous', '-f', '-'], '{"deep":[{"clientSecret":"canary"}]}'],
      [['api', 'GET', '/x', '--header', 'x-other=canary'], ''],
      [['api', 'GET', '/x', '--param', 'token=canary'], ''],
    ] as const;
    for (const [words, stdin] of attempts)
      expect(await iam(words, { url, stdin, variables: {} })).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining('is an http URL of another host'),
      });
    await iam(['__complete', '--', 'groups', 'get', ''], { url, variables: { IAM_TOKEN: 'canary' } });
    expect(server.received).toEqual([]);
  });

  test('are deleted by a logout, with a warning that they were not revoked', async ({ home }) => {
    await using issuer = await startFakeServer(() => tokenResponse('t'));
    await saveProfile('p', { baseUrl: elsewhere(issuer), clientId: 'app', clientSecret: 'canary' }, home.variables);
    await home.iam(['groups', 'list'], { variables: { IAM_INSECURE_HTTP: 'true' } });
    const before = issuer.received.length;
    const outcome = await home.iam(['logout']);
    expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining('Could not revoke') });
    expect(issuer.received).toHaveLength(before);
  });

  test('are sent if allowed by the flag or the environment', async () => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const url = elsewhere(server);
    const variables = { IAM_TOKEN: 't' };
    const allowed = [
      iam(['groups', 'list', '--insecure-http'], { url, variables }),
      iam(['--insecure-http', 'groups', 'list'], { url, variables }),
      iam(['groups', 'list'], { url, variables: { ...variables, IAM_INSECURE_HTTP: '1' } }),
    ];
    expect((await Promise.all(allowed)).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer t'));
    for (const no of ['false', '0', 'no', 'off'])
      expect((await iam(['groups', 'list'], { url, variables: { ...variables, IAM_INSECURE_HTTP: no } })).code).toBe(2);
    const slip = await iam(['groups', 'list'], { url, variables: { ...variables, IAM_INSECURE_HTTP: 'ture' } });
    expect(slip).toMatchObject({ code: 2, err: expect.stringContaining('must be true or false') });
    expect(server.received).toHaveLength(3);
  });

  test('do not restrict requests without credentials', async () => {
    await using server = await startFakeServer(() => ({ json: { keys: [] } }));
    const url = elsewhere(server);
    expect((await iam(['keys'], { url, variables: { IAM_TOKEN: 'canary' } })).code).toBe(0);
    expect((await iam(['api', 'GET', '/healthz'], { url, variables: {} })).code).toBe(0);
    expect((await iam(['groups', 'create', '--group-name', 'x', '--dry-run'], { url })).code).toBe(0);
    expect((await iam(['config', 'explain'], { url })).code).toBe(0);
    expect(server.received).toHaveLength(2);
    expect(JSON.stringify(server.received)).not.toContain('canary');
  });

  test('are a finding of doctor, which runs the other checks without them', async () => {
    await using server = await startFakeServer(() => ({ json: {} }));
    const { code, out } = await iam(['doctor', '-o', 'json'], { url: elsewhere(server), variables: client });
    expect(code).toBe(1);
    const findings = JSON.parse(out) as { check: string; status: string; detail: string }[];
    expect(findings.find(({ check }) => check === 'sign-in')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('is an http URL of another host'),
    });
    expect(JSON.stringify(server.received)).not.toMatch(/authorization|canary/);
  });
});

describe('loopback detection', () => {
  const check = (baseUrl: string, options = {}, variables = {}) =>
    assertConfidential(
      new CliSettings({ options: { baseUrl, ...options }, variables, file: { profiles: {} } }),
      baseUrl,
    );

  test.each([
    'http://localhost:8080',
    'HTTP://LOCALHOST:8080/x',
    'http://iam.localhost',
    'http://127.0.0.1',
    'http://127.255.1.2:80',
    'http://2130706433:8080',
    'http://0x7f.1/',
    'http://127.1',
    'http://127.0.0.1.',
    'http://[::1]:8080',
    'http://[0:0:0:0:0:0:0:1]',
    'http://①②⑦.0.0.1',
    'https://iam.example.com',
    'https://8.8.8.8',
  ])('%s can get credentials', (baseUrl) => {
    expect(() => check(baseUrl)).not.toThrow();
  });

  test.each([
    'http://iam.example.com',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://evillocalhost',
    'http://localhost.',
    'http://127.0.0.1@evil.example',
    'http://localhost:8080@evil.example/',
    'http://evil.example#localhost',
    'http://evil.example?.localhost',
    'http://evil.example\\@localhost',
    'http://[::ffff:8.8.8.8]',
    'http://[::ffff:127.0.0.1]',
    'http://[::]',
    'http://0.0.0.0:8080',
    'http://0',
    'http://134744072',
    'http://0x08080808',
    'http://128.0.0.1',
    'http://[fe80::1]',
    'http://192.168.0.1',
    'http:evil.example',
    ' http://evil.example',
    'ht\ttp://evil.example',
  ])('%s cannot get credentials', (baseUrl) => {
    expect(() => check(baseUrl)).toThrow('is an http URL of another host');
  });

  test('a remote proxy makes a loopback URL remote, unless it is not used', () => {
    const proxy = 'http://me:canary@proxy.example:3128';
    expect(() => check('http://127.0.0.1:8080', { proxy })).toThrow(
      'behind the proxy http://(secret)@proxy.example:3128',
    );
    expect(() => check('https://iam.example.com', { proxy })).not.toThrow();
    expect(() => check('http://127.0.0.1:8080', { proxy: 'http://127.0.0.1:3128' })).not.toThrow();
    expect(() => check('http://127.0.0.1:8080', {}, { HTTP_PROXY: proxy, IAM_PROXY: proxy })).not.toThrow();
  });

  test('the message does not contain the password of the URL', () => {
    const message = (baseUrl: string) => {
      try {
        check(baseUrl);
      } catch (error) {
        return String(error);
      }
      return '';
    };
    for (const url of ['http://me:canary@x', ' http://me:canary@x', 'http:me:canary@x', 'http:\\\\me:canary@x'])
      expect(message(url)).toMatch(/^CliError: http:\/\/x is/);
  });

  test('subdomains of localhost are resolved as localhost, only to loopback addresses', async () => {
    const resolved: string[] = [];
    const resolving = (addresses: { address: string; family: number }[]) =>
      createLoopbackLookup((name, _options, callback) => {
        resolved.push(name);
        callback(null, addresses);
      });
    const remote = { address: '8.8.8.8', family: 4 };
    const mapped = { address: '::ffff:8.8.8.8', family: 6 };
    const own = [
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ];
    const found = (addresses: { address: string; family: number }[], all: boolean) =>
      new Promise((resolve) => {
        resolving(addresses)('iam.localhost', { all }, (...result) => resolve(result));
      });
    expect(await found([remote, ...own, mapped], true)).toEqual([null, own]);
    expect(await found([remote, ...own], false)).toEqual([null, '::1', 6]);
    expect(await found([remote, mapped], true)).toEqual([expect.objectContaining({ code: 'ENOTFOUND' }), '']);
    expect(new Set(resolved)).toEqual(new Set(['localhost']));
  });

  test('a subdomain of localhost reaches a local server', async () => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const url = server.url.replace('127.0.0.1', 'iam.localhost');
    expect(await iam(['groups', 'list', '-o', 'json'], { url })).toMatchObject({ code: 0, out: '[]\n' });
    expect(server.received[0]?.headers).toMatchObject({ host: new URL(url).host, authorization: 'Bearer test-token' });
  });
});

test('the profile of a server on a wildcard address has a loopback URL', async ({ home }) => {
  await saveLocalProfile({ baseUrl: 'http://0.0.0.0:8080' }, home.variables);
  expect(JSON.parse(await readFile(home.file('config/iam/config.json'), 'utf8'))).toMatchObject({
    profiles: { local: { baseUrl: 'http://127.0.0.1:8080' } },
  });
  expect(toReachableUrl('https://[::]:8443/x')).toBe('https://[::1]:8443/x');
  expect(toReachableUrl('http://0.0.0.0.example')).toBe('http://0.0.0.0.example');
});

test.each([
  ['https://a/x', 'https://a/', true],
  ['https://a/x/s/y', 'https://a/x', true],
  ['https://a/x', 'https://a/x/security/iam/v1', true],
  ['https://A:443/x/', 'https://a/x', true],
  ['https://a/xy', 'https://a/x', false],
  ['https://a/', 'https://a/x', false],
  ['https://a/x/../y', 'https://a/x', false],
  ['https://a/x/%2e%2e/y', 'https://a/x', false],
  ['http://a/x', 'https://a/x', false],
  ['https://a:444/x', 'https://a/x', false],
  ['nonsense', 'nonsense', false],
])('%s is within %s: %s', (url, trusted, is) => {
  expect(isSameServer(url, trusted)).toBe(is);
});
