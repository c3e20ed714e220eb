import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CsvRecord, readCsv } from '../../../src/cli/bulk/csv-reader.ts';
import { type CsvDelimiter, detectDelimiter } from '../../../src/cli/bulk/delimiter.ts';
import { openRows } from '../../../src/cli/bulk/records.ts';
import { decodeCell, formatCsvHeader } from '../../../src/cli/output/csv.ts';

async function* chunksOf(pieces: readonly string[]) {
  yield* pieces;
}

async function read(
  pieces: readonly string[],
  delimiter: CsvDelimiter = ',',
  maxSize = 1024 * 1024,
): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const one of readCsv(chunksOf(pieces), delimiter, maxSize)) records.push(one);
  return records;
}

/** Parses chunks of text to cells. */
async function cellsOf(pieces: readonly string[]): Promise<string[][]> {
  return (await read(pieces)).map(({ cells }) => cells.map((cell) => decodeCell(cell)));
}

const cell = fc.string({
  unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\t', ' ', ';', 'é', '😀', '=', '-', "'", '\\', '\\u001b', '\u009b'),
});
const record = fc.array(cell, { minLength: 1, maxLength: 4 }).filter((cells) => cells.join('').trim() !== '');

describe('CSV', () => {
  test('is parsed independently of chunk boundaries and line endings', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record), fc.constantFrom('\n', '\r\n'), fc.nat(), async (rows, end, at) => {
        // A decoder of text never cuts a character in two.
        const characters = [...rows.map((cells) => formatCsvHeader(cells) + end).join('')];
        const cut = characters.length === 0 ? 0 : at % characters.length;
        expect(await cellsOf([characters.slice(0, cut).join(''), characters.slice(cut).join('')])).toEqual(rows);
      }),
    );
  });

  test('reports the first line and the text of a record', async () => {
    expect(await read(['a,b\r\n\r\n"x\ny",1\r\n \n"x\r\ny",2\r\n2,'])).toEqual([
      { line: 1, cells: ['a', 'b'], text: 'a,b' },
      { line: 3, cells: ['x\ny', '1'], text: '"x\ny",1' },
      { line: 6, cells: ['x\r\ny', '2'], text: '"x\r\ny",2' },
      { line: 8, cells: ['2', ''], text: '2,' },
    ]);
  });

  test('ignores half of a line break at the end of the file', async () => {
    expect((await read(['a,"b"\r\nc,"d"\r'])).map(({ cells }) => cells)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect((await read(['a,b', '\r'])).map(({ cells }) => cells)).toEqual([['a', 'b']]);
  });

  test.each([
    ['"a"b\n', 'text follows a closing quote'],
    ['"a" \n', 'text follows a closing quote'],
    ['x"y,"a"b\n', 'a quote is inside an unquoted cell'],
    ['"a\n', 'a quote is never closed'],
  ])('reports the syntax error in %j', async (text, problem) => {
    expect((await read([text])).map((found) => found.problem)).toEqual([problem]);
  });

  test('continues with the next line after a misplaced quote', async () => {
    const records = await read(['"a"b,1\n"""c""",2\nd"e,3\n"f\ng,4']);
    expect(records.map(({ line, cells, problem }) => [line, problem ?? cells])).toEqual([
      [1, 'text follows a closing quote'],
      [2, ['"c"', '2']],
      [3, ['d"e', '3']],
      [4, 'a quote is never closed'],
    ]);
    expect(records.map(({ text }) => text)).toEqual(['"a"b,1', '"""c""",2', 'd"e,3', '"f\ng,4']);
  });

  test('has records up to the maximum size', async () => {
    expect(await read(['abc\n'.repeat(1000)], ',', 3)).toHaveLength(1000);
    await expect(read(['abc\n"a\nb'], ',', 2 * 1024 * 1024)).resolves.toHaveLength(2);
    await expect(read(['abc\n"', 'x'.repeat(1024 * 1024), 'x\n'])).rejects.toThrow(
      'A row is longer than 1 MiB; a quote may be missing.',
    );
  });

  test.each<[string, CsvDelimiter]>([
    ['groupName', ','],
    ['groupName,roles', ','],
    ['groupName;roles', ';'],
    ['groupName\troles', '\t'],
    ['"a,b,c";d', ';'],
    ['"a;""b;c"\t"d,e"', '\t'],
  ])('the header row %j selects the delimiter %j', (header, delimiter) => {
    expect(detectDelimiter(header)).toBe(delimiter);
  });

  test('is read with the delimiter only', async () => {
    expect(await read(['a,b;"c;d"\te\n'], '\t')).toMatchObject([{ cells: ['a,b;"c;d"', 'e'] }]);
    expect(await read(['a,b;"c;d"\n'], ';')).toMatchObject([{ cells: ['a,b', 'c;d'] }]);
  });
});

describe('a file of a spreadsheet', () => {
  /** Lines and cells of the rows, or their problems. */
  const rowsOf = async (text: string) => {
    const { rows } = await openRows(Readable.from([Buffer.from(text)]));
    const found: unknown[] = [];
    for await (const { line, cells, problem } of rows) found.push([line, problem ?? Object.values(cells ?? {}).join()]);
    return found;
  };

  test.each<[string, string, unknown[]]>([
    [
      'carriage returns as line breaks',
      'a;b\r1;2\r\r3;4\r',
      [
        [2, '1,2'],
        [4, '3,4'],
      ],
    ],
    [
      'a carriage return in a cell',
      'a;b\n"1\rx";2\n3;4\n',
      [
        [2, '1\rx,2'],
        [3, '3,4'],
      ],
    ],
    [
      'empty columns at the end',
      'a;b;;;\r\n1;2;;;\r\n3;4\r\n5;;;\r\n',
      [
        [2, '1,2'],
        [3, '3,4'],
        [4, '5,'],
      ],
    ],
    [
      'empty rows',
      ';\r\na;b\r\n;\r\n1;2\r\n ; ;;\r\n3;4',
      [
        [4, '1,2'],
        [6, '3,4'],
      ],
    ],
    [
      'a cell behind the last column',
      'a;b;\n1;2;x\n',
      [[2, expect.stringMatching(/^has 3 cells, and the header row has 2;/)]],
    ],
    [
      'JSON lines with carriage returns',
      '{"a":1}\r{\r',
      [
        [1, ''],
        [2, expect.stringContaining('column 2: ')],
      ],
    ],
  ])('can have %s', async (_, text, rows) => {
    expect(await rowsOf(text)).toEqual(rows);
  });

  test('has a name for each column between others', async () => {
    await expect(rowsOf('a;;b;\n1;2;3;\n')).rejects.toThrow('has no name for column 2.');
  });
});
