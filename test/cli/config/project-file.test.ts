import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { saveProfile } from '../../../src/cli/config/profile.ts';
import { settingDefinitions } from '../../../src/cli/config/settings.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { Home, test } from '../run-cli.ts';

/** A project with this file in the home folder, and a nested working folder. */
async function project(home: Home, content: unknown): Promise<string> {
  const folder = home.file('project/deep/down');
  await mkdir(folder, { recursive: true });
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  await writeFile(home.file('project/.iamrc.json'), text);
  return folder;
}

const profile = { baseUrl: 'http://127.0.0.1:8080', token: 'the-stored-token', timeout: '7' };

async function origins(home: Home, folder: string, words: readonly string[] = [], variables = {}) {
  const { out } = await home.iam(['config', 'explain', ...words, '-o', 'json'], { folder, variables });
  const rows = JSON.parse(out) as { setting: string; value?: string; origin: string }[];
  return Object.fromEntries(rows.map(({ setting, value, origin }) => [setting, [value, origin]]));
}

describe('the project file', () => {
  test('is searched upwards; flag and environment take precedence over it, and it over profile and default', async ({
    home,
  }) => {
    await saveProfile('p', profile, home.variables);
    const folder = await project(home, { timeout: 9, baseUrl: 'http://127.0.0.1:9', output: 'jsonl', protected: true });
    const file = home.file('project/.iamrc.json');
    expect(await origins(home, folder)).toMatchObject({
      timeout: ['9', file],
      'base-url': ['http://127.0.0.1:9', file],
      'max-wait': ['10', 'default'],
      protected: ['true', file],
    });
    expect(await origins(home, folder, [], { IAM_TIMEOUT: '4' })).toMatchObject({ timeout: ['4', 'IAM_TIMEOUT'] });
    expect(await origins(home, folder, ['timeout', '--timeout', '3'])).toEqual({ timeout: ['3', '--timeout'] });
    await rm(file);
    expect(await origins(home, folder)).toMatchObject({ timeout: ['7', 'profile p'] });
  });

  test('config explain prints every setting, and the nearer of two files applies', async ({ home }) => {
    const folder = await project(home, { timeout: 9 });
    await writeFile(path.join(folder, '.iamrc.json'), '{"timeout": 5}');
    const found = await origins(home, folder);
    expect(Object.keys(found)).toEqual(settingDefinitions.map(({ key }) => key));
    expect(found.timeout).toEqual(['5', path.join(folder, '.iamrc.json')]);
  });

  test('can select a profile', async ({ home }) => {
    await saveProfile('p', profile, home.variables);
    await saveProfile('q', { ...profile, timeout: '8' }, home.variables);
    const folder = await project(home, { profile: 'q' });
    expect(await origins(home, folder)).toMatchObject({
      profile: ['q', home.file('project/.iamrc.json')],
      timeout: ['8', 'profile q'],
    });
    const missing = await project(home, { profile: 'nothing' });
    expect((await home.iam(['groups', 'list'], { folder: missing })).code).toBe(2);
  });

  test.each([
    ['token', 'canary-1'],
    ['clientSecret', 'canary-2'],
    ['client-secret', 'canary-3'],
    ['api_key', 'canary-4'],
    ['password', 'canary-5'],
  ])('with the secret %s causes a warning, and the secret is neither used nor printed', async (name, secret) => {
    await using home = await Home.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    await saveProfile('p', { baseUrl: server.url, token: 'mine' }, home.variables);
    const folder = await project(home, { [name]: secret, output: 'json' });
    const outcome = await home.iam(['groups', 'list', '--debug'], { folder });
    expect(outcome).toMatchObject({ code: 0, out: '[]\n' });
    expect(outcome.err).toContain('contains the secret');
    expect(outcome.out + outcome.err).not.toContain('canary');
    expect(server.received[0]?.headers.authorization).toBe('Bearer mine');
  });

  test.each([['proxy'], ['caFile'], ['clientCert'], ['clientId'], ['username'], ['nonsense']])(
    'cannot set %s: it is ignored with a warning',
    async (name) => {
      await using home = await Home.make();
      const folder = await project(home, { [name]: 'http://evil.example' });
      const outcome = await home.iam(['config', 'explain', '-o', 'json'], { folder });
      expect(outcome.err).toContain('which is ignored');
      expect(outcome.out).not.toContain('evil');
    },
  );

  test.each([['{'], ['[]'], ['null'], ['"x"']])('with %s is reported as invalid', async (text) => {
    await using home = await Home.make();
    const folder = await project(home, text);
    expect(await home.iam(['config', 'explain'], { folder })).toMatchObject({
      code: 2,
      err: expect.stringContaining('.iamrc.json'),
    });
  });
});

