/** JSON with places of errors, and without repeated members. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonError, JsonScanner, parseJson } from '../../src/lib/json-text.ts';
import { rounds } from '../effort.ts';

function describeProblem(text: string): string {
  try {
    parseJson(text);
    return 'none';
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return error.message;
  }
}

describe('the place of an error', () => {
  test.each([
    ['', '1, column 1: expected a value, and the text ends'],
    [' \n ', '2, column 2: expected a value, and the text ends'],
    ['{', '1, column 2: expected a name in double quotes or }, and the text ends'],
    ['{"a"', '1, column 5: expected a colon, and the text ends'],
    ['{"a":1', '1, column 7: expected a comma or }, and the text ends'],
    ['[1', '1, column 3: expected a comma or ], and the text ends'],
    ['{\n  "a": 1,\n}', '3, column 1: expected a name in double quotes'],
    ['{\r\n  "a": 1\r\n  "b": 2\r\n}', '3, column 3: expected a comma or }'],
    ['[1, 2,]', '1, column 7: expected a value'],
    ['[,1]', '1, column 2: expected a value or ]'],
    ["{'a': 1}", '1, column 2: expected a name in double quotes or }'],
    ['{a: 1}', '1, column 2: expected a name in double quotes or }'],
    ['{"a" 1}', '1, column 6: expected a colon'],
    ['{"a": 1} {', '1, column 10: expected the end of the text'],
    ['{"a": 1}// comment', '1, column 9: expected the end of the text'],
    ['[1 /* comment */]', '1, column 4: expected a comma or ]'],
    ['{"a": 01}', '1, column 7: not a number of JSON'],
    ['[1.]', '1, column 2: not a number of JSON'],
    ['[+1]', '1, column 2: not a number of JSON'],
    ['[-]', '1, column 2: not a number of JSON'],
    ['[1e400, 1e]', '1, column 9: not a number of JSON'],
    ['[True]', '1, column 2: expected a value or ]'],
    ['NaN', '1, column 1: expected a value'],
    ['undefined', '1, column 1: expected a value'],
    ['"a\nb"', '1, column 3: a line break or control character must be escaped in text'],
    ['"a\\x"', '1, column 3: not an escape of JSON'],
    ['"\\u12"', '1, column 2: not an escape of JSON'],
    ['["abc', '1, column 2: the quote is never closed'],
    ['\uFEFF{}', '1, column 1: expected a value'],
    ['\u00a0{}', '1, column 1: expected a value'],
    ['[}', '1, column 2: expected a value or ]'],
    ['{]', '1, column 2: expected a name in double quotes or }'],
    [']', '1, column 1: expected a value'],
    ['['.repeat(1_001), '1, column 1001: nested deeper than 1000 levels'],
    ['[{"a":'.repeat(200_000), '1, column 3001: nested deeper than 1000 levels'],
  ])('of %j is line %s', (text, place) => {
    expect(describeProblem(text)).toBe(`line ${place}`);
  });
});

