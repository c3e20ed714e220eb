/** Queries are parsed as URLSearchParams does, without an exception for each malformed value. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMalformedNames, isWellEncoded, parseQuery } from '../../../src/server/http/query.ts';
import { rounds } from '../../effort.ts';
import { maxLinearGrowth, measureGrowth } from '../../security/measure-cost.ts';

const pieces = ['%', '%C3', '%A9', 'é', 'a', '%41', '%ED%A0%80', '%F0%9F%98%80', '%FF', '%c0%80', '%2', '+', '=', '&'];
const query = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));

test('every query has the parameters that URLSearchParams sees', () => {
  fc.assert(
    // It garbles the neighbours of a malformed value in non-ASCII text, which no request contains.
    fc.property(query, (value) => {
      const text = value.replaceAll('é', '');
      expect([...parseQuery(text)]).toEqual([...new URLSearchParams(text)]);
    }),
    { numRuns: rounds(500) },
  );
});

test('text is well encoded exactly if decodeURIComponent accepts it', () => {
  const decodes = (text: string) => {
    try {
      decodeURIComponent(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(query, (text) => {
      expect(isWellEncoded(text)).toBe(decodes(text));
    }),
    { numRuns: rounds(500) },
  );
});

test('a malformed value is reported by its parameter name, however the name is encoded', () => {
  expect([...findMalformedNames('a=%FF&b=%41&%63=%zz&d&%FF=1')]).toEqual(['a', 'c', '%FF']);
});

test('cost grows linearly with the length', async () => {
  const read = (text: string) => [parseQuery(text), findMalformedNames(text)];
  for (const unit of ['%FF&', '%zz=%zz&', 'a=%FF&', '%', '+%FF', '=%FF'])
    expect(await measureGrowth((size) => unit.repeat(size), read, 1000), unit).toBeLessThan(maxLinearGrowth);
});
