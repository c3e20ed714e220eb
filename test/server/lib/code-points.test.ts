import fc from 'fast-check';
import { expect, test } from 'vitest';
import { precedes } from '../../../src/server/lib/code-points.ts';

const text = fc.string({ unit: 'binary', maxLength: 4 });

test('texts have the order of their bytes in UTF-8', () => {
  fc.assert(
    fc.property(text, text, text, (common, one, other) => {
      const texts = [`${common}${one}`, `${common}${other}`] as const;
      expect(precedes(...texts)).toBe(Buffer.compare(Buffer.from(texts[0]), Buffer.from(texts[1])) < 0);
    }),
  );
});

test.each([
  ['', 'a'],
  ['a', 'aa'],
  ['\ud7ff', '\ue000'],
  ['\uffff', '\u{10000}'],
  ['\u{1f600}', '\u{1f601}'],
])('%j precedes %j, and not the reverse', (one, other) => {
  expect(precedes(one, other)).toBe(true);
  expect(precedes(other, one)).toBe(false);
  expect(precedes(one, one)).toBe(false);
});
