/** The commands of a client against a server: groups, exit codes, secrets, profiles and readiness. */
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFakeServer } from '../client/fake-server.ts';
import type { ProcessResult } from './cli-process.ts';
import { makeRunner, type Runner, type Served } from './runner.ts';

/** What every command may leave: the program that an executable unpacked, and its code compiled by Node. */
const codeFolders = /^cache[/\\]iam[/\\](program-[0-9a-f]{16}|compiled)[/\\]/;

let runner: Runner;
let served: Served;

beforeAll(async () => {
  runner = await makeRunner();
  served = await runner.serve();
});

afterAll(() => runner[Symbol.asyncDispose]());

const iam = (words: readonly string[], variables = {}): Promise<ProcessResult> =>
  runner.iam(words, { ...served.variables, ...variables });

describe('group commands', () => {
  test('create, update, read and delete a group', async () => {
    expect((await iam(['groups', 'create', '--group-name', 'main-job', '--role', 'READ'])).code).toBe(0);
    expect(
      (await iam(['groups', 'update', 'main-job', '--add-role', 'DEPLOY', '--set', 'organizationId=acme'])).code,
    ).toBe(0);
    const read = await iam(['groups', 'get', 'main-job', '-o', 'json']);
    expect(JSON.parse(read.out)).toMatchObject({
      groupName: 'main-job',
      roles: ['READ', 'DEPLOY'],
      organizationId: 'acme',
    });
    expect(await iam(['groups', 'delete', 'main-job', '--yes'])).toMatchObject({ code: 0, out: '' });
    expect((await iam(['groups', 'get', 'main-job'])).code).toBe(3);
  });

  test('concurrent changes all take effect', async () => {
    await iam(['groups', 'create', '--group-name', 'busy']);
    const roles = ['R1', 'R2', 'R3', 'R4'];
    const outcomes = await Promise.all(roles.map((role) => iam(['groups', 'update', 'busy', '--add-role', role])));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const { roles: stored } = JSON.parse((await iam(['groups', 'get', 'busy', '-o', 'json'])).out) as {
      roles: string[];
    };
    expect(stored.sort()).toEqual(roles);
  });
});

describe('exit codes', () => {
  test.each([
    [0, ['groups', 'list']],
    [2, ['groups', 'list', '--nonsense']],
    [3, ['groups', 'get', 'nothing']],
    [3, ['api', 'GET', '/groups/nothing/role/x/y']],
    [6, ['groups', 'create', '--group-name', 'iam-auditors']],
    [7, ['groups', 'add-role', 'iam-auditors', 'lower']],
    [7, ['groups', 'create', '--group-name', 'x', '--role', 'USER']],
  ])('%i: iam %j', async (code, words) => {
    expect((await iam(words)).code).toBe(code);
  });

  test('4 for a wrong secret, with one JSON object on standard error', async () => {
    const outcome = await iam(['groups', 'list', '-o', 'json'], { IAM_CLIENT_SECRET: 'wrong' });
    expect(outcome).toMatchObject({ code: 4, out: '' });
    expect(JSON.parse(outcome.err)).toMatchObject({
      error: { code: 'CREDENTIALS_INVALID', status: 401, transient: false },
    });
    expect(outcome.err).not.toContain('wrong');
  });

  test('5 for a client without the role, whatever the status', async () => {
    const { clientId, clientSecret } = JSON.parse(
      (await iam(['clients', 'create', '--app-id', 'weak', '-o', 'json'])).out,
    ) as Record<string, string>;
    const weak = { IAM_CLIENT_ID: clientId ?? '', IAM_CLIENT_SECRET: clientSecret ?? '' };
    expect((await iam(['groups', 'list'], weak)).code).toBe(5);
    expect((await iam(['groups', 'update', 'iam-auditors', '--add-role', 'X'], weak)).code).toBe(5);
    expect((await iam(['groups', 'remove-dependency', 'iam-auditors', 'x', '--yes'], weak)).code).toBe(5);
  });

  test('10 if no prompt is possible, and nothing is deleted', async () => {
    await iam(['groups', 'create', '--group-name', 'precious']);
    expect((await iam(['groups', 'delete', 'precious'])).code).toBe(10);
    expect((await iam(['groups', 'get', 'precious'])).code).toBe(0);
  });

  test('75 if the server is unreachable', async () => {
    expect((await iam(['groups', 'list'], { IAM_BASE_URL: 'http://127.0.0.1:1' })).code).toBe(75);
  });

  test('exits with 2 for an invalid setting value', async () => {
    expect((await runner.iam(['serve', '--store', 'cloud'])).code).toBe(2);
  });
});