describe('another server in the project file', () => {
  const elsewhere = { baseUrl: 'http://iam.example.com' };

  test('gets no credentials of a profile or the environment, and no login', async ({ home }) => {
    const folder = await project(home, elsewhere);
    const attempts = [
      [['groups', 'list'], { IAM_TOKEN: 'canary' }],
      [['groups', 'list'], { IAM_CLIENT_ID: 'me', IAM_CLIENT_SECRET: 'canary' }],
      [['keys'], {}],
      [['login', '--user', 'me', '--client-id', 'app', '--password-stdin'], {}],
    ] as const;
    for (const [words, variables] of attempts) {
      const outcome = await home.iam(words, { folder, variables, stdin: 'canary\n' });
      expect(outcome).toMatchObject({ code: 4, out: '' });
      expect(outcome.err).toMatch(
        /which none of your profiles names; nothing was sent|a project file selects; none were sent/,
      );
      expect(outcome.err).not.toContain('canary');
    }
    await saveProfile('p', profile, home.variables);
    expect((await home.iam(['groups', 'list'], { folder })).code).toBe(4);
  });

  test('is used if a profile names it, but never with the credentials of another profile', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    await saveProfile('p', profile, home.variables);
    await saveProfile('q', { baseUrl: server.url, token: 'of-q' }, home.variables);
    const folder = await project(home, { baseUrl: server.url });
    expect((await home.iam(['groups', 'list'], { folder })).code).toBe(4);
    expect(server.received).toEqual([]);
    expect((await home.iam(['groups', 'list', '--profile', 'q'], { folder })).code).toBe(0);
    expect(server.received[0]?.headers.authorization).toBe('Bearer of-q');
  });

  test('cannot weaken the safety rules of a profile', async ({ home }) => {
    await saveProfile('p', { ...profile, readOnly: true, maxChanges: 2 }, home.variables);
    const folder = await project(home, { readOnly: false, maxChanges: 100 });
    expect(await origins(home, folder)).toMatchObject({
      'read-only': ['true', 'profile p'],
      'max-changes': ['2', 'profile p'],
    });
    expect((await home.iam(['groups', 'create', '--group-name', 'x'], { folder })).code).toBe(2);
  });
});

