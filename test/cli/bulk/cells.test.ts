/** CSV cells: the type of the column decides what a cell means, and errors name row and column. */
import { writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { convertCell, createCellReader } from '../../../src/cli/bulk/cells.ts';
import { createField } from '../../../src/cli/request/field-options.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { type Home, test, tokenVariables } from '../run-cli.ts';

/** The body of the only row of a file with these columns, or the lines of its error. */
async function run(home: Home, text: string, { operation = 'users create', more = [] as readonly string[] } = {}) {
  await using server = await startFakeServer(() => ({ status: 201, json: { userId: 'u' } }));
  await writeFile(home.file('rows.csv'), text);
  const words = ['bulk', 'run', home.file('rows.csv'), '--operation', operation, '--dry-run', '-o', 'json', ...more];
  const { code, out, err } = await home.iam(words, { url: server.url, variables: tokenVariables });
  expect(server.received).toEqual([]);
  if (code === 0) return (JSON.parse(out) as { body?: unknown }[])[0]?.body;
  return (JSON.parse(err) as { error: { message: string } }).error.message;
}

const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

describe('a text column', () => {
  test.for([
    '007',
    'true',
    'null',
    '1e3',
    '-1',
    '1.50',
    '+5511',
    'NaN',
    '{}',
    '[1]',
    '2026-01-02',
    'a;b',
    "O'Brien",
    "'90s club",
    '=1+1',
    '#N/A',
    'a  b',
    '0x10',
    'FALSE',
    '1,000',
  ])('keeps %j as it is', async (cell, { home }) => {
    expect(await run(home, `groupName\n${quote(cell)}\n`, { operation: 'groups create' })).toEqual({ groupName: cell });
  });

  test.for([
    [' alice', 'begins with a space; remove it'],
    ['alice ', 'ends with a space; remove it'],
    ['alice\u00a0', 'ends with the invisible character U+00A0; remove it'],
    ['\u200balice', 'begins with the invisible character U+200B; remove it'],
    ['\ufeffalice', 'begins with the invisible character U+FEFF; remove it'],
    ['alice\t', 'ends with the invisible character U+0009; remove it'],
    ['alice\r\n', 'ends with a line break; remove it'],
    [' ', 'begins with a space; remove it'],
    ['="007"', 'is a formula of a spreadsheet, such as ="007"'],
    ['=""', 'is a formula of a spreadsheet'],
    ["'007", 'has an apostrophe before a number, as in a spreadsheet'],
  ] as const)('rejects %j with row and column', async ([cell, reason], { home }) => {
    const text = `userName,userEmail\nbob,b@example.com\n${quote(cell)},a@example.com\n`;
    expect(await run(home, text)).toContain(`line 3: column userName: ${reason}`);
  });

  test('is sent unchanged with --csv-raw, except for spaces at its ends', async ({ home }) => {
    const raw = { operation: 'groups create', more: ['--csv-raw'] };
    for (const cell of ["'007", '="007"', "'=1"])
      expect(await run(home, `groupName\n${quote(cell)}\n`, raw)).toEqual({ groupName: cell });
    expect(await run(home, 'groupName\n" ops"\n', raw)).toContain('line 2: column groupName: begins with a space');
  });
});

const phone = (cell: string) =>
  `userName,userEmail,userMobile.areaCode,userMobile.phoneNumber\nann,a@example.com,11,${quote(cell)}\n`;

describe('a column of whole numbers', () => {
  test.for(['987654321', '0', '-5', '9007199254740991'])('reads %s', async (cell, { home }) => {
    expect(await run(home, phone(cell))).toMatchObject({ userMobile: { phoneNumber: Number(cell) } });
  });

  test.for([
    ['0079', 'a number cannot keep a leading zero'],
    ['-01', 'a number cannot keep a leading zero'],
    ['+55', 'write it without the plus sign'],
    ['1.0', 'write digits only, without separators and decimals'],
    ['7,5', 'write digits only, without separators and decimals'],
    ['987.654.321', 'write digits only, without separators and decimals'],
    ['987 654 321', 'write digits only, without separators and decimals'],
    ['98 76\u00a054', 'write digits only, without separators and decimals'],
    ["987'654", 'write digits only, without separators and decimals'],
    ['9.87654E+11', 'write all its digits; a spreadsheet shortens long numbers'],
    ['1e3', 'write all its digits; a spreadsheet shortens long numbers'],
    [' 987654321', 'remove the space'],
    ['987654321 ', 'remove the space'],
    ['9007199254740992', 'numbers end at 9007199254740991'],
    ['9'.repeat(400), 'numbers end at 9007199254740991'],
    ['\uff19\uff18', 'write digits only'],
    ['\u2212987', 'write digits only'],
    ['0x1f', 'write digits only'],
    ['true', 'write digits only'],
    ['null', 'write digits only'],
    ['(11) 98765', 'write digits only'],
  ] as const)('rejects %j with row, column and reason', async ([cell, reason], { home }) => {
    const place = 'line 2: column userMobile.phoneNumber: must be a whole number, not';
    expect(await run(home, phone(cell))).toContain(
      `${place} ${JSON.stringify(cell.length > 40 ? `${cell.slice(0, 40)}..` : cell)}: ${reason}`,
    );
  });

  test('has the same rule as an option', async ({ home }) => {
    const words = [
      'users',
      'create',
      '--user-name',
      'a',
      '--user-email',
      'a@example.com',
      '--user-mobile.area-code',
      '11',
      '--dry-run',
    ];
    const run = (number: string) =>
      home.iam([...words, '--user-mobile.phone-number', number], { url: 'http://127.0.0.1:9' });
    expect((await run('0987654321')).err).toContain('a number cannot keep a leading zero');
    expect((await run('987654321')).code).toBe(0);
  });
});

describe('other columns', () => {
  const convert = (type: 'boolean' | 'number' | 'object', text: string) =>
    convertCell(createField(['field'], { type }, false), text, createCellReader(false));

  test.for([
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['boolean', 'TRUE', true],
    ['boolean', 'False', false],
    ['number', '0.5', 0.5],
    ['number', '-3', -3],
    ['object', '{"a": [1, "007"]}', { a: [1, '007'] }],
  ] as const)('of type %s read %s', ([type, text, value]) => {
    expect(convert(type, text)).toEqual(value);
  });

  test.for([
    ['boolean', '1', 'must be true or false, not "1"'],
    ['boolean', 'yes', 'must be true or false, not "yes"'],
    ['boolean', ' true', 'must be true or false, not " true"'],
    ['boolean', 'VERDADEIRO', 'must be true or false'],
    ['boolean', 't', 'must be true or false'],
    ['number', '0,5', 'must be a number such as 0.5, not "0,5"'],
    ['number', '.5', 'must be a number'],
    ['number', '1e-3', 'must be a number'],
    ['number', '00.5', 'must be a number'],
    ['number', 'NaN', 'must be a number'],
    ['object', 'a=1', 'must be an object in JSON'],
    ['object', '{"a":1,"a":2}', 'is not valid JSON: line 1, column 8: "a" is repeated in its object'],
  ] as const)('of type %s reject %s', ([type, text, reason]) => {
    expect(() => convert(type, text)).toThrow(reason);
  });

  test.for([
    ['A;B', ['A', 'B']],
    ['A; B', ['A', 'B']],
    ['007;true;null', ['007', 'true', 'null']],
    ['"[""A"",""B""]"', ['A', 'B']],
  ] as const)('with lists read %s', async ([cell, roles], { home }) => {
    const body = await run(home, `groupName,roles\nops,${cell}\n`, { operation: 'groups create' });
    expect(body).toEqual({ groupName: 'ops', roles });
  });

  test.for([
    [' A;B', 'begins with a space'],
    ['A;B\u00a0', 'ends with the invisible character U+00A0'],
    ['A;;B', 'has an empty entry before or after a semicolon'],
    ['null', 'is null, which is no list'],
    ['"A,B"', 'has an entry with a comma, which is not allowed in it; separate entries with semicolons: A;B'],
    ['A; ;B', 'has an empty entry'],
    ['A;', 'has an empty entry'],
    [';A', 'has an empty entry'],
    [';', 'has an empty entry'],
    ["A;'007", 'has an apostrophe before a number'],
    ['[A]', 'is not valid JSON: line 1, column 2: expected a value or ]'],
    ['"[""A"",]"', 'is not valid JSON: line 1, column 6: expected a value'],
  ] as const)('with lists reject %s', async ([cell, reason], { home }) => {
    const text = `groupName,roles\nops,${cell}\n`;
    expect(await run(home, text, { operation: 'groups create' })).toContain(`line 2: column roles: ${reason}`);
  });
});

describe('rows and header', () => {
  test.for([
    ['a row that is too short', 'userName,userEmail\nann\n', 'line 2: has 1 cells, and the header row has 2'],
    ['a row that is too long', 'userName,userEmail\nann,a@x,b\n', 'line 2: has 3 cells, and the header row has 2'],
    ['a decimal comma', 'userName,userEmail\n1,5,a@x\n', 'put cells that contain the delimiter in quotes'],
    ['a column twice', 'userName,userEmail,userName\na,b,c\n', 'duplicate column name: "userName" (1 and 3)'],
    ['a column twice with a space', 'userName, userName\na,b\n', 'duplicate column name: "userName" (1 and 2)'],
    [
      'a column twice with a prefix',
      'userName,body.userName\na,b\n',
      'column body.userName: is the same field as column',
    ],
    ['a column without a name', 'userName,,userEmail\na,,b\n', 'The header row has no name for column 2.'],
    ['a column in the middle without a name', 'userName,,userEmail\na,b,\n', 'has no name for column 2'],
    ['another case', 'UserName\na\n', 'column UserName: user-identities.create has no field "UserName"; did you mean'],
    ['other words', 'user name\na\n', 'did you mean userName?'],
    ['another delimiter', 'userName|userEmail\na|b\n', "If | separates cells, add --delimiter '|'"],
    ['a quoted line break before', 'userName,userEmail\n"a\nb",x@y\n c,d\n', 'line 4: column userName: begins'],
    ['a byte order mark in the middle', 'userName\na\n\ufeffuserName\nb\n', 'line 3: column userName: begins with'],
  ] as const)('with %s are rejected with their place', async ([, text, reason], { home }) => {
    expect(await run(home, text)).toContain(reason);
  });

  test('have the id of a user once, as id or userId', async ({ home }) => {
    const text = 'id,userId\nann,bob\n';
    expect(await run(home, text, { operation: 'users delete' })).toContain('userId: is the same field as column id');
  });

  test('may have spaces around names of columns, and empty cells, which leave the field out', async ({ home }) => {
    const text = 'userName , userEmail,businessId\nann,a@example.com,""\n';
    expect(await run(home, text)).toEqual({ userName: 'ann', userEmail: 'a@example.com' });
  });

  test('in JSON lines keep values, and have line and column', async ({ home }) => {
    const rows = (body: string) => `{"body":${body}}\n`;
    const groups = { operation: 'groups create' };
    expect(await run(home, rows('{"groupName":" 007 "}'), groups)).toEqual({ groupName: ' 007 ' });
    expect(await run(home, rows('{"userName":"a","userName":"b"}'))).toContain(
      'line 1: column 25: "userName" is repeated',
    );
    expect(await run(home, rows('{"userName":"a"} x'))).toContain('line 1: column 26: expected a comma or }');
  });
});
