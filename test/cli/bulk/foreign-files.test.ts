/** Files from another person: a resume log that names other files, and rows that do more than the operation of the run. */

import { once } from 'node:events';
import { watch } from 'node:fs';
import { chmod, chown, link, lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, vi } from 'vitest';
import { withRowSource } from '../../../src/cli/bulk/row-source.ts';
import { saveProfile } from '../../../src/cli/config/profile.ts';
import { withFileLock } from '../../../src/cli/io/private-files.ts';
import { errorResponse, type FakeServer, startFakeServer } from '../../client/fake-server.ts';
import { adminClient, startServer } from '../../harness.ts';
import { createScriptedPrompter } from '../prompts/scripted-prompter.ts';
import { Home, test, tokenVariables } from '../run-cli.ts';

const precious = 'alias ls=ls\n';

/** Rejects each row, and lists no groups. */
const rejectingServer = () =>
  startFakeServer(({ method }) => (method === 'GET' ? { json: [] } : errorResponse(412, 'GROUP_NAME_TAKEN')));

function bulk(home: Home, server: { readonly url: string }, ...words: readonly string[]) {
  return home.iam(['bulk', ...words], { url: server.url, variables: tokenVariables });
}

const writesTo = ({ received }: FakeServer) => received.filter(({ method }) => method !== 'GET');

/** A run whose rows all failed, with changes of the header of its log, as another person could have made it. */
async function makeLog(home: Home, server: FakeServer, changes: (home: Home) => object = () => ({})): Promise<string> {
  await mkdir(home.file('shared'), { recursive: true });
  await writeFile(home.file('shared/rows.csv'), 'groupName\nops\n');
  await bulk(home, server, 'run', home.file('shared/rows.csv'), '--operation', 'groups.create');
  (server.received as unknown[]).splice(0);
  const log = home.file('shared/rows.resume-log');
  const [header = '', ...entries] = (await readFile(log, 'utf8')).split('\n');
  await writeFile(log, [JSON.stringify({ ...JSON.parse(header), ...changes(home) }), ...entries].join('\n'));
  return log;
}

describe('a resume log that names a file of the user', () => {
  test.each([
    ['elsewhere', 'profile', 'is not beside the resume log'],
    ['beside it', 'shared/profile', 'is no reject file of this run'],
  ])('%s to rewrite leaves it as it is', async (_where, name, reason) => {
    await using home = await Home.make();
    await using server = await rejectingServer();
    const log = await makeLog(home, server, () => ({ rejects: home.file(name) }));
    await writeFile(home.file(name), precious);
    const outcome = await bulk(home, server, 'retry', log);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining(reason) });
    expect(outcome.err).toContain('--rejects');
    expect(await readFile(home.file(name), 'utf8')).toBe(precious);
    expect(server.received).toEqual([]);
    const named = await bulk(home, server, 'retry', log, '--rejects', home.file(name));
    expect([named.code, await readFile(home.file(name), 'utf8')]).toEqual([2, precious]);
    expect((await bulk(home, server, 'retry', log, '--rejects', home.file('mine.csv'))).code).toBe(8);
    expect(await readFile(home.file('mine.csv'), 'utf8')).toMatch(/^#iam-rejects [0-9a-f-]{36}\ngroupName\nops\n$/);
  });

  test('beside it that does not exist creates none', async ({ home }) => {
    await using server = await rejectingServer();
    const log = await makeLog(home, server, () => ({ rejects: home.file('shared/.bash_profile') }));
    const outcome = await bulk(home, server, 'retry', log);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('--rejects') });
    expect(server.received).toEqual([]);
    await expect(lstat(home.file('shared/.bash_profile'))).rejects.toThrow('ENOENT');
  });

  test('through a link beside it leaves the file as it is', async ({ home }) => {
    await using server = await rejectingServer();
    const log = await makeLog(home, server);
    const rejects = home.file('shared/rows.rejects.csv');
    // Even with the line of the run, which every reader of the log knows.
    await link(rejects, home.file('profile'));
    await rm(rejects);
    await symlink(home.file('profile'), rejects);
    const before = await readFile(home.file('profile'), 'utf8');
    expect((await bulk(home, server, 'retry', log)).code).toBe(2);
    expect([await readFile(home.file('profile'), 'utf8'), (await lstat(rejects)).isSymbolicLink()]).toEqual([
      before,
      true,
    ]);
  });

  test('as its rows reads them only if the command line names them', async ({ home }) => {
    await using server = await rejectingServer();
    const log = await makeLog(home, server, () => ({ file: home.file('rows.csv') }));
    await writeFile(home.file('rows.csv'), await readFile(home.file('shared/rows.csv')));
    const outcome = await bulk(home, server, 'retry', log);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining(`iam bulk retry ${log} FILE`) });
    expect(server.received).toEqual([]);
    const words = ['retry', log, home.file('rows.csv'), '--rejects', home.file('mine.csv')];
    expect((await bulk(home, server, ...words)).code).toBe(8);
  });

  test.each([
    ['without the id of a run', { run: undefined }],
    ['with a pattern as id', { run: '.*' }],
    ['without a reject file', { rejects: undefined }],
  ])('%s is no resume log', async (_what, changes) => {
    await using home = await Home.make();
    await using server = await rejectingServer();
    const outcome = await bulk(home, server, 'retry', await makeLog(home, server, () => changes));
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('is not a resume log') });
  });

  test('with a row beyond its size is damaged: no memory is reserved for it', async ({ home }) => {
    await using server = await rejectingServer();
    const log = await makeLog(home, server);
    await writeFile(log, `${await readFile(log, 'utf8')}{"row":1e9,"line":2,"state":"ok"}\n`);
    expect(await bulk(home, server, 'retry', log)).toMatchObject({ code: 2, err: expect.stringContaining('damaged') });
  });
});

