import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { decodeCell, encodeCell, formatCsvLine } from '../../../src/cli/output/csv.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { rounds } from '../../effort.ts';
import { Home, iam, test, tokenVariables } from '../run-cli.ts';

const formulas = [
  '=1+1',
  "=cmd|'/C calc'!A0",
  '+1-2',
  '-2+3',
  '@SUM(1)',
  '\ttext',
  ' =1',
  '\u3000=1',
  '＝1',
  '＋1',
  '－1',
  '＠x',
  '-',
  '=',
  '+54 911',
  '-1,5',
];

describe('a cell that starts a formula', () => {
  test.each(formulas)('%j gets a leading apostrophe', (text) => {
    expect(encodeCell(text)).toBe(`'${text}`);
    expect(encodeCell(text, { raw: true })).toBe(text);
  });

  test.each(['-5', '+5491112345', '-0.5', '1e-7', '-1.5e+300', 'a=b', "it's", "'quoted'", '', 'a-b', '1-2'])(
    '%j is not a formula',
    (text) => {
      expect(encodeCell(text)).toBe(text);
    },
  );

  test('with an apostrophe gets a second one', () => {
    expect(["'=1", "''=1", "'-5"].map((text) => encodeCell(text))).toEqual(["''=1", "'''=1", "''-5"]);
  });

  test.each([
    ['\t=1', "'\t'=1"],
    ['\n=1', "'\n'=1"],
    ['a;=1', "a;'=1"],
    ['a;=1;b; +x', "a;'=1;b;' +x"],
    ['a\t@x', "a\t'@x"],
    ["a\n'=1", "a\n''=1"],
    ['a;-5;b', 'a;-5;b'],
  ])('is escaped after another separator: %j', (text, cell) => {
    expect(encodeCell(text)).toBe(cell);
    expect(decodeCell(cell)).toBe(text);
    expect(encodeCell(text, { raw: true })).toBe(text);
  });

  test('is not escaped within JSON, which is decoded unchanged', () => {
    const nested = { a: 'x;=1', b: ['y;@z'] };
    const line = formatCsvLine({ nested }, ['nested']);
    expect(line).toBe(`"{""a"":""x;'=1"",""b"":[""y;'@z""]}"`);
    expect(JSON.parse(decodeCell(line.slice(1, -1).replaceAll('""', '"')))).toEqual(nested);
  });

  test('does not start with a carriage return, which is escaped', () => {
    expect(encodeCell('\r=1')).toBe('\\u000d=1');
  });

  const units = fc.constantFrom(
    '=',
    '-',
    '+',
    '@',
    "'",
    '\t',
    '\n',
    '\r',
    ';',
    ' ',
    '1',
    'a',
    '\\',
    'u',
    '001b',
    '005c',
    '\u001b',
  );
  const text = fc.string({ unit: units, maxLength: 12 });

  test('is decoded to any original value, and no cell starts a formula', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), fc.boolean(), (value, raw) => {
        expect(decodeCell(encodeCell(value, { raw }), { raw })).toBe(value);
        expect(encodeCell(value)).not.toMatch(/^[\t\n\r]/);
        expect(encodeCell(value)).not.toMatch(/(?:^|[;\t\n\r])\s*(?:[=@]|[+-](?!\d))/);
      }),
      { numRuns: rounds(5_000) },
    );
  });

  test('does not decode escapes that encoding never produces', () => {
    expect(['C:\\users', '\\u0041', '\\u001B', '\\udead'].map((cell) => decodeCell(cell))).toEqual([
      ...['C:\\users', '\\u0041', '\\u001B', '\\udead'],
    ]);
  });

  test('is also escaped as a list entry; lists that cannot be split again are JSON', () => {
    const line = (roles: unknown[]) => formatCsvLine({ roles }, ['roles']);
    expect(line(['=a', 'b', '-c'])).toBe("'=a;b;'-c");
    expect(line([{ groupName: '=a' }])).toBe("'=a");
    expect(line(['a;=b'])).toBe(`"[""a;'=b""]"`);
    expect(line(['[a'])).toBe('"[""[a""]"');
    expect(line([' a'])).toBe('"["" a""]"');
  });
});

