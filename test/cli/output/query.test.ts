import { describe, expect, test } from 'vitest';
import { errorResponse, startFakeServer } from '../../client/fake-server.ts';
import { iam } from '../run-cli.ts';

const groups = [
  { groupId: 'g1', groupName: 'ops', roles: ['A', 'B'], dependencies: [{ groupName: 'leads' }, { groupName: 'x' }] },
  { groupId: 'g2', groupName: 'leads', roles: [], dependencies: [] },
];

const groupServer = () => startFakeServer(() => ({ json: groups }));

describe('--query', () => {
  test.each([
    ['json', '[\n  "ops",\n  "leads"\n]\n'],
    ['jsonl', '"ops"\n"leads"\n'],
    ['yaml', '- ops\n- leads\n'],
    ['csv', 'ops\nleads\n'],
    ['name', 'ops\nleads\n'],
    ['table', 'ops\nleads\n'],
    ['wide', 'ops\nleads\n'],
  ])('applies to a whole list as %s', async (format, out) => {
    await using server = await groupServer();
    const outcome = await iam(['groups', 'list', '--query', '[].groupName', '-o', format], server);
    expect(outcome).toEqual({ code: 0, out, err: '' });
  });

  test('sees all pages of a list', async () => {
    await using server = await startFakeServer(({ path }) =>
      path.includes('after=')
        ? { json: groups }
        : { status: 206, json: groups, headers: { link: '</x?after=1>; rel="next"' } },
    );
    const { out } = await iam(['groups', 'list', '--all', '--query', 'length(@)', '-o', 'json'], server);
    expect(out).toBe('4\n');
  });

  test('produces table rows, whose columns can be selected', async () => {
    await using server = await groupServer();
    const words = ['groups', 'list', '--query', '[].{name: groupName, size: length(roles)}'];
    expect((await iam(words, server)).out).toBe('NAME   SIZE\nops    2\nleads  0\n');
    expect((await iam([...words, '--columns', 'size'], server)).out).toBe('SIZE\n2\n0\n');
  });

  test('prints rows that are lists as columns without a header', async () => {
    await using server = await groupServer();
    const words = ['groups', 'list', '--query', '[].[groupName, roles, groupId]', '-o'];
    expect((await iam([...words, 'table'], server)).out).toBe('ops    A, B  g1\nleads        g2\n');
    expect((await iam([...words, 'wide'], server)).out).toBe('ops    A, B  g1\nleads        g2\n');
    expect((await iam([...words, 'csv'], server)).out).toBe('ops,A;B,g1\nleads,,g2\n');
    expect((await iam([...words, 'jsonl'], server)).out).toBe('["ops",["A","B"],"g1"]\n["leads",[],"g2"]\n');
  });

  test('prints as many columns as the longest list, empty ones too, and quotes and escapes cells', async () => {
    await using server = await startFakeServer(() => ({ json: [{ a: '=1+1', b: 'x,y' }, { b: 'z' }] }));
    const words = ['api', 'GET', '/healthz', '-o', 'csv', '--query'];
    expect((await iam([...words, '[].[none, a, b]'], server)).out).toBe(`,'=1+1,"x,y"\n,,z\n`);
    expect((await iam([...words, '[].values(@)'], server)).out).toBe(`'=1+1,"x,y"\nz,\n`);
  });

  test('does not combine lists as rows with --columns', async () => {
    await using server = await groupServer();
    const words = ['groups', 'list', '--query', '[].[groupName]', '--columns', 'groupName', '-o', 'csv'];
    const outcome = await iam(words, server);
    expect(outcome).toMatchObject({ code: 2, out: '' });
    expect(outcome.err).toContain('Name the columns in the query');
    const text = await iam(['groups', 'list', '--query', '[0].groupName', '--columns', 'groupName'], server);
    expect(text).toMatchObject({ code: 2, out: '', err: expect.stringContaining('name the columns in the query') });
  });

  test('applies to one entity, and prints null without a match', async () => {
    await using server = await startFakeServer(() => ({ json: groups[0] }));
    expect((await iam(['groups', 'get', 'ops', '--query', 'roles[0]'], server)).out).toBe('A\n');
    expect((await iam(['groups', 'get', 'ops', '--query', 'none', '-o', 'json'], server)).out).toBe('null\n');
    expect((await iam(['groups', 'get', 'ops', '--query', 'none'], server)).out).toBe('');
  });

  test.each([
    ...[
      '[',
      'limit=10',
      'nofunction(',
      'nofunction(@)',
      '[].{n: lenght(roles)}',
      'sum(@, @)',
      '[?starts_with(groupName)]',
    ],
    ...['pad_left(@)', 'merge()'],
  ])('%s is a usage error, and nothing is sent', async (expression) => {
    await using server = await groupServer();
    const outcome = await iam(['groups', 'list', '--query', expression], server);
    expect(outcome).toMatchObject({ code: 2, out: '' });
    expect(outcome.err).toContain('--query is not a valid JMESPath expression');
    expect(server.received).toEqual([]);
  });

  test('has functions with optional and any number of arguments', async () => {
    await using server = await groupServer();
    const expression = `[].{m: merge(@, @), p: pad_left(groupName, \`4\`), f: find_first(groupName, 'o')}`;
    expect((await iam(['groups', 'list', '--query', expression], server)).code).toBe(0);
    const { err } = await iam(['groups', 'list', '--query', 'lenght(@)'], server);
    expect(err).toContain('unknown function lenght(); did you mean length()?');
  });

  test('that does not fit the result is reported, and after a write also that it took effect', async () => {
    await using server = await groupServer();
    const { code, err } = await iam(['groups', 'list', '--query', 'sum([].groupName)'], server);
    expect([code, err]).toEqual([2, expect.stringContaining('error: --query does not fit the result: ')]);
    const write = ['groups', 'create', '--group-name', 'ops', '--query', 'sum(@)'];
    await using created = await startFakeServer(() => ({ json: { groupId: '64b0c0ffee00000000000001' } }));
    const written = await iam(write, created);
    expect([written.code, written.err]).toEqual([
      70,
      expect.stringContaining('error: The command took effect: 1 change was made. --query does not fit the result: '),
    ]);
  });

  test('applies to the request of a dry run', async () => {
    await using server = await groupServer();
    const words = ['groups', 'create', '--group-name', 'ops', '--dry-run', '--query', 'body.groupName'];
    expect((await iam(words, server)).out).toBe('ops\n');
  });
});

