import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CsvReader } from '../../../src/cli/bulk/csv-reader.ts';
import { decodeCell, formatCsvHeader } from '../../../src/cli/output/csv.ts';

/** Parses chunks of text to cells. */
function cellsOf(pieces: readonly string[]): string[][] {
  const reader = new CsvReader();
  const records = [...pieces.flatMap((piece) => [...reader.push(piece)]), ...reader.end()];
  return records.map(({ cells }) => cells.map((cell) => decodeCell(cell)));
}

const cell = fc.string({
  unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\t', ' ', ';', 'é', '😀', '=', '-', "'", '\\', '\\u001b', '\u009b'),
});
const record = fc.array(cell, { minLength: 1, maxLength: 4 }).filter((cells) => cells.join('').trim() !== '');

describe('CSV', () => {
  test('is parsed independently of chunk boundaries and line endings', () => {
    fc.assert(
      fc.property(fc.array(record), fc.constantFrom('\n', '\r\n'), fc.nat(), (rows, end, at) => {
        const text = rows.map((cells) => formatCsvHeader(cells) + end).join('');
        const cut = text.length === 0 ? 0 : at % text.length;
        expect(cellsOf([text.slice(0, cut), text.slice(cut)])).toEqual(rows);
      }),
    );
  });

  test('reports the first line and the text of a record', () => {
    const reader = new CsvReader();
    const records = [...reader.push('a,b\r\n\r\n"x\ny",1\r\n2,'), ...reader.end()];
    expect(records).toEqual([
      { line: 1, cells: ['a', 'b'], text: 'a,b' },
      { line: 3, cells: ['x\ny', '1'], text: '"x\ny",1' },
      { line: 5, cells: ['2', ''], text: '2,' },
    ]);
  });

  test.each([
    ['"a"b\n', 'text follows a closing quote'],
    ['"a\n', 'a quote is never closed'],
  ])('reports the syntax error in %j', (text, problem) => {
    const reader = new CsvReader();
    expect([...reader.push(text), ...reader.end()].map((found) => found.problem)).toEqual([problem]);
  });
});