describe('credentials of the environment and the project file', () => {
  const secrets: readonly Readonly<Record<string, string>>[] = [
    { IAM_TOKEN: 'canary' },
    { IAM_API_KEY: 'canary' },
    { IAM_CLIENT_ID: 'app', IAM_CLIENT_SECRET: 'canary' },
    { IAM_CLIENT_ID: 'app', IAM_USERNAME: 'ann', IAM_PASSWORD: 'canary' },
  ];
  const commands = [
    ['groups', 'list'],
    ['whoami'],
    ['api', 'GET', '/x'],
    ['export'],
    ['token', 'generate'],
    ['env', '--secrets'],
  ];

  test.each(secrets)('are not combined, by a URL or by a profile: %j', async (variables) => {
    await using home = await Home.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    await saveProfile('mine', profile, home.variables);
    await saveProfile('other', { baseUrl: server.url }, home.variables);
    for (const content of [{ baseUrl: server.url }, { profile: 'other' }, { baseUrl: `${server.url}/s/x` }]) {
      const folder = await project(home, content);
      for (const words of commands) {
        const outcome = await home.iam(words, { folder, variables });
        expect(outcome).toMatchObject({ code: 4, out: '' });
        expect(outcome.err).toContain(home.file('project/.iamrc.json'));
        expect(outcome.err).toContain('are not sent to a server that a project file selects');
        expect(outcome.err).not.toContain('canary');
      }
      await home.iam(['__complete', '--', 'groups', 'get', ''], { folder, variables });
      expect((await home.iam(['doctor'], { folder, variables })).code).toBe(1);
    }
    expect(server.received).toEqual([]);
  });

  test('are not combined in a shell that evaluates `iam env`', async ({ home }) => {
    const folder = await project(home, { baseUrl: 'http://127.0.0.1:9' });
    for (const variables of [...secrets, { IAM_CLIENT_SECRET: 'canary' }])
      expect(await home.iam(['env'], { folder, variables })).toMatchObject({ code: 4, out: '' });
    expect((await home.iam(['env'], { folder, variables: {} })).out).toContain("IAM_BASE_URL='http://127.0.0.1:9'");
  });

  test('are not combined by a login', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const folder = await project(home, { baseUrl: server.url });
    for (const [words, variables] of [
      [['login', '--client-id', 'app'], secrets[2] ?? {}],
      [['login'], secrets[3] ?? {}],
    ] as const)
      expect(await home.iam(words, { folder, variables })).toMatchObject({
        code: 4,
        err: expect.stringContaining('are not sent to a server that a project file selects'),
      });
    expect(server.received).toEqual([]);
  });

  test('are combined if the user selects the server, or the file repeats it', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const folder = await project(home, { baseUrl: server.url });
    const variables = { IAM_TOKEN: 'mine' };
    const list = (words: readonly string[], more: Record<string, string> = {}) =>
      home.iam(['groups', 'list', ...words], { folder, variables: { ...variables, ...more } });
    expect((await list(['--base-url', server.url])).code).toBe(0);
    expect((await list([], { IAM_BASE_URL: server.url })).code).toBe(0);
    await saveProfile('p', { baseUrl: server.url }, home.variables);
    expect((await list([])).code).toBe(0);
    await project(home, { profile: 'p', baseUrl: `${server.url}/s/mine/` });
    expect((await list([])).code).toBe(0);
    expect(server.received).toHaveLength(4);
  });

  test('include a client certificate of the environment', async ({ home }) => {
    const folder = await project(home, { baseUrl: 'https://127.0.0.1:9' });
    const variables = { IAM_CLIENT_CERT: 'x.pem', IAM_CLIENT_KEY: 'x.key' };
    const outcome = await home.iam(['keys'], { folder, variables });
    expect(outcome).toMatchObject({
      code: 4,
      err: expect.stringContaining('are not sent to a server that a project file selects'),
    });
  });

  test('a client certificate of a profile is sent only to its server', async ({ home }) => {
    const cert = { clientCert: home.file('x.pem'), clientKey: home.file('x.key') };
    await saveProfile('a', { baseUrl: 'https://127.0.0.1:9', ...cert }, home.variables);
    await saveProfile('b', { baseUrl: 'https://127.0.0.1:7' }, home.variables);
    const folder = await project(home, { baseUrl: 'https://127.0.0.1:7' });
    const rejected = {
      code: 4,
      err: expect.stringContaining('are for https://127.0.0.1:9, not for https://127.0.0.1:7'),
    };
    expect(await home.iam(['keys'], { folder })).toMatchObject(rejected);
    expect(await home.iam(['keys', '--base-url', 'https://127.0.0.1:7'])).toMatchObject(rejected);
    expect((await home.iam(['keys'])).err).toContain('x.pem');
    const own = ['--client-cert', home.file('own.pem'), '--client-key', home.file('own.key')];
    expect((await home.iam(['keys', ...own], { folder })).err).toContain('own.pem');
  });

  test('a profile of one service on a host is not used for another one that the file selects', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    await saveProfile('a', { baseUrl: `${server.url}/a`, token: 'canary' }, home.variables);
    const folder = await project(home, { baseUrl: `${server.url}/b` });
    expect(await home.iam(['groups', 'list'], { folder })).toMatchObject({ code: 4, out: '' });
    expect(server.received).toEqual([]);
    await project(home, { baseUrl: `${server.url}/a/s/test` });
    expect((await home.iam(['groups', 'list'], { folder })).code).toBe(0);
  });

  test('the file does not allow credentials over http', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    const folder = await project(home, { insecureHttp: true, 'insecure-http': true });
    const url = server.url.replace('127.0.0.1', '0.0.0.0');
    const outcome = await home.iam(['groups', 'list'], { folder, url, variables: { IAM_TOKEN: 'canary' } });
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('which is ignored') });
    expect(server.received).toEqual([]);
  });
});