describe('--columns', () => {
  test('selects and orders the columns of a table, nested ones with dots', async () => {
    await using server = await groupServer();
    const { out } = await iam(['groups', 'list', '--columns', 'groupName,dependencies.groupName,groupId'], server);
    expect(out).toBe(
      'GROUP NAME  DEPENDENCIES.GROUP NAME  GROUP ID\nops         leads, x                 g1\nleads                                g2\n',
    );
  });

  test('selects the columns of csv', async () => {
    await using server = await groupServer();
    const { out } = await iam(['groups', 'list', '--columns', 'dependencies.groupName,groupId', '-o', 'csv'], server);
    expect(out).toBe('dependencies.groupName,groupId\nleads;x,g1\n,g2\n');
  });

  test('selects the fields of one entity', async () => {
    await using server = await startFakeServer(() => ({ json: groups[0] }));
    expect((await iam(['groups', 'get', 'ops', '--columns', 'roles,groupId'], server)).out).toBe(
      'roles     A, B\ngroup id  g1\n',
    );
  });

  test.each([
    [['groups', 'list', '--columns', 'groupId,nmae']],
    [['groups', 'list', '--columns', 'dependencies.nmae', '-o', 'csv']],
    [['groups', 'get', 'ops', '--columns', 'nmae']],
    [['groups', 'create', '--group-name', 'ops', '--columns', 'nmae']],
  ])('%j has an unknown column: nothing is sent', async (words) => {
    await using server = await groupServer();
    const { code, err } = await iam(words, server);
    expect([code, server.received]).toEqual([2, []]);
    expect(err).toMatch(/Unknown column: \S*nmae.\n {2}hint {5}Available columns: groupId/);
  });

  test('that the response lacks are reported if no schema declares them', async () => {
    await using server = await startFakeServer(() => ({ json: { a: 1, b: 2 } }));
    const { code, err } = await iam(['api', 'GET', '/healthz', '--columns', 'c'], server);
    expect(code).toBe(2);
    expect(err).toContain('Available columns: a, b.');
  });

  test.each(['json', 'jsonl', 'yaml', 'name'])('are not supported for %s', async (format) => {
    await using server = await groupServer();
    expect((await iam(['groups', 'list', '--columns', 'groupId', '-o', format], server)).code).toBe(2);
    expect(server.received).toEqual([]);
  });
});

describe('text for people', () => {
  const evil = ['\u001b]0;x\u0007', '\u009b31m', '\u202eabc', '\u061c', '\u2066x\u2069', '\u0000', '\r', '\u007f'];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be printed
  const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u202a-\u202e\u2066-\u2069]/;

  test.each(evil)('cannot control the terminal: %j', async (text) => {
    await using server = await startFakeServer(({ path }) => {
      if (path.endsWith('/missing')) return errorResponse(404, `CODE${text}`, `message${text}`);
      if (path.endsWith('/text')) return { text: `a${text}\nb`, headers: { 'content-type': 'text/plain' } };
      return {
        json: path.includes('/groups/') ? { [`key${text}`]: `v${text}`, b: [text] } : [{ [`key${text}`]: `v${text}` }],
      };
    });
    const runs = [
      ['groups', 'list'],
      ['groups', 'get', 'ops'],
      ['groups', 'get', 'missing'],
      ['api', 'GET', '/text'],
      ['groups', 'create', '--group-name', text, '--dry-run'],
      ['groups', 'list', '--query', '[].*[]'],
    ];
    for (const words of runs) {
      const { out, err } = await iam([...words, '--color', 'never'], { ...server, columns: 80 });
      expect(out + err).not.toMatch(steering);
      expect(out + err).not.toBe('');
    }
  });
});