describe('csv of the command', () => {
  const rows = [
    { groupId: 'g1', groupName: '=1+1', organizationId: '-5', '@key': 1 },
    { groupId: 'g2', groupName: '@x', organizationId: '-a', '@key': -5 },
  ];
  const columns = ['--columns', 'groupName,organizationId,@key'];

  test('contains no formula without --csv-raw', async () => {
    await using server = await startFakeServer(() => ({ json: rows }));
    const list = ['groups', 'list', '-o', 'csv'];
    const query = ['--query', '[].{groupName: groupName, organizationId: organizationId, "@key": "@key"}'];
    const neutral = "groupName,organizationId,'@key\n'=1+1,-5,1\n'@x,'-a,-5\n";
    const raw = 'groupName,organizationId,@key\n=1+1,-5,1\n@x,-a,-5\n';
    expect((await iam([...list, ...query], server)).out).toBe(neutral);
    expect((await iam([...list, ...query, '--csv-raw'], server)).out).toBe(raw);
    const some = ['--columns', 'groupName,organizationId'];
    expect((await iam([...list, ...some], server)).out).toBe("groupName,organizationId\n'=1+1,-5\n'@x,'-a\n");
    expect((await iam([...list, ...some, '--csv-raw'], server)).out).toBe('groupName,organizationId\n=1+1,-5\n@x,-a\n');
    expect((await iam(['groups', 'list', '-o', 'csv', '--query', '[].groupName'], server)).out).toBe("'=1+1\n'@x\n");
    expect((await iam(['groups', 'get', 'x', '-o', 'csv', ...columns], server)).out).not.toMatch(/(^|,)[=@]/m);
  });

  test.each([[[]], [['--csv-raw']]])('is read by iam bulk as the same values: %j', async (words) => {
    // Spaces and invisible characters at the ends of a cell are rejected.
    const plain = formulas.filter((text) => text === text.trim());
    const names = [...plain, "'=x", '-5', 'a"b,c', 'a;b', '\u001b[31m', 'a\u202eb', 'x\r\ny', '\\u001b', '[x', '{'];
    const groups = names.map((groupName, at) => ({
      groupName,
      organizationId: names[(at + 1) % names.length],
      // No role has a comma.
      roles: [names[(at + 2) % names.length]?.replaceAll(',', ';'), 'B', "'=c"],
      dependencies: [{ groupName: names[(at + 3) % names.length] }],
    }));
    await using home = await Home.make();
    await using server = await startFakeServer(({ method }) =>
      method === 'GET' ? { json: groups } : { status: 201, json: { groupId: 'x' } },
    );
    const runOptions = { url: server.url, variables: tokenVariables };
    const some = ['--columns', 'groupName,organizationId,roles,dependencies'];
    const { out } = await home.iam(['groups', 'list', '--all', '-o', 'csv', ...some, ...words], runOptions);
    await writeFile(home.file('groups.csv'), out);
    const run = [
      'bulk',
      'run',
      home.file('groups.csv'),
      '--operation',
      'groups.create',
      '--concurrency',
      '1',
      ...words,
    ];
    expect(await home.iam(run, runOptions)).toMatchObject({ code: 0 });
    const created = server.received
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.parse(body) as unknown);
    expect(created).toEqual(groups);
  });

  test('with lists of members is read back entry by entry', async ({ home }) => {
    await using server = await startFakeServer(() => ({ json: [] }));
    await writeFile(home.file('rows.csv'), "groupName,userId\nops,'=a;''=b;-5\n");
    const run = ['bulk', 'run', home.file('rows.csv'), '--operation', 'user-accesses.add-user'];
    await home.iam(run, { url: server.url, variables: tokenVariables });
    // After the list of groups, which is read to find those with administrative roles.
    expect(JSON.parse(server.received.at(-1)?.body ?? '')).toEqual([
      { userId: '=a' },
      { userId: "'=b" },
      { userId: '-5' },
    ]);
  });
});
