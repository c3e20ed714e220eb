import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { errorResponse, startFakeServer } from '../../../client/fake-server.ts';
import { startServer } from '../../../harness.ts';
import { exportState, readStableTables, reset, seed } from '../../../server/control/routes/state/state-client.ts';
import { iam, test } from '../../run-cli.ts';

describe('destructive commands', () => {
  test.each([
    [['reset'], 'POST', '/_iam/state/reset', { to: 'seed' }],
    [['reset', '--empty'], 'POST', '/_iam/state/reset', { to: 'empty' }],
    [['restore', 'a'], 'POST', '/_iam/state/snapshots/a/restore', undefined],
    [['delete', 'a/b'], 'DELETE', '/_iam/state/snapshots/a%2Fb', undefined],
  ])('%j requires confirmation and supports a dry run', async (words, method, path, body) => {
    await using server = await startFakeServer((request) =>
      request.method === 'GET' ? { json: { store: 'memory' } } : { status: 204 },
    );
    const unasked = await iam(['state', ...words], server);
    const writes = () => server.received.filter((request) => request.method !== 'GET');
    expect([unasked.code, writes()]).toEqual([10, []]);
    const tried = await iam(['state', ...words, '--dry-run'], server);
    expect(tried.out).toContain(`${method} ${server.url}${path}\n`);
    expect(writes()).toEqual([]);
    expect(await iam(['state', ...words, '--yes', '-o', 'json', '-q'], server)).toEqual({
      code: 0,
      out: '{}\n',
      err: '',
    });
    expect(writes()).toMatchObject([{ method, path }]);
    const [{ body: sent = '' } = {}] = writes();
    expect(sent === '' ? undefined : JSON.parse(String(sent))).toEqual(body);
  });
});

test('save stores a snapshot, and list prints it', async () => {
  await using server = await startServer({ seed });
  const signedIn = { url: server.url, variables: { IAM_TOKEN: 'any' } };
  const saved = await iam(['state', 'save', 'a', '-o', 'json'], signedIn);
  expect(JSON.parse(saved.out)).toMatchObject({ name: 'a' });
  const again = await iam(['state', 'save', 'a'], signedIn);
  expect([again.code, again.err]).toEqual([6, expect.stringContaining('SNAPSHOT_EXISTS')]);
  expect((await iam(['state', 'save', 'a', '--replace'], signedIn)).code).toBe(0);
  expect((await iam(['state', 'ls'], signedIn)).out).toContain('NAME');
  await server.admin.groups.create({ body: { groupName: 'new' } });
  const differs = await iam(['state', 'diff', 'a', 'now', '-o', 'table'], signedIn);
  expect(differs).toMatchObject({
    code: 1,
    err: '',
    out: expect.stringMatching(/^\+ group \w+ \(new\)\n {4}groupName: new\n$/),
  });
  expect(JSON.parse((await iam(['state', 'diff', '-o', 'json'], signedIn)).out).tables).toHaveLength(1);
  expect((await iam(['state', 'restore', 'a', '--yes'], signedIn)).code).toBe(0);
  expect(await iam(['state', 'diff'], signedIn)).toMatchObject({
    code: 0,
    err: expect.stringContaining('No differences'),
  });
  expect((await iam(['state', 'delete', 'a', '--yes'], signedIn)).code).toBe(0);
  expect((await iam(['state', 'restore', 'a', '--yes'], signedIn)).code).toBe(3);
});

describe('documents', () => {
  test('export and import preserve the state byte for byte', async ({ home }) => {
    await using server = await startServer({ seed });
    const runOptions = { url: server.url, variables: { IAM_TOKEN: 'any' } };
    const file = home.file('state.json');
    const text = await exportState(server);
    expect((await iam(['state', 'export', '-f', file], runOptions)).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await iam(['state', 'export', '--seed', '-f', file], runOptions)).toMatchObject({
      code: 2,
      err: expect.stringContaining('the file already exists'),
    });
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await iam(['state', 'export', '-f', file, '--force'], runOptions)).code).toBe(0);
    expect((await iam(['state', 'export'], runOptions)).out).toBe(text);
    const rejected = await iam(['state', 'import', file, '--yes'], runOptions);
    expect([rejected.code, rejected.err]).toEqual([6, expect.stringContaining('STATE_NOT_EMPTY')]);
    await reset(server, { to: 'empty' });
    expect((await iam(['state', 'import', file], runOptions)).code).toBe(10);
    expect((await iam(['state', 'import', file, '--yes'], runOptions)).code).toBe(0);
    expect(await exportState(server)).toBe(text);
    expect((await iam(['state', 'import', '-', '--force', '--yes'], { ...runOptions, stdin: text })).code).toBe(0);
    expect(await exportState(server)).toBe(text);
  });

  test('a seed initializes another server', async () => {
    await using server = await startServer({ seed });
    const { out } = await iam(['state', 'export', '--seed'], { url: server.url, variables: { IAM_TOKEN: 'any' } });
    await using second = await startServer({ seed: JSON.parse(out) });
    expect(await readStableTables(second)).toEqual(await readStableTables(server));
  });

  test('files that cannot be read or written are reported, and nothing is sent', async ({ home }) => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    await writeFile(home.file('empty'), ' ');
    for (const file of [home.file('nothing'), home.file('empty')])
      expect((await iam(['state', 'import', file, '--yes'], server)).code).toBe(2);
    const tried = await iam(['state', 'import', '-', '--force', '--dry-run'], { ...server, stdin: '{"secret":1}' });
    expect(tried.out).toBe(`POST ${server.url}/_iam/state/import?force=true\n`);
    expect(server.received).toEqual([]);
    await using other = await startFakeServer(() => ({ json: { formatVersion: 1, tables: {} } }));
    expect((await iam(['state', 'export', '-f', home.folder], other)).code).toBe(70);
  });

  test('a server without snapshots is reported', async () => {
    await using server = await startFakeServer(() => errorResponse(404, 'PATH_UNKNOWN'));
    const outcome = await iam(['state', 'export'], server);
    expect([outcome.code, outcome.err]).toEqual([3, expect.stringContaining('no control plane')]);
  });
});