describe('secrets', () => {
  test('an API key is printed once, is valid, and is never printed again', async () => {
    const created = await iam([
      'api-key',
      'create',
      '--app-id',
      'e2e',
      '--client-id',
      'e2e-admin',
      '-o',
      'json',
      '--debug',
    ]);
    const { apiKey, apiKeyId } = JSON.parse(created.out) as Record<string, string>;
    expect(created.err).not.toContain(apiKey);
    expect(created.err).not.toContain(served.variables.IAM_CLIENT_SECRET);
    expect((await runner.iam(['groups', 'list'], { IAM_BASE_URL: served.url, IAM_API_KEY: apiKey ?? '' })).code).toBe(
      0,
    );
    for (const words of [['api-key', 'list'], ['api-key', 'list', '-o', 'json'], ['whoami']])
      expect((await iam(words)).out).not.toContain(apiKey);
    expect((await iam(['api-key', 'delete', apiKeyId ?? '', '--yes'])).code).toBe(0);
  });

  test('credentials in the environment leave nothing on the disk', async () => {
    await using own = await makeRunner();
    expect((await own.iam(['groups', 'list'], served.variables)).code).toBe(0);
    const files = await readdir(own.folder, { recursive: true, withFileTypes: true });
    const names = files.filter((file) => file.isFile()).map((file) => path.join(file.parentPath, file.name));
    expect(names.filter((name) => !codeFolders.test(path.relative(own.folder, name)))).toEqual([]);
  });
});

describe('a profile', () => {
  test('signs in and stores the token for the next command', async () => {
    await using own = await makeRunner();
    const { IAM_BASE_URL = '', IAM_CLIENT_ID = '', IAM_CLIENT_SECRET = '' } = served.variables;
    const words = [
      'profile',
      'add',
      'here',
      '--base-url',
      IAM_BASE_URL,
      '--client-id',
      IAM_CLIENT_ID,
      '--secret-file',
      '-',
    ];
    expect((await own.iam(words, {}, IAM_CLIENT_SECRET)).code).toBe(0);
    const logins = async () =>
      ((await own.iam(['groups', 'list', '--debug'])).err.match(/client-identities\/login/g) ?? []).length;
    expect([await logins(), await logins()]).toEqual([1, 0]);
    expect((await own.iam(['whoami'])).out).toContain('IAM_ADMIN_MAINTENANCE');
  });
});

describe('iam server status --ready', () => {
  test('exits with 0 if the server accepts writes, without credentials, and with 1 if none listens', async () => {
    const ready = ['server', 'status', '--ready', '--base-url'];
    expect(await runner.iam([...ready, served.url])).toMatchObject({ code: 0, out: '', err: '' });
    const missing = await runner.iam([...ready, 'http://127.0.0.1:1']);
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toContain('http://127.0.0.1:1');
  });

  test('waits until the server is ready', async () => {
    const statuses = [503, 503];
    await using starting = await startFakeServer(() => ({ status: statuses.shift() ?? 200, json: {} }));
    const ready = ['server', 'status', '--ready', '--base-url', starting.url];
    expect(await runner.iam([...ready, '--wait', '60'])).toMatchObject({ code: 0, out: '', err: '' });
    expect(new Set(starting.received.map(({ path: requested }) => requested))).toEqual(new Set(['/readyz']));
    statuses.push(503);
    expect((await runner.iam([...ready, '--max-wait', '0'])).err).toContain('/readyz returned 503');
  });

  test('with --local, checks the port that `iam serve` has with the same variables', async () => {
    const ready = ['server', 'status', '--ready', '--local'];
    // Neither the profile nor the variable of the command names the server.
    const variables = { IAM_BASE_URL: 'http://127.0.0.1:1', IAM_SERVE_PORT: new URL(served.url).port };
    expect(await runner.iam(ready, variables)).toMatchObject({ code: 0, out: '', err: '' });
    const missing = await runner.iam(ready, { IAM_SERVE_PORT: '1' });
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('http://127.0.0.1:1') as string });
  });

  test('rejects options that do not fit', async () => {
    for (const option of [['--wait', '1'], ['--local']])
      expect((await runner.iam(['server', 'status', ...option])).code).toBe(2);
    const both = ['server', 'status', '--ready', '--local', '--base-url', served.url];
    expect((await runner.iam(both)).code).toBe(2);
    expect((await runner.iam(['server', 'status', 'memory', '--ready'])).code).toBe(2);
  });
});

test('the server reads a secret from the file of its _FILE variable', async () => {
  await using own = await makeRunner();
  await writeFile(own.file('secret'), 'the-secret-of-a-file-with-a-line-break\n');
  const { url } = await own.serve(['--store', 'memory'], {
    IAM_ADMIN_CLIENT_SECRET: '',
    IAM_ADMIN_CLIENT_SECRET_FILE: own.file('secret'),
  });
  const signIn = (secret: string) =>
    own.iam(['groups', 'list'], { IAM_BASE_URL: url, IAM_CLIENT_ID: 'e2e-admin', IAM_CLIENT_SECRET: secret });
  expect((await signIn('the-secret-of-a-file-with-a-line-break')).code).toBe(0);
  expect((await signIn('another-secret')).code).toBe(4);
});