const self = process.getuid?.();

describe.skipIf(self === undefined)('a resume log', () => {
  test.each(['retry', 'run'])('that is a link is not used by bulk %s', async (command) => {
    await using home = await Home.make();
    await using server = await rejectingServer();
    const log = await makeLog(home, server);
    await rename(log, home.file('elsewhere'));
    await symlink(home.file('elsewhere'), log);
    const before = await readFile(log, 'utf8');
    const words = command === 'retry' ? [log] : [home.file('shared/rows.csv'), '--operation', 'groups.create'];
    const outcome = await bulk(home, server, command, ...words);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining(`${log} is a symbolic link`) });
    expect([server.received, await readFile(home.file('elsewhere'), 'utf8')]).toEqual([[], before]);
  });

  test('that a link names is not created at its target', async ({ home }) => {
    await using server = await rejectingServer();
    await writeFile(home.file('rows.csv'), 'groupName\nops\n');
    await symlink(home.file('precious'), home.file('rows.resume-log'));
    expect((await bulk(home, server, 'run', home.file('rows.csv'), '--operation', 'groups.create')).code).toBe(2);
    await expect(lstat(home.file('precious'))).rejects.toThrow('ENOENT');
    expect(server.received).toEqual([]);
  });

  test('that others can write is used only in a folder that is trusted', async ({ home }) => {
    await using server = await rejectingServer();
    const log = await makeLog(home, server);
    await chmod(log, 0o666);
    const outcome = await bulk(home, server, 'retry', log);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining(`other users can write ${log}`) });
    expect(server.received).toEqual([]);
    expect((await bulk(home, server, 'retry', log, '--trust-folder', home.folder)).code).toBe(8);
  });

  test('that others prepared for a run is refused with the option that names another', async ({ home }) => {
    await using server = await rejectingServer();
    await writeFile(home.file('rows.csv'), 'groupName\nops\n');
    const words = ['run', home.file('rows.csv'), '--operation', 'groups.create'];
    const log = home.file('rows.resume-log');
    await writeFile(log, '');
    await chmod(log, 0o666);
    const outcome = await bulk(home, server, ...words);
    expect(outcome).toMatchObject({
      code: 2,
      err: expect.stringContaining('Name another file with --resume-log. If you'),
    });
    await rm(log);
    await symlink(home.file('precious'), log);
    expect((await bulk(home, server, ...words)).err).toContain('Name another file with --resume-log. Name the file');
    expect(server.received).toEqual([]);
    expect((await bulk(home, server, ...words, '--resume-log', home.file('own'))).code).toBe(8);
  });

  test.skipIf(self !== 0)('of another user is not used (needs root, to change owners)', async ({ home }) => {
    await using server = await rejectingServer();
    const log = await makeLog(home, server);
    await chown(log, 12345, 12345);
    const outcome = await bulk(home, server, 'retry', log);
    expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining(`${log} belongs to another user`) });
    const rerun = ['run', home.file('shared/rows.csv'), '--operation', 'groups.create'];
    expect((await bulk(home, server, ...rerun)).code).toBe(2);
    expect(server.received).toEqual([]);
  });

  test('that is replaced after it was read is not continued', async ({ home }) => {
    const swap = { path: '' };
    await using server = await startFakeServer(async ({ method }) => {
      if (method !== 'GET') return errorResponse(412, 'X');
      if (swap.path !== '') await link(home.file('precious'), `${swap.path}.new`);
      if (swap.path !== '') await rename(`${swap.path}.new`, swap.path);
      return { json: [] };
    });
    await writeFile(home.file('precious'), precious);
    await writeFile(home.file('rows.jsonl'), addition('ops'));
    await bulk(home, server, 'run', home.file('rows.jsonl'));
    swap.path = home.file('rows.resume-log');
    const outcome = await bulk(home, server, 'retry', swap.path);
    expect(outcome.err).toContain('was replaced');
    expect(await readFile(home.file('precious'), 'utf8')).toBe(precious);
    expect(writesTo(server)).toHaveLength(1);
  });
});

