import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { getProfilePath, type ProfileFile, readProfiles, saveProfile } from '../../../../src/cli/config/profile.ts';
import { startFakeServer, tokenResponse } from '../../../client/fake-server.ts';
import { createScriptedPrompter } from '../../prompts/scripted-prompter.ts';
import { Home, test } from '../../run-cli.ts';

const local = { baseUrl: 'http://127.0.0.1:8080', clientId: 'admin', clientSecret: 'very-secret' };

describe('the file of profiles', () => {
  test('is private, as is its folder', async ({ home }) => {
    const saved = await saveProfile('local', local, home.variables);
    expect(saved).toEqual({ path: getProfilePath(home.variables), current: true });
    expect((await stat(saved.path)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(saved.path))).mode & 0o777).toBe(0o700);
    expect(await readdir(path.dirname(saved.path))).toEqual(['config.json']);
  });

  test('keeps the current profile and the others', async ({ home }) => {
    await saveProfile('first', local, home.variables);
    expect((await saveProfile('second', local, home.variables)).current).toBe(false);
    const { current, profiles } = await readProfiles(home.variables);
    expect([current, Object.keys(profiles)]).toEqual(['first', ['first', 'second']]);
  });

  test('keeps all profiles of concurrent saves', async ({ home }) => {
    const names = Array.from({ length: 20 }, (_, at) => `p${at}`);
    await Promise.all(names.map((name) => saveProfile(name, local, home.variables)));
    expect(Object.keys((await readProfiles(home.variables)).profiles).sort()).toEqual([...names].sort());
  });

  test.each(['{', '[]', 'null', '{"profiles": {"a": {}}}'])('with %s is reported and not overwritten', async (text) => {
    await using home = await Home.make();
    const file = getProfilePath(home.variables);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    const outcome = await home.iam(['profile', 'add', 'x', '--base-url', 'http://x']);
    expect(outcome.code).toBe(2);
    expect(outcome.err).toContain(file);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('is in the home folder if XDG_CONFIG_HOME is not absolute', () => {
    expect(getProfilePath({ HOME: '/home/me', XDG_CONFIG_HOME: 'relative' })).toBe('/home/me/.config/iam/config.json');
  });
});

describe('profile', () => {
  const add = (name: string, url: string) => [
    'profile',
    'add',
    name,
    '--base-url',
    url,
    '--client-id',
    'me',
    '--secret-file',
    '-',
  ];

  test('add, list, use, show and remove', async ({ home }) => {
    await home.iam(add('one', 'http://one'), { stdin: 'secret-one\n' });
    await home.iam(add('two', 'http://two'), { stdin: 'secret-two' });
    expect((await home.iam(['profile', 'list'])).out).toBe(
      'NAME  CURRENT  BASE URL    CLIENT ID\none   *        http://one  me\ntwo            http://two  me\n',
    );
    expect((await home.iam(['profile', 'list', '-o', 'name'])).out).toBe('one\ntwo\n');
    expect((await home.iam(['profile', 'use', 'two'])).code).toBe(0);
    expect(JSON.parse((await home.iam(['profile', 'show', '-o', 'json'])).out)).toEqual({
      name: 'two',
      baseUrl: 'http://two',
      clientId: 'me',
      clientSecret: '(secret)',
    });
    expect((await home.iam(['profile', 'remove', 'two'])).code).toBe(10);
    expect((await home.iam(['profile', 'remove', 'two', '--yes'])).code).toBe(0);
    const file = JSON.parse(await readFile(getProfilePath(home.variables), 'utf8')) as ProfileFile;
    expect(file).toEqual({ profiles: { one: { baseUrl: 'http://one', clientId: 'me', clientSecret: 'secret-one' } } });
  });

  test('the secret of another client in the environment is not used', async ({ home }) => {
    const variables = { IAM_CLIENT_ID: 'other', IAM_CLIENT_SECRET: 'of the other' };
    const outcome = await home.iam(['profile', 'add', 'p', '--base-url', 'http://x', '--client-id', 'me'], {
      variables,
    });
    expect(outcome.code).toBe(10);
  });

  test.each([
    [['profile', 'use', 'nothing'], 'not found'],
    [['profile', 'show', 'nothing'], 'not found'],
    [['profile', 'show', 'constructor'], 'not found'],
    [['profile', 'add', 'x', '--base-url', 'localhost:80'], 'http or https'],
    [['profile', 'add', '__proto__', '--base-url', 'http://x'], 'can contain only'],
    [['groups', 'list', '--profile', 'nothing'], 'not found'],
  ])('%j is a usage error', async (words, message) => {
    await using home = await Home.make();
    const outcome = await home.iam(words);
    expect(outcome.code).toBe(2);
    expect(outcome.err).toContain(message);
  });
});

describe('profile add', () => {
  const replaced = ['profile', 'add', 'one', '--base-url', 'http://127.0.0.1:2'];

  /** A profile with a setting that the replacement does not name. */
  async function withProfile(more: object = {}): Promise<Home> {
    const home = await Home.make();
    await saveProfile('one', { ...local, timeout: '9', ...more }, home.variables);
    return home;
  }

  const profileOf = async (home: Home) => (await readProfiles(home.variables)).profiles.one;

  test('replaces an existing profile as a whole with --replace only', async () => {
    await using home = await withProfile();
    const refused = await home.iam(replaced);
    expect(refused).toMatchObject({ code: 10, out: '', err: expect.stringContaining('--replace') });
    expect(await profileOf(home)).toMatchObject({ baseUrl: local.baseUrl, timeout: '9' });
    expect((await home.iam([...replaced, '--replace'])).code).toBe(0);
    expect(await profileOf(home)).toEqual({ baseUrl: 'http://127.0.0.1:2' });
  });

  test('asks at a terminal before it replaces', async () => {
    await using home = await withProfile();
    const no = createScriptedPrompter(false);
    expect((await home.iam(replaced, { columns: 80, prompter: no.prompter })).code).toBe(1);
    expect(no.questions).toMatchObject([{ type: 'confirm', message: expect.stringContaining(local.baseUrl) }]);
    expect(await profileOf(home)).toMatchObject({ clientSecret: 'very-secret' });
    const yes = createScriptedPrompter(true);
    expect((await home.iam(replaced, { columns: 80, prompter: yes.prompter })).code).toBe(0);
    expect(await profileOf(home)).toEqual({ baseUrl: 'http://127.0.0.1:2' });
  });

  test('replaces a protected profile only with its name', async () => {
    await using home = await withProfile({ protected: true });
    const refused = await home.iam([...replaced, '--replace']);
    expect(refused).toMatchObject({ code: 10, err: expect.stringContaining('--confirm one') });
    expect(await profileOf(home)).toMatchObject({ protected: true });
    expect((await home.iam([...replaced, '--confirm', 'one'])).code).toBe(0);
    expect(await profileOf(home)).toEqual({ baseUrl: 'http://127.0.0.1:2' });
  });

  test('prompts for the base URL at a terminal, and names the option elsewhere', async ({ home }) => {
    const missing = await home.iam(['profile', 'add', 'x']);
    expect(missing).toMatchObject({ code: 10, err: expect.stringContaining('--base-url') });
    const { prompter, questions } = createScriptedPrompter('', 'ftp://x', 'nonsense');
    const runOptions = { columns: 80, prompter };
    expect((await home.iam(['profile', 'add', 'x'], runOptions)).code).toBe(0);
    expect(questions).toMatchObject([{ type: 'input', message: expect.stringContaining('http://127.0.0.1:8080') }]);
    expect((await home.iam(['profile', 'add', 'y'], runOptions)).code).toBe(2);
    expect((await home.iam(['profile', 'add', 'y'], runOptions)).code).toBe(2);
    expect(Object.keys((await readProfiles(home.variables)).profiles)).toEqual(['x']);
  });
});

describe('precedence', () => {
  test('a flag takes precedence over the environment, and that over the profile', async ({ home }) => {
    await saveProfile('local', local, home.variables);
    const value = async (words: string[], variables = {}) =>
      (await home.iam([...words, '-o', 'jsonl'], { variables })).out.trim();
    const explain = ['config', 'explain', 'base-url'];
    expect(await value(explain)).toContain('"value":"http://127.0.0.1:8080","origin":"profile local"');
    expect(await value(explain, { IAM_BASE_URL: 'http://env' })).toContain(
      '"value":"http://env","origin":"IAM_BASE_URL"',
    );
    expect(await value([...explain, '--base-url', 'http://flag'], { IAM_BASE_URL: 'http://env' })).toContain(
      '"origin":"--base-url"',
    );
    expect(await value([...explain, '--profile', 'local'], { IAM_BASE_URL: 'http://env' })).toContain(
      '"origin":"profile local"',
    );
  });

  test('the credentials of a profile are sent only to its own server', async ({ home }) => {
    await using server = await startFakeServer(() => tokenResponse('t'));
    await saveProfile('local', local, home.variables);
    const outcome = await home.iam(['groups', 'list', '--base-url', server.url]);
    expect(outcome.code).toBe(4);
    expect(outcome.err).toContain('are for http://127.0.0.1:8080');
    expect(server.received).toEqual([]);
  });

  test('credentials in the environment take precedence over those of the current profile', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    await saveProfile('local', local, home.variables);
    expect(
      (await home.iam(['groups', 'list'], { variables: { IAM_BASE_URL: server.url, IAM_TOKEN: 'mine' } })).code,
    ).toBe(0);
    expect(server.received[0]?.headers.authorization).toBe('Bearer mine');
  });
});

