/** A long document is parsed like any other JSON, entry by entry. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLargeJson } from '../../../src/server/http/large-json.ts';

test('parses valid JSON as JSON.parse does, with any whitespace', async () => {
  const document = fc.dictionary(
    fc.string(),
    fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())))),
  );
  await fc.assert(
    fc.asyncProperty(document, fc.constantFrom(0, 1, 3), async (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      if (text.includes('__proto__')) return;
      expect(await parseLargeJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('rejects altered text where JSON.parse rejects it, and otherwise parses it the same', async () => {
  const text = '{"a":1,"tables":{"users":[{"x":[1,"]"]},{"y":"\\"["}],"none":[ ],"b":{"c":[[]]}},"z":[[1]]}';
  for (let at = 0; at < text.length; at += 1)
    for (const put of ['', ',', '[', ']', '{', '}', '"', '\\', ' ', '0']) {
      const changed = text.slice(0, at) + put + text.slice(at + 1);
      let expected: unknown;
      try {
        expected = JSON.parse(changed);
      } catch {
        await expect(parseLargeJson(changed), changed).rejects.toMatchObject({ code: 'BODY_NOT_JSON' });
        continue;
      }
      expect(await parseLargeJson(changed), changed).toEqual(expected);
    }
});

describe('rejects what no dump contains', () => {
  test.each([
    ['one long entry', `{"tables":{"users":["${'x'.repeat(1_000_001)}"]}}`],
    ['long values outside the lists', `{"x":"${'x'.repeat(1_000_001)}"}`],
    ['many values in an entry', `{"tables":{"users":[[${'0,'.repeat(40_000)}0]]}}`],
    ['many entries', `{"tables":{"users":[${'0,'.repeat(1_000_000)}0]}}`],
  ])('%s', async (_, text) => {
    await expect(parseLargeJson(text)).rejects.toMatchObject({ code: 'BODY_TOO_COMPLEX' });
  });

  test('deep nesting', async () => {
    const deep = `{"tables":{"users":[${'['.repeat(33)}${']'.repeat(33)}]}}`;
    await expect(parseLargeJson(deep)).rejects.toMatchObject({ code: 'BODY_TOO_DEEP' });
  });

  test.each(['{"__proto__":1}', '{"tables":{"__proto__":[]}}', '{"tables":{"users":[{"__proto__":1}]}}'])(
    '%s',
    async (text) => {
      await expect(parseLargeJson(text)).rejects.toMatchObject({ code: 'FIELD_UNKNOWN' });
    },
  );
});

describe('reports the place in the whole document', () => {
  const start = `{"tables":{"users":[\n${'{"userId":"u"},\n'.repeat(50_000)}`;

  test.each([
    ['{"a":1,"a":2}]}}', 'FIELD_REPEATED', 'tables.users[50000].a is repeated (line 50002, column 8).'],
    ['{"a" 1}]}}', 'BODY_NOT_JSON', 'The body is not JSON: line 50002, column 6: expected a colon.'],
    ['1],"users":[]}}', 'FIELD_REPEATED', 'tables.users is repeated (line 50002, column 4).'],
    ['1],"b":1},"tables":{}}', 'FIELD_REPEATED', 'tables is repeated (line 50002, column 11).'],
    ['1]}', 'BODY_NOT_JSON', 'The body is not JSON: line 50002, column 4: expected a comma or }, and the text ends.'],
    ['1]}},', 'BODY_NOT_JSON', 'The body is not JSON: line 50002, column 5: expected the end of the text.'],
  ])('of %s', async (end, code, message) => {
    await expect(parseLargeJson(start + end)).rejects.toMatchObject({ code, errors: [{ message }] });
  });
});

test('parsing yields to other work', async () => {
  let iterations = 0;
  let isOver = false;
  const count = () => {
    iterations += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await parseLargeJson(`{"tables":{"users":[${'{"userId":"u"},'.repeat(200_000)}0]}}`);
  isOver = true;
  expect(iterations).toBeGreaterThan(50);
});
