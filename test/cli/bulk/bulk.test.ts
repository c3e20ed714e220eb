import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { errorResponse, type FakeHandler, type FakeServer, startFakeServer } from '../../client/fake-server.ts';
import { startServer } from '../../harness.ts';
import { Home, test, tokenVariables } from '../run-cli.ts';

/** A server that creates groups and rejects the configured names. */
function groupServer(responses: Readonly<Record<string, ReturnType<FakeHandler>>> = {}) {
  return startFakeServer(({ body }) => {
    const { groupName } = JSON.parse(body || '{}') as { groupName: string };
    return responses[groupName] ?? { status: 201, json: { groupId: `id-${groupName}` } };
  });
}

/** What was received, without the list of groups that is read to find those with administrative roles. */
const sentTo = ({ received }: FakeServer) => received.filter(({ path }) => !path.includes('/groups?'));

const creating = ['--operation', 'groups.create'];
const run = async (home: Home, server: { url: string }, words: readonly string[], stdin?: string) =>
  home.iam(['bulk', ...words], {
    url: server.url,
    variables: tokenVariables,
    ...(stdin === undefined ? {} : { stdin }),
  });

/** Writes rows to a file in the home and returns its name. */
async function rows(home: Home, text: string, name = 'rows.csv'): Promise<string> {
  await writeFile(home.file(name), text);
  return home.file(name);
}

const reportOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The text of a reject file without the line that names its run. */
const rejectsIn = async (file: string) => (await readFile(file, 'utf8')).replace(/^#iam-rejects [0-9a-f-]{36}\n/, '');

describe('bulk run', () => {
  test('sends a request for each CSV row and reports its line and id', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home, 'groupName,roles,dependencies\nops,A;B,leads\n\n"le""ads",,\n');
    const outcome = await run(home, server, ['run', file, ...creating, '-o', 'jsonl', '--concurrency', '1']);
    expect(outcome).toMatchObject({ code: 0, err: '2 of 2 rows done.\n' });
    expect(reportOf(outcome.out)).toEqual([
      { line: 2, operation: 'groups.create', state: 'ok', status: 201, id: 'id-ops', requestId: 'request-1' },
      { line: 4, operation: 'groups.create', state: 'ok', status: 201, id: 'id-le"ads', requestId: 'request-1' },
    ]);
    expect(sentTo(server).map(({ body }) => JSON.parse(body))).toEqual([
      { groupName: 'ops', roles: ['A', 'B'], dependencies: [{ groupName: 'leads' }] },
      { groupName: 'le"ads' },
    ]);
  });

  test('sends JSON lines, also from standard input, each row with its own operation', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: {} }));
    const lines = [
      { operation: 'groups.add-role', params: { groupId: 'a b' }, body: { roleName: 'VIEW' } },
      { operation: 'groups.get', params: { groupId: 'ops' } },
    ];
    const stdin = lines.map((line) => JSON.stringify(line)).join('\n');
    const words = ['run', '-', '--resume-log', home.file('l'), '--rejects', home.file('r'), '-o', 'name'];
    expect(await run(home, server, words, stdin)).toMatchObject({ code: 0, err: expect.stringMatching(/^\d+ of/) });
    expect(
      sentTo(server)
        .map(({ method, path }) => `${method} ${path.split('/v1')[1]}`)
        .sort(),
    ).toEqual(['GET /groups/ops', 'POST /groups/a%20b/role']);
  });

  test('rejects a header row with an open quote, and sends nothing', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home, '"groupName\nops\n');
    const outcome = await run(home, server, ['run', file, ...creating]);
    expect([outcome.code, outcome.err]).toEqual([2, expect.stringContaining('header row is not valid')]);
    expect(server.received).toEqual([]);
  });

  test('accepts member lists, JSON cells and prefixed columns', async ({ home }) => {
    await using server = await startFakeServer(() => ({ status: 204 }));
    const file = await rows(home, 'operation,params.groupName,body.userId\nuser-accesses.add-user,ops,u1;u2\n');
    expect(await run(home, server, ['run', file])).toMatchObject({ code: 0, err: expect.stringMatching(/^\d+ of/) });
    expect(JSON.parse(sentTo(server)[0]?.body ?? '')).toEqual([{ userId: 'u1' }, { userId: 'u2' }]);
    await using groups = await groupServer();
    const nested = await rows(home, 'groupName,dependencies\nops,"[{""groupName"":""x""}]"\n', 'nested.csv');
    expect((await run(home, groups, ['run', nested, ...creating])).code).toBe(0);
    expect(JSON.parse(sentTo(groups)[0]?.body ?? '')).toEqual({
      groupName: 'ops',
      dependencies: [{ groupName: 'x' }],
    });
  });

  test.each<[string, string, (text: string) => Buffer]>([
    ['commas after a UTF-8 byte order mark', ',', (text) => Buffer.from(`\ufeff${text}`)],
    ['semicolons', ';', (text) => Buffer.from(text)],
    ['tabs', '\t', (text) => Buffer.from(text)],
    ['tabs in UTF-16', '\t', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['semicolons in big-endian UTF-16', ';', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('accepts a spreadsheet with %s', async (_what, delimiter, encode) => {
    await using home = await Home.make();
    await using server = await groupServer({ leads: errorResponse(412, 'GROUP_NAME_TAKEN') });
    const lines = [
      ['groupName', 'roles', 'dependencies'],
      ['"Zo\u00eb \u{1f600}, ""A"""', '"A;B"', 'leads'],
      ['leads', 'C', ''],
    ];
    const text = lines.map((cells) => `${cells.join(delimiter)}\r\n`).join('');
    await writeFile(home.file('rows.csv'), encode(text));
    const words = ['run', home.file('rows.csv'), ...creating, '-o', 'jsonl', '--concurrency', '1'];
    const outcome = await run(home, server, words);
    expect(reportOf(outcome.out).map(({ line, state }) => [line, state])).toEqual([
      [2, 'ok'],
      [3, 'failed'],
    ]);
    expect(sentTo(server).map(({ body }) => JSON.parse(body))).toEqual([
      { groupName: 'Zo\u00eb \u{1f600}, "A"', roles: ['A', 'B'], dependencies: [{ groupName: 'leads' }] },
      { groupName: 'leads', roles: ['C'] },
    ]);
    const rejected = [lines[0], lines[2]].map((cells) => `${cells?.join(delimiter)}\n`).join('');
    expect(await rejectsIn(home.file('rows.rejects.csv'))).toBe(rejected);
  });

  test('accepts JSON lines in UTF-16', async ({ home }) => {
    await using server = await groupServer();
    const line = `${JSON.stringify({ operation: 'groups.create', body: { groupName: 'ops' } })}\n`;
    await writeFile(home.file('rows.jsonl'), Buffer.from(`\ufeff${line}`, 'utf16le'));
    expect((await run(home, server, ['run', home.file('rows.jsonl')])).code).toBe(0);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ groupName: 'ops' });
  });

  test('detects the header row and its delimiter after blank lines and in a long line', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home, `\n \n"${' '.repeat(70_000)}groupName";roles\nops;A\n`);
    expect((await run(home, server, ['run', file, ...creating])).code).toBe(0);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ groupName: 'ops', roles: ['A'] });
  });

  test('prints an aligned table', async ({ home }) => {
    await using server = await groupServer({ 'a-long-name': errorResponse(412, 'GROUP_NAME_TAKEN') });
    const file = await rows(home, 'groupName\nops\na-long-name\n');
    const { code, out } = await run(home, server, ['run', file, ...creating, '--concurrency', '1']);
    expect(code).toBe(8);
    expect(out.split('\n')).toEqual([
      'LINE  OPERATION      STATE   STATUS  CODE              MESSAGE                ID',
      '2     groups.create  ok      201                                              id-ops',
      '3     groups.create  failed  412     GROUP_NAME_TAKEN  fake GROUP_NAME_TAKEN',
      '',
    ]);
  });

  test('sends nothing if a row is invalid and reports each invalid row', async ({ home }) => {
    await using server = await groupServer();
    const text = 'groupName,strange,roles\nops,,\n,,A\nx,1,\n"a"b,,\n';
    const file = await rows(home, text);
    const { code, err } = await run(home, server, ['run', file, ...creating]);
    expect(code).toBe(2);
    expect(err).toContain('3 invalid rows');
    for (const line of [
      'line 3: groupName is missing',
      'line 4: column strange: groups.create has no field "strange"',
      'line 5: text follows',
    ])
      expect(err).toContain(line);
    expect(server.received).toEqual([]);
    await expect(stat(home.file('rows.resume-log'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('writes invalid rows to the reject file with --skip-invalid', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home, 'groupName,roles\n,A\nops,B\n');
    const outcome = await run(home, server, ['run', file, ...creating, '--skip-invalid', '-o', 'jsonl']);
    expect(outcome.code).toBe(8);
    expect(reportOf(outcome.out).map(({ line, state }) => [line, state])).toEqual(
      expect.arrayContaining([
        [2, 'invalid'],
        [3, 'ok'],
      ]),
    );
    expect(await rejectsIn(home.file('rows.rejects.csv'))).toBe('groupName,roles\n,A\n');
  });

  test.each([
    ['', 'contains no rows'],
    ['a,a\n1,2\n', 'duplicate'],
    ['groupName\n"never closed\n', 'never closed'],
    ['{"operation":"groups.nothing"}\n', 'not found'],
    ['{"operation":"groups.get","params":{"id":"x"}}\n', 'unknown key "id" in params; use groupId'],
    ['{"operation":"groups.get","parms":{}}\n', 'groups.get has no field "parms"; use groupId'],
    ['{"params":{}}\n', 'no operation'],
    ['{"operation":"groups.get"}\n{\n', 'line 2: column 2: expected a name in double quotes'],
  ])('rejects %j before anything is sent', async (text, reason) => {
    await using home = await Home.make();
    await using server = await groupServer();
    const { code, err } = await run(home, server, ['run', await rows(home, text)]);
    expect(code).toBe(2);
    expect(err).toContain(reason);
    expect(server.received).toEqual([]);
  });

  test('rejects a row that exceeds the length limit', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home, `groupName\n"${'x'.repeat(1_200_000)}`);
    expect((await run(home, server, ['run', file, ...creating])).err).toContain('longer than 1 MiB');
    const json = await rows(home, `{${' '.repeat(1_200_000)}`, 'rows.jsonl');
    expect((await run(home, server, ['run', json])).err).toContain('longer than 1 MiB');
    expect(server.received).toEqual([]);
  });

  test('reports invalid rows after a misplaced quote and sends the others with --skip-invalid', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home, 'groupName\n"a"b\nops\n"leads\n');
    const outcome = await run(home, server, ['run', file, ...creating, '--skip-invalid', '-o', 'jsonl']);
    expect(outcome.code).toBe(8);
    expect(sentTo(server).map(({ body }) => JSON.parse(body))).toEqual([{ groupName: 'ops' }]);
    expect(await rejectsIn(home.file('rows.rejects.csv'))).toBe('groupName\n"a"b\n"leads\n');
  });

  test.each([
    ['the delimiter of a first line sep=', 'sep=;\r\ngroupName;roles\r\n"a,b";VIEW\r\n', [], 'a,b'],
    ['--delimiter', 'groupName|roles\n"a,b;c"|VIEW\n', ['--delimiter', '|'], 'a,b;c'],
    ['--delimiter tab', 'groupName\troles\na;b\tVIEW\n', ['--delimiter', 'tab'], 'a;b'],
    ['a byte order mark and semicolons', '\ufeffgroupName;roles\r\nops;VIEW\r\n', [], 'ops'],
  ])('accepts %s', async (_, text, words, groupName) => {
    await using home = await Home.make();
    await using server = await groupServer();
    expect((await run(home, server, ['run', await rows(home, text), ...creating, ...words])).code).toBe(0);
    expect(sentTo(server).map(({ body }) => JSON.parse(body))).toEqual([{ groupName, roles: ['VIEW'] }]);
  });

  test('suggests the field for a column of a spreadsheet, and names what is not CSV', async ({ home }) => {
    await using server = await groupServer();
    const spelled = await run(home, server, ['run', await rows(home, 'Group Name\nops\n'), ...creating]);
    expect([spelled.code, spelled.err]).toEqual([2, expect.stringContaining('did you mean groupName?')]);
    await writeFile(home.file('book.xlsx'), Buffer.from('504b03041400', 'hex'));
    const workbook = await run(home, server, ['run', home.file('book.xlsx'), ...creating]);
    expect([workbook.code, workbook.err]).toEqual([2, expect.stringContaining('is a spreadsheet or a ZIP archive')]);
    await writeFile(home.file('latin.csv'), Buffer.from('groupName\nops\nS\xe3o\n', 'latin1'));
    const latin = await run(home, server, ['run', home.file('latin.csv'), ...creating]);
    expect([latin.code, latin.err]).toEqual([2, expect.stringContaining('not valid UTF-8 (line 3, column 2)')]);
    expect(server.received).toEqual([]);
  });

  test('rejects invalid UTF-8 and missing files', async ({ home }) => {
    await using server = await groupServer();
    await writeFile(home.file('latin.csv'), Buffer.from([0x61, 0x0a, 0xe9, 0x0a]));
    expect((await run(home, server, ['run', home.file('latin.csv')])).err).toContain(
      'not valid UTF-8 (line 2, column 1)',
    );
    await writeFile(home.file('bare.csv'), Buffer.from('groupName\nops\n', 'utf16le'));
    expect((await run(home, server, ['run', home.file('bare.csv')])).err).toContain(
      'is not text: it has U+0000 (line 1, column 2)',
    );
    await writeFile(home.file('half.csv'), Buffer.from('\ufeffgroupName\n\ud83d\n', 'utf16le'));
    expect((await run(home, server, ['run', home.file('half.csv')])).err).toContain(
      'not valid UTF-16 (line 2, column 1)',
    );
    expect((await run(home, server, ['run', home.file('nothing.csv')])).code).toBe(2);
  });

  test.each([
    ['--concurrency', '0'],
    ['--concurrency', '65'],
    ['--rate', '0'],
    ['--rate', 'fast'],
    ['--max-errors', '-1'],
    ['--columns', 'nmae'],
    ['--operation', 'groups.nothing'],
    ['--delimiter', 'x'],
  ])('%s %s is a usage error', async (...words) => {
    await using home = await Home.make();
    await using server = await groupServer();
    const file = await rows(home, 'groupName\nops\n');
    expect((await run(home, server, ['run', file, ...creating, ...words])).code).toBe(2);
    expect(server.received).toEqual([]);
  });

  test('reports a row with an invalid path and continues', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: {} }));
    const file = await rows(home, 'groupId\n..\nops\n');
    const outcome = await run(home, server, ['run', file, '--operation', 'groups.get', '-o', 'csv']);
    expect(outcome.code).toBe(8);
    expect(outcome.out).toContain('2,groups.get,failed,,INVALID,"groupId');
    expect(outcome.out).toContain('3,groups.get,ok,200');
  });

  test('previews requests with --dry-run without secrets and creates no file', async ({ home }) => {
    await using server = await startFakeServer(() => ({}));
    const file = await rows(home, 'operation,userId,newPassword,groupId\ngroups.remove,,,ops\n');
    const outcome = await run(home, server, ['run', file, '--dry-run', '-o', 'jsonl']);
    expect(outcome.code).toBe(0);
    expect(reportOf(outcome.out)).toEqual([
      { line: 2, operation: 'groups.remove', method: 'DELETE', url: `${server.url}/security/iam/v1/groups/ops` },
    ]);
    expect(server.received).toEqual([]);
    await expect(stat(home.file('rows.resume-log'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each(['table', 'wide', 'csv'])('previews the body of a request as JSON with -o %s', async (format) => {
    await using home = await Home.make();
    await using server = await startFakeServer(() => ({}));
    const file = await rows(home, 'groupName\nops\n');
    const { out } = await run(home, server, ['run', file, ...creating, '--dry-run', '-o', format]);
    expect(out.replaceAll('""', '"')).toContain('{"groupName":"ops"}');
  });

  test('creates groups and adds members on a real server', async ({ home }) => {
    await using server = await startServer();
    const { clientId, clientSecret } = { clientId: 'test-admin', clientSecret: 'secret-of-the-test-administrator' };
    const variables = { IAM_CLIENT_ID: clientId, IAM_CLIENT_SECRET: clientSecret };
    const file = await rows(
      home,
      `groupName,roles\n${Array.from({ length: 40 }, (_, at) => `group-${at},VIEW`).join('\n')}`,
    );
    const words = ['bulk', 'run', file, ...creating, '-o', 'name', '-q'];
    expect(await home.iam(words, { url: server.url, variables })).toMatchObject({ code: 0, err: '' });
    const { items } = await server.admin.groups.list({ query: { limit: 1000 } });
    expect(items.filter(({ groupName }) => groupName.startsWith('group-'))).toHaveLength(40);
  });
});