describe('config', () => {
  test('set stores a value in the profile, get prints it, an empty value deletes it', async ({ home }) => {
    await saveProfile('local', local, home.variables);
    expect((await home.iam(['config', 'set', 'timeout', '5'])).code).toBe(0);
    expect((await home.iam(['config', 'get', 'timeout'])).out).toBe('5\n');
    expect((await home.iam(['config', 'set', 'timeout', ''])).code).toBe(0);
    expect((await home.iam(['config', 'get', 'timeout'])).out).toBe('30\n');
  });

  test('never prints a secret', async ({ home }) => {
    await saveProfile('local', local, home.variables);
    for (const words of [
      ['config', 'explain'],
      ['config', 'get', 'client-secret'],
      ['profile', 'show'],
      ['profile', 'list', '-o', 'json'],
    ])
      expect((await home.iam(words)).out).not.toContain('very-secret');
  });

  test('suggests the closest setting', async ({ home }) => {
    expect((await home.iam(['config', 'get', 'base-ur'])).err).toContain('Did you mean base-url?');
  });

  test.each([
    ['client-secret', 'x'],
    ['profile', 'x'],
    ['output', 'xml'],
    ['timeout', 'long'],
    ['base-url', 'localhost:1'],
    ['base-url', ''],
  ])('does not set %s to %j', async (key, value) => {
    await using home = await Home.make();
    await saveProfile('local', local, home.variables);
    expect((await home.iam(['config', 'set', key, value])).code).toBe(2);
  });
});

