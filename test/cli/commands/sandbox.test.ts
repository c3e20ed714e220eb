import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { startServer } from '../../harness.ts';
import { iam } from '../run-cli.ts';

test('a sandbox is created, listed and deleted', async () => {
  await using server = await startServer();
  const runOptions = { url: server.url, variables: { IAM_TOKEN: 'any' } };
  const created = await iam(['sandbox', 'create', 'one', '-o', 'json'], runOptions);
  expect(JSON.parse(created.out)).toMatchObject({ name: 'one', baseUrl: `${server.url}/s/one` });
  expect((await iam(['sandbox', 'ls'], runOptions)).out).toContain('BASE URL');
  const unasked = await iam(['sandbox', 'delete', 'one'], runOptions);
  expect([unasked.code, server.appContext.sandboxes.list().length]).toEqual([10, 1]);
  expect((await iam(['sandbox', 'delete', 'one', '--yes'], runOptions)).code).toBe(0);
  expect(server.appContext.sandboxes.list()).toEqual([]);
  const again = await iam(['sandbox', 'delete', 'one', '--yes'], runOptions);
  expect([again.code, again.err]).toEqual([3, expect.stringContaining('SANDBOX_NOT_FOUND')]);
});

test.each([
  [['create', 'one'], 'POST', ''],
  [['delete', 'one'], 'DELETE', '/one'],
])('%j previews the request', async (words, method, rest) => {
  await using server = await startFakeServer(() => ({}));
  const { out } = await iam(['sandbox', ...words, '--dry-run'], server);
  expect(out).toContain(`${method} ${server.url}/_iam/sandboxes${rest}\n`);
  expect(server.received).toEqual([]);
});

test('a sandbox is created from a seed file or standard input, and its name must be unused', async () => {
  await using server = await startServer();
  const yaml = 'groups:\n  - groupName: ops\nusers:\n  - userId: ann\n    password: correct horse battery staple\n';
  const runOptions = { url: server.url, variables: { IAM_TOKEN: 'any' }, stdin: yaml };
  const words = ['sandbox', 'create', 'one', '--seed', '-'];
  const preview = await iam([...words, '--dry-run'], runOptions);
  expect(preview.out).toContain('"groupName": "ops"');
  expect(preview.out).not.toContain('correct horse');
  expect((await iam(words, { ...runOptions, stdin: 'groups: [{}]' })).err).toContain('seed.groups[0].groupName');
  expect(server.appContext.sandboxes.list()).toEqual([]);
  expect((await iam(words, runOptions)).code).toBe(0);
  const sandbox = await server.appContext.sandboxes.open('one', false);
  expect(await sandbox.store.groups.getBy('groupName', 'ops')).toBeDefined();
  expect(await iam(words, runOptions)).toMatchObject({ code: 6, err: expect.stringContaining('SANDBOX_EXISTS') });
  expect((await iam(['sandbox', 'create', 'two', '--seed', '/nonexistent/seed.yaml'], runOptions)).code).toBe(2);
});

test('the secrets of a sandbox with its own seed are shown once, or written to a file', async () => {
  await using server = await startServer();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-sandbox-'));
  const file = path.join(folder, 'secrets');
  const runOptions = { url: server.url, variables: { IAM_TOKEN: 'any' }, stdin: '{}' };
  const create = (name: string, ...words: string[]) => iam(['sandbox', 'create', name, ...words], runOptions);
  try {
    const printed = await create('one', '--seed', '-', '-o', 'json');
    const { adminClientSecret, adminPassword } = JSON.parse(printed.out) as Record<string, string>;
    expect([adminClientSecret?.length, adminPassword?.length]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(printed.err).toContain('They are not shown again.');
    const written = await create('two', '--seed', '-', '--secret-output', file, '-o', 'json');
    const [secret = '', password = '', ...rest] = (await readFile(file, 'utf8')).split('\n');
    expect([secret.length, password.length, rest]).toEqual([adminClientSecret?.length, adminPassword?.length, ['']]);
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(written.out + written.err).not.toContain(secret);
    expect(JSON.parse(written.out)).toMatchObject({ name: 'two', adminUser: 'admin' });
    expect((await create('three', '--secret-output', file)).code).toBe(2);
    expect((await create('three', '--seed', '-', '-o', 'name')).code).toBe(2);
    expect(server.appContext.sandboxes.list().map(({ name }) => name)).toEqual(['one', 'two']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
