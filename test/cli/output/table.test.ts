import { describe, expect, test } from 'vitest';
import { createTableFormatter, formatCell, formatFields, type TableRow } from '../../../src/cli/output/table.ts';

const id = '0123456789abcdef01234567';
const columns = ['groupId', 'groupName', 'organizationId', 'businessUnitId', 'roles', 'dependencies', 'createdAt', 'x'];
const row = Object.fromEntries(columns.map((column) => [column, column === 'groupId' ? id : 'wörter '.repeat(12)]));

/** The terminal columns of a line, computed independently of the code: East Asian characters take two. */
function places(line: string): number {
  return [...line].reduce((sum, letter) => sum + (/[\u3000-\u9fff\u{1f600}]/u.test(letter) ? 2 : 1), 0);
}

function linesOf(rows: readonly TableRow[], width?: number): Promise<string[]> {
  return createTableFormatter({ width, columnsOf: () => columns })(rows);
}

describe('a table', () => {
  test.each([80, 120, 200])('fits %d columns, and never truncates an id', async (width) => {
    const wide = { ...row, groupName: '漢字'.repeat(30), roles: ['😀'.repeat(50)] };
    const lines = await linesOf([row, wide], width);
    for (const line of lines) expect(places(line)).toBeLessThanOrEqual(width);
    expect(lines.filter((line) => line.startsWith(`${id}  `))).toHaveLength(2);
  });

  test('of declared columns leaves out the last ones, and truncates only texts and lists', async () => {
    const [at, path] = ['2026-11-28T14:52:36Z', `/users/${id}`];
    const declared = { id, at, name: 'x'.repeat(30), roles: ['A'.repeat(30), 'B'], path, caller: id, note: 'y' };
    const linesAt = (width: number, required?: readonly string[]) =>
      createTableFormatter({ width, fit: { text: ['name'], required }, columnsOf: Object.keys.bind(0, declared) })([
        declared,
      ]);
    const whole = [id, at, 'x'.repeat(30), `${'A'.repeat(30)}, B`, path, id];
    expect(await linesAt(200)).toEqual([expect.stringMatching(/ NOTE$/), [...whole, 'y'].join('  ')]);
    expect((await linesAt(80))[1]).toBe([id, at, 'x'.repeat(30)].join('  '));
    expect((await linesAt(82))[1]).toBe([id, at, `${'x'.repeat(15)}…`, `${'A'.repeat(15)}…`].join('  '));
    expect((await linesAt(80, ['id', 'path']))[1]).toBe([id, at, path].join('  '));
    // What is required and not truncated is longer than a line of this terminal.
    expect((await linesAt(40, ['id', 'path']))[1]).toBe([id, path].join('  '));
  });

  test('leaves out a column for later rows that do not fit, and repeats the header', async () => {
    const write = createTableFormatter({
      ...{ width: 12, fit: { text: [] }, columnsOf: () => ['a', 'b', 'c'] },
    });
    expect(await write([{ a: 1, b: 2, c: 'ccc' }])).toEqual(['A  B  C', '1  2  ccc']);
    expect(await write([{ a: 1, b: 2, c: 'c'.repeat(9) }])).toEqual(['A  B', '1  2']);
  });

  test('is not truncated without a width', async () => {
    expect((await linesOf([row]))[1]).toContain(`${'wörter '.repeat(12)}  `);
  });

  test('aligns wide characters and emoji', async () => {
    const write = createTableFormatter({ columnsOf: () => ['a', 'b'] });
    const lines = await write([
      { a: '漢字', b: 1 },
      { a: 'abcde', b: 2 },
      { a: 'e\u0301', b: 3 },
      { a: '\u{1f1e9}\u{1f1ea}', b: 4 },
      { a: '\u{1f44d}\u{1f3fd}', b: 5 },
      { a: '\u2764\ufe0f', b: 6 },
    ]);
    expect(lines).toEqual([
      ...['A      B', '漢字   1', 'abcde  2', 'e\u0301      3'],
      ...['\u{1f1e9}\u{1f1ea}     4', '\u{1f44d}\u{1f3fd}     5', '\u2764\ufe0f     6'],
    ]);
  });

  test('is truncated between characters, not within an emoji or a letter with an accent', async () => {
    const thumb = '\u{1f44d}\u{1f3fd}';
    const write = createTableFormatter({ width: 9, columnsOf: () => ['a', 'b'] });
    expect(await write([{ a: 'id', b: thumb.repeat(4) }])).toEqual(['A   B', `id  ${thumb.repeat(2)}…`]);
    expect(await write([{ a: 'id', b: 'e\u0301'.repeat(9) }])).toEqual([`id  ${'e\u0301'.repeat(4)}…`]);
  });

  test('keeps its widths for later rows, and repeats the header for a new column', async () => {
    const write = createTableFormatter({ columnsOf: (rows) => [...new Set(rows.flatMap((one) => Object.keys(one)))] });
    expect(await write([{ a: 'long value', b: 1 }])).toEqual(['A           B', 'long value  1']);
    expect(await write([{ a: 'x', b: 2 }])).toEqual(['x           2']);
    expect(await write([{ a: 'x', c: 3 }])).toEqual(['A           B  C', 'x              3']);
  });

  test('supports more rows than function arguments allow', async () => {
    const rows = Array.from({ length: 200_000 }, (_, at) => ({ groupId: at }));
    expect(await linesOf(rows)).toHaveLength(200_001);
  });
});

test('field names are aligned and escaped like values', async () => {
  expect(await formatFields({ 'a\u001b[2j': 'x\u009b', 漢字: '\u200fy', none: null })).toEqual([
    String.raw`a\u001b[2j  x\u009b`,
    String.raw`漢字        \u200fy`,
  ]);
});

test('a single-field object is printed as its value, or its name if the value is true', () => {
  expect([{ status: 503 }, { staleKeys: true }, { locked: false }, { a: 1, b: 2 }, {}].map(formatCell)).toEqual([
    '503',
    'stale keys',
    'false',
    '{"a":1,"b":2}',
    '{}',
  ]);
});
