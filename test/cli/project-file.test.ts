import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { saveProfile } from '../../src/cli/runtime/profile.ts';
import { settingNames } from '../../src/cli/runtime/settings.ts';
import { startFake } from '../client/fake-server.ts';
import { Home } from './run-cli.ts';

/** A project in the home, with this file, and a folder deep in it to work in. */
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

describe('the file of a project', () => {
  test('is found upwards; it goes after flag and environment, before profile and default', async () => {
    await using home = await Home.make();
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

  test('config explain tells of every setting, and the nearer of two files holds', async () => {
    await using home = await Home.make();
    const folder = await project(home, { timeout: 9 });
    await writeFile(path.join(folder, '.iamrc.json'), '{"timeout": 5}');
    const found = await origins(home, folder);
    expect(Object.keys(found)).toEqual(settingNames.map(({ key }) => key));
    expect(found.timeout).toEqual(['5', path.join(folder, '.iamrc.json')]);
  });

  test('may name a profile', async () => {
    await using home = await Home.make();
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
  ])('that holds a secret, %s, is warned of, and the secret neither used nor shown', async (name, secret) => {
    await using home = await Home.make();
    await using server = await startFake(() => ({ json: [] }));
    await saveProfile('p', { baseUrl: server.url, token: 'mine' }, home.variables);
    const folder = await project(home, { [name]: secret, output: 'json' });
    const outcome = await home.iam(['groups', 'list', '--debug'], { folder });
    expect(outcome).toMatchObject({ code: 0, out: '[]\n' });
    expect(outcome.err).toContain('holds a secret');
    expect(outcome.out + outcome.err).not.toContain('canary');
    expect(server.received[0]?.headers.authorization).toBe('Bearer mine');
  });

  test.each([['proxy'], ['caFile'], ['clientCert'], ['clientId'], ['username'], ['nonsense']])(
    'does not say %s: it is warned of and not used',
    async (name) => {
      await using home = await Home.make();
      const folder = await project(home, { [name]: 'http://evil.example' });
      const outcome = await home.iam(['config', 'explain', '-o', 'json'], { folder });
      expect(outcome.err).toContain('is not used there');
      expect(outcome.out).not.toContain('evil');
    },
  );

  test.each([['{'], ['[]'], ['null'], ['"x"']])('that is %s is named as wrong', async (text) => {
    await using home = await Home.make();
    const folder = await project(home, text);
    expect(await home.iam(['config', 'explain'], { folder })).toMatchObject({
      code: 2,
      err: expect.stringContaining('.iamrc.json'),
    });
  });
});

describe('another server in the file of a project', () => {
  const elsewhere = { baseUrl: 'http://iam.example.com' };

  test('gets neither the credentials of a profile nor those of the environment, nor a login', async () => {
    await using home = await Home.make();
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
      expect(outcome.err).toContain('which no profile of yours is for; nothing was sent');
      expect(outcome.err).not.toContain('canary');
    }
    await saveProfile('p', profile, home.variables);
    expect((await home.iam(['groups', 'list'], { folder })).code).toBe(4);
  });

  test('is used where a profile is for it, and the credentials of another profile still are not', async () => {
    await using home = await Home.make();
    await using server = await startFake(() => ({ json: [] }));
    await saveProfile('p', profile, home.variables);
    await saveProfile('q', { baseUrl: server.url, token: 'of-q' }, home.variables);
    const folder = await project(home, { baseUrl: server.url });
    expect((await home.iam(['groups', 'list'], { folder })).code).toBe(4);
    expect(server.received).toEqual([]);
    expect((await home.iam(['groups', 'list', '--profile', 'q'], { folder })).code).toBe(0);
    expect(server.received[0]?.headers.authorization).toBe('Bearer of-q');
  });

  test('can not loosen a profile', async () => {
    await using home = await Home.make();
    await saveProfile('p', { ...profile, readOnly: true, maxChanges: 2 }, home.variables);
    const folder = await project(home, { readOnly: false, maxChanges: 100 });
    expect(await origins(home, folder)).toMatchObject({
      'read-only': ['true', 'profile p'],
      'max-changes': ['2', 'profile p'],
    });
    expect((await home.iam(['groups', 'create', '--group-name', 'x'], { folder })).code).toBe(2);
  });
});