describe('a repeated member', () => {
  test.each([
    ['{"a":1,"a":2}', '1, column 8: "a" is repeated', ['a']],
    ['{"a":1,"a":1}', '1, column 8: "a" is repeated', ['a']],
    ['{"a":1,"\\u0061":2}', '1, column 8: "a" is repeated', ['a']],
    ['{"\\u00e9":1,\n"é":2}', '2, column 1: "é" is repeated', ['é']],
    ['{"/":1,"\\/":2}', '1, column 8: "/" is repeated', ['/']],
    ['{"":1,"b":2,"":3}', '1, column 13: "" is repeated', ['']],
    ['[{"a":{}},{"a":{"b":1,"c":2,"b":3}}]', '1, column 29: "b" is repeated', [1, 'a', 'b']],
    ['{"a":{"b":1},"a":{"b":2}}', '1, column 14: "a" is repeated', ['a']],
    ['{"constructor":1,"constructor":2}', '1, column 18: "constructor" is repeated', ['constructor']],
    ['{"1":0,"b":0,"1":0}', '1, column 14: "1" is repeated', ['1']],
    [
      `{"${'n'.repeat(99)}":0,"${'n'.repeat(99)}":0}`,
      `1, column 106: "${'n'.repeat(64)}.." is repeated`,
      ['n'.repeat(99)],
    ],
  ])('of %j is at line %s', (text, place, path) => {
    expect(describeProblem(text)).toBe(`line ${place} in its object`);
    expect(new JsonScanner(text, 100).scanTo(text.length)).toMatchObject({ kind: 'repeated', path });
  });

  test.each([
    '{"a":1,"A":2}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"\u00e9":1,"e\u0301":2}',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '{"a":":{}[],","b":"\\\\"}',
    '"a:b"',
    'null',
    '\t[ ]\r\n',
    '"\\ud800"',
  ])('is not in %s', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  test.each(['{"__proto__":1}', '[{"a":{"__proto__":{}}}]', '{"\\u005f_proto__":1}', '{"__proto__":1,"__proto__":2}'])(
    'is no prototype either: %s',
    (text) => {
      expect(describeProblem(text)).toMatch(/^line 1, column \d+: __proto__ is not allowed as a name$/);
    },
  );

  test('is reported, and the last one counts, for a reader that accepts them', () => {
    const reported: string[] = [];
    const read = (text: string) => parseJson(text, ({ message }) => reported.push(message));
    expect(read('{"a":1,"b":{"c":1,"c":2},"a":3}')).toEqual({ a: 3, b: { c: 2 } });
    expect(reported).toEqual([
      'line 1, column 19: "c" is repeated in its object',
      'line 1, column 26: "a" is repeated in its object',
    ]);
    expect(() => read('{"a":1,"a":2,}')).toThrow('line 1, column 14: expected a name in double quotes');
    expect(() => read('{"a":1,"a":2,"__proto__":3}')).toThrow('__proto__ is not allowed as a name');
    expect(read(`{${'"a":1,'.repeat(1_000)}"a":2}`)).toEqual({ a: 2 });
    expect(reported).toHaveLength(102);
  });

  test('is none in a value of that name', () => {
    expect(parseJson('{"a":"__proto__","b":"\\u005f"}')).toEqual({ a: '__proto__', b: '_' });
  });
});

const unique = { depthSize: 'medium' } as const;

describe('the scanner agrees with JSON.parse', () => {
  test('on JSON, whole and cut, changed or with a character more', () => {
    const character = fc.constantFrom(...'{}[],:"\\ \n\t0123456789.eE+-truefalsn/*\u0000\u00a0é😀');
    const change = fc.record({ at: fc.nat(), removed: fc.nat(2), added: fc.array(character, { maxLength: 2 }) });
    fc.assert(
      fc.property(fc.json(unique), fc.array(change, { maxLength: 3 }), (json, changes) => {
        const text = changes.reduce((all, { at, removed, added }) => {
          const place = at % (all.length + 1);
          return all.slice(0, place) + added.join('') + all.slice(place + removed);
        }, json);
        const problem = new JsonScanner(text, 1_000).scanTo(text.length);
        if (problem === undefined || problem.kind === 'syntax') expect(problem === undefined).toBe(isJson(text));
      }),
      { numRuns: rounds(20_000) },
    );
  });

  test('on repeated names, which are fewer in the value', () => {
    const name = fc.constantFrom('a', 'b', '\\u0061', '', '1', 'constructor');
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('1', 'null', '"a:b"'),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' , ')}]`),
        fc
          .array(fc.tuple(name, tie('value')), { maxLength: 4 })
          .map((members) => `{${members.map(([key, item]) => `"${key}" : ${item}`).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(value, (text) => {
        const problem = new JsonScanner(text, 1_000).scanTo(text.length);
        const [kept] = [JSON.stringify(JSON.parse(text))];
        const isRepeated = (kept.match(/":/g)?.length ?? 0) < (text.match(/" : /g)?.length ?? 0);
        expect(problem?.kind).toBe(isRepeated ? 'repeated' : undefined);
        expect(describeProblem(text) === 'none').toBe(!isRepeated);
      }),
      { numRuns: rounds(5_000) },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('a long text is scanned in time proportional to its length', () => {
  const long = `{"a":"${'x'.repeat(2_000_000)}","b":[${'1,'.repeat(500_000)}1],"c":${'"'.repeat(1)}`;
  expect(describeProblem(long)).toMatch(/^line 1, column \d+: the quote is never closed$/);
});
