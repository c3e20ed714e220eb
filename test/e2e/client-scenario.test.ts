/** The commands of a client against a server: concurrent changes, files, readiness. */
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

test('concurrent changes of a group all take effect', async () => {
  await iam(['groups', 'create', '--group-name', 'busy']);
  const roles = ['R1', 'R2', 'R3', 'R4'];
  const outcomes = await Promise.all(roles.map((role) => iam(['groups', 'update', 'busy', '--add-role', role])));
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const { roles: stored } = JSON.parse((await iam(['groups', 'get', 'busy', '-o', 'json'])).out) as {
    roles: string[];
  };
  expect(stored.sort()).toEqual(roles);
});

test('credentials in the environment leave nothing on the disk', async () => {
  await using own = await makeRunner();
  expect((await own.iam(['groups', 'list'], served.variables)).code).toBe(0);
  const files = await readdir(own.folder, { recursive: true, withFileTypes: true });
  const names = files.filter((file) => file.isFile()).map((file) => path.join(file.parentPath, file.name));
  expect(names.filter((name) => !codeFolders.test(path.relative(own.folder, name)))).toEqual([]);
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