test('are empty if a component of the path is a file', async ({ home }) => {
  const variables = { XDG_CONFIG_HOME: home.file('config') };
  await writeFile(home.file('config'), '');
  expect(await home.iam(['profile', 'list'], { variables })).toMatchObject({ code: 0, out: '' });
  expect((await home.iam(['groups', 'list'], { variables })).code).toBe(4);
});

describe('whoami and token inspect', () => {
  const token = ['{"alg":"none"}', '{"sub":"me","client_id":"me","authorities":["ROLE_ADMIN"],"exp":1800000000}', 'x']
    .map((text) => Buffer.from(text).toString('base64url'))
    .join('.');

  test('whoami queries the server as the client, and prints its token claims', async ({ home }) => {
    await using server = await startFakeServer(() => tokenResponse(token));
    await saveProfile('local', { ...local, baseUrl: server.url }, home.variables);
    const { out } = await home.iam(['whoami', '-o', 'json']);
    expect(JSON.parse(out)).toEqual({
      subject: 'me',
      clientId: 'me',
      roles: ['ADMIN'],
      expiresAt: '2027-01-15T08:00:00.000Z',
      baseUrl: server.url,
      profile: 'local',
      signedInBy: 'client',
      credentialsFrom: 'profile local',
    });
    expect(server.received).toHaveLength(1);
  });

  test('token inspect reads a token from standard input, never as an argument', async ({ home }) => {
    const { out } = await home.iam(['token', 'inspect', '-f', '-', '-o', 'json'], { stdin: `${token}\n` });
    expect(JSON.parse(out)).toMatchObject({ header: { alg: 'none' }, claims: { sub: 'me' } });
    expect((await home.iam(['token', 'inspect', token])).code).toBe(2);
    expect((await home.iam(['token', 'inspect', '-f', '-'], { stdin: 'no token' })).code).toBe(2);
  });
});