/** A row that adds a user to a group: the groups are read before it is sent. */
const addition = (groupName: string) =>
  JSON.stringify({ operation: 'user-accesses.add-user', params: { groupName }, body: [{ userId: 'u' }] });

test.each(['run', 'retry'])('bulk %s sends the rows that it showed, also if the file changes', async (command) => {
  await using home = await Home.make();
  const file = home.file('rows.jsonl');
  const change = { text: addition('ops') };
  await using server = await startFakeServer(async ({ method }) => {
    if (method !== 'GET') return errorResponse(412, 'X');
    await writeFile(file, change.text);
    return { json: [] };
  });
  await writeFile(file, addition('ops'));
  if (command === 'retry') await bulk(home, server, 'run', file);
  (server.received as unknown[]).splice(0);
  change.text = addition('iam-administrators');
  const words = command === 'run' ? ['run', file] : ['retry', home.file('rows.resume-log')];
  await bulk(home, server, ...words);
  expect(writesTo(server).map(({ path }) => path)).toEqual([expect.stringContaining('ops')]);
});

test.skipIf(self === undefined)(
  'bulk says what to do if there is no folder for the copy of the rows',
  async ({ home }) => {
    await using server = await rejectingServer();
    await writeFile(home.file('rows.csv'), 'groupName\nops\n');
    vi.stubEnv('TMPDIR', home.file('missing'));
    try {
      const outcome = await bulk(home, server, 'run', home.file('rows.csv'), '--operation', 'groups.create');
      expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('Set TMPDIR') });
    } finally {
      vi.unstubAllEnvs();
    }
  },
);

describe('a lock', () => {
  afterEach(() => void vi.useRealTimers());

  test('is refreshed in its file, not in that of a link that replaced it', async ({ home }) => {
    await writeFile(home.file('precious'), precious);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await withFileLock(home.file('a.lock'), async () => {
      await rm(home.file('a.lock'));
      await symlink(home.file('precious'), home.file('a.lock'));
      vi.advanceTimersByTime(1_000);
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    });
    expect(await readFile(home.file('precious'), 'utf8')).toBe(precious);
  });
});

test('a lock file that is none is not removed as a stale one', async ({ home }) => {
  await using server = await rejectingServer();
  await writeFile(home.file('rows.csv'), 'groupName\nops\n');
  await writeFile(home.file('yarn.lock'), precious);
  const words = ['run', home.file('rows.csv'), '--operation', 'groups.create', '--resume-log', home.file('yarn')];
  const outcome = await bulk(home, server, ...words);
  expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining('yarn.lock exists and is no lock') });
  expect([await readFile(home.file('yarn.lock'), 'utf8'), server.received]).toEqual([precious, []]);
});

test('a reject file is read as rows, also as a spreadsheet saves it', async ({ home }) => {
  const mark = '#iam-rejects 01234567-89ab-cdef-0123-456789abcdef';
  const files = {
    'a.csv': `${mark}\ngroupName,roles\nops,A\n`,
    'b.csv': `\ufeff${mark};\r\ngroupName;roles\r\nops;A\r\n`,
    'c.csv': `sep=|\n"${mark}"|\ngroupName|roles\nops|A\n`,
    'd.jsonl': `${mark}\n{"body":{"groupName":"ops","roles":["A"]}}\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await using server = await startFakeServer(() => ({ status: 201, json: { groupId: 'g' } }));
    await writeFile(home.file(name), text);
    const words = ['run', home.file(name), '--operation', 'groups.create', '-o', 'jsonl'];
    const { code, out } = await bulk(home, server, ...words);
    expect([name, code, (JSON.parse(out) as { line: number }).line]).toEqual([name, 0, text.trim().split('\n').length]);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ groupName: 'ops', roles: ['A'] });
  }
});

describe('rows with an operation of their own', () => {
  test.each([
    ['rows.csv', 'operation,groupName,groupId,roleName\n,ops,,\ngroups.remove,,leads,\n', 3],
    ['rows.jsonl', '{"body":{"groupName":"ops"}}\n{"operation":"groups.remove","params":{"groupId":"leads"}}\n', 2],
  ])('beside --operation are an error in %s without --allow-other-operations', async (name, text, line) => {
    await using home = await Home.make();
    await using server = await startFakeServer(({ method }) =>
      method === 'GET' ? { json: [] } : { json: { groupId: 'g' } },
    );
    await writeFile(home.file(name), text);
    const words = ['run', home.file(name), '--operation', 'groups.create', '--yes'];
    const refused = await bulk(home, server, ...words);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(`line ${line}: "groups.remove" is not the operation groups.create`);
    expect(refused.err).toContain('--allow-other-operations');
    expect(writesTo(server)).toEqual([]);
    expect((await bulk(home, server, ...words, '--allow-other-operations')).code).toBe(0);
    expect(writesTo(server)).toHaveLength(2);
  });

  test('are sent without --operation, and if they repeat it', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: {} }));
    await writeFile(home.file('rows.csv'), 'operation,groupId\ngroups.get,ops\n');
    expect((await bulk(home, server, 'run', home.file('rows.csv'))).code).toBe(0);
    await writeFile(home.file('more.csv'), 'operation,groupId\ngroups.get,leads\n');
    expect((await bulk(home, server, 'run', home.file('more.csv'), '--operation', 'groups get')).code).toBe(0);
  });
});

describe('rows that give administrative roles', () => {
  const variables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };

  test('are listed and asked for; without an answer nothing is sent', async ({ home }) => {
    await using server = await startServer({ seed: { users: [{ userId: 'u-bob', userName: 'bob' }] } });
    const { items } = await server.admin.groups.list({ query: { name: 'iam-administrators' } });
    await server.admin.groups.create({ body: { groupName: 'ops', roles: ['VIEW'] } });
    const dependencies = [{ groupName: 'iam-administrators' }];
    await server.admin.groups.create({ body: { groupName: 'leads', dependencies } });
    await server.admin.groups.create({ body: { groupName: 'heads', dependencies: [{ groupName: 'leads' }] } });
    const rows = [
      { operation: 'user-accesses.add-user', params: { groupName: 'ops' }, body: [{ userId: 'unknown' }] },
      { operation: 'user-accesses.add-user', params: { groupName: 'name:heads' }, body: [{ userId: 'u-bob' }] },
      { operation: 'user-accesses.add-user', params: { groupName: items[0]?.groupId }, body: [{ userId: 'unknown' }] },
      { operation: 'groups.add-role', params: { groupId: 'ops' }, body: { roleName: 'ROLE_IAM_ADMIN_READ_ONLY' } },
      { operation: 'groups.add-role', params: { groupId: 'ops' }, body: { roleName: 'VIEW' } },
      { operation: 'groups.create', body: { groupName: 'new', dependencies: [{ groupName: 'leads' }] } },
      { operation: 'groups.create', body: { groupName: 'newer', roles: ['ADMIN'] } },
      { operation: 'user-accesses.list-users', params: { groupName: 'iam-administrators' } },
      { operation: 'user-accesses.remove-user', params: { groupName: 'leads', userId: 'unknown' } },
    ];
    await writeFile(home.file('rows.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
    const words = ['bulk', 'run', home.file('rows.jsonl'), '--confirm', '1'];
    const refused = await home.iam(words, { url: server.url, variables });
    expect(refused).toMatchObject({ code: 10, out: '' });
    const all = 'ADMIN, IAM_ADMIN_MAINTENANCE, IAM_ADMIN_READ_ONLY';
    expect(refused.err.split('\n')).toEqual([
      `  line 2: user u-bob (bob) would gain ${all} through heads`,
      `  line 3: user unknown would gain ${all} through iam-administrators`,
      '  line 4: the members of ops would gain IAM_ADMIN_READ_ONLY',
      // The group has administrative roles by now, so each addition to it is listed, also of an ordinary role.
      '  line 5: groups.add-role ops VIEW',
      `  line 6: the members of new would gain ${all} through leads`,
      '  line 7: the members of newer would gain ADMIN',
      expect.stringContaining('6 of 9 rows can give administrative roles. Continue?'),
      expect.stringContaining('--yes'),
      '',
    ]);
    const preview = await home.iam([...words, '--dry-run'], { url: server.url, variables });
    expect(preview.err).toContain(
      '  line 7: the members of newer would gain ADMIN\n6 of 9 rows can give administrative roles.\n',
    );
    expect(await server.admin.groups.get({ params: { groupId: 'ops' } })).toMatchObject({ roles: ['VIEW'] });
    const { err } = await home.iam([...words, '--yes'], { url: server.url, variables });
    expect(err).toContain('6 of 9 rows done');
    expect(await server.admin.groups.get({ params: { groupId: 'newer' } })).toMatchObject({ roles: ['ADMIN'] });
  });

  test('are also those that add to a group that got its roles from a row before', async ({ home }) => {
    await using server = await startFakeServer(({ method }) => ({ json: method === 'GET' ? [] : {} }));
    const rows = [
      JSON.stringify({ operation: 'groups.create', body: { groupName: 'new', roles: ['ADMIN'] } }),
      addition('new'),
      JSON.stringify({ operation: 'groups.add-role', params: { groupId: 'ops' }, body: { roleName: 'ADMIN' } }),
      addition('ops'),
      addition('other'),
    ];
    await writeFile(home.file('rows.jsonl'), rows.join('\n'));
    const { code, err } = await bulk(home, server, 'run', home.file('rows.jsonl'));
    expect([code, err]).toEqual([10, expect.stringContaining('4 of 5 rows can give administrative roles')]);
    expect(err).toContain('line 2: user u would gain ADMIN through new\n');
    expect(err).toContain('line 4: user u would gain ADMIN through ops\n');
  });

  test('are those of users whose business has such roles, also by its name or by a row before', async ({ home }) => {
    const businesses = ['b1', 'b2', 'b3'].map((businessId) => ({ businessId, businessName: `Name ${businessId}` }));
    const groups = [{ groupName: 'heads', roles: ['ADMIN'], businesses: ['b1'] }];
    await using server = await startServer({ seed: { businesses, groups } });
    const user = (businessId: string) => ({
      operation: 'user-identities.create',
      body: { userName: `of-${businessId}`, userEmail: `u-${crypto.randomUUID()}@example.com`, businessId },
    });
    const addition = { operation: 'business-accesses.add-business', params: { groupId: 'heads' } };
    const rows = [
      user('b2'),
      user('b1'),
      user('Name b1'),
      { ...addition, body: [{ businessId: 'b2' }] },
      user('b2'),
      user('b3'),
    ];
    await writeFile(home.file('rows.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
    const { code, err } = await home.iam(['bulk', 'run', home.file('rows.jsonl')], { url: server.url, variables });
    expect([code, err]).toEqual([10, expect.stringContaining('4 of 6 rows can give administrative roles.')]);
    expect(err.match(/line .*/g)).toEqual([
      'line 2: user of-b1 would gain ADMIN through business b1 (Name b1)',
      'line 3: user of-Name b1 would gain ADMIN through business Name b1',
      'line 4: business b2 (Name b2) would gain ADMIN through heads',
      'line 5: user of-b2 would gain ADMIN through business b2 (Name b2)',
    ]);
  });

  test('need the name of a protected profile, and are one question with destructive rows', async ({ home }) => {
    await using server = await startFakeServer(({ method }) => ({ json: method === 'GET' ? [] : {} }));
    await saveProfile('careful', { baseUrl: server.url, token: 't', protected: true }, home.variables);
    await saveProfile('usual', { baseUrl: server.url, token: 't' }, home.variables);
    const row = (operation: string, body?: object) => JSON.stringify({ operation, params: { groupId: 'ops' }, body });
    const grant = row('groups.add-role', { roleName: 'ADMIN' });
    const removals = (count: number) => Array.from({ length: count }, () => row('groups.remove'));
    const run = async (profile: string, rows: readonly string[], more: readonly string[], reply?: unknown) => {
      const file = home.file(`${crypto.randomUUID()}.jsonl`);
      await writeFile(file, rows.join('\n'));
      const { prompter, questions } = createScriptedPrompter(...(reply === undefined ? [] : [reply]));
      const terminal = reply === undefined ? {} : { columns: 200, prompter };
      const words = ['bulk', 'run', file, '--profile', profile, ...more];
      const { code } = await home.iam(words, { ...terminal, variables: {} });
      return [code, ...questions.map(({ message }) => message)];
    };
    expect(await run('careful', [grant], ['--yes'])).toEqual([10]);
    expect(await run('careful', [grant, ...removals(2)], ['--confirm', '2'])).toEqual([10]);
    expect(writesTo(server)).toEqual([]);
    expect(await run('careful', [grant], ['--confirm', 'careful'])).toEqual([0]);
    expect(await run('careful', [grant, ...removals(1)], ['--confirm', 'careful'])).toEqual([0]);
    expect(await run('careful', [grant, ...removals(2)], ['--confirm', '2', '--yes'])).toEqual([0]);
    const found = (count: number) => `1 of ${count} rows can give administrative roles.`;
    expect(await run('usual', [grant, ...removals(1)], [], true)).toEqual([
      0,
      `${found(2)} One row deletes something or replaces a list. Continue?`,
    ]);
    expect(await run('usual', [grant, ...removals(2)], [], '2')).toEqual([
      0,
      `${found(3)} 2 of 3 rows delete something or replace a list. Type 2 to confirm:`,
    ]);
  });

  test('are not looked for by a caller that may not list groups, and no more than ten are listed', async ({ home }) => {
    const rejecting = await startFakeServer(({ method }) =>
      method === 'GET' ? errorResponse(403, 'ROLE_MISSING') : { json: {} },
    );
    await using server = rejecting;
    await writeFile(home.file('rows.jsonl'), addition('ops'));
    expect((await bulk(home, server, 'run', home.file('rows.jsonl'))).code).toBe(0);
    await using listing = await startFakeServer(() => ({
      json: [{ groupId: 'g', groupName: 'ops', roles: ['ADMIN'] }],
    }));
    await writeFile(home.file('many.jsonl'), Array.from({ length: 12 }, () => addition('ops')).join('\n'));
    const { err, code } = await bulk(home, listing, 'run', home.file('many.jsonl'));
    expect([code, err.split('\n').filter((line) => line.startsWith('  '))]).toEqual([
      10,
      expect.arrayContaining(['  and 2 more']),
    ]);
    expect(writesTo(listing)).toEqual([]);
  });
});

test('removes its copy of the rows once, and not what another user then puts at its place', async () => {
  await using home = await Home.make();
  await mkdir(home.file('tmp'));
  await writeFile(home.file('rows.csv'), 'groupName\nops\n');
  const names = watch(home.file('tmp'));
  vi.stubEnv('TMPDIR', home.file('tmp'));
  try {
    const created = once(names, 'change').then(([, name]) => home.file(`tmp/${String(name)}`));
    const io = { stdin: new PassThrough(), signal: new AbortController().signal };
    await withRowSource(io, home.file('rows.csv'), async () => {
      await mkdir(await created);
      await writeFile(path.join(await created, 'rows'), precious);
    });
    expect(await readFile(path.join(await created, 'rows'), 'utf8')).toBe(precious);
  } finally {
    names.close();
    vi.unstubAllEnvs();
  }
});
