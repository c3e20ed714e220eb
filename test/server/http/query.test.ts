/** Queries are read as URLSearchParams reads them, whatever is in them, without an exception for each wrong value. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMalformedNames, isWellEncoded, parseQuery } from '../../../src/server/http/query.ts';
import { maxLinearGrowth, measureGrowth } from '../../security/measure-cost.ts';

const pieces = ['%', '%C3', '%A9', 'é', 'a', '%41', '%ED%A0%80', '%F0%9F%98%80', '%FF', '%c0%80', '%2', '+', '=', '&'];
const query = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));

test('any query has the parameters that URLSearchParams sees', () => {
  fc.assert(
    // Of text that is not ASCII, which no request has, it spoils what stands beside a garbled value.
    fc.property(query, (given) => {
      const text = given.replaceAll('é', '');
      expect([...parseQuery(text)]).toEqual([...new URLSearchParams(text)]);
    }),
    { numRuns: 500 },
  );
});

test('text is well encoded where decodeURIComponent takes it', () => {
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
    { numRuns: 500 },
  );
});

test('a garbled value is told by its name, however that is written', () => {
  expect([...findMalformedNames('a=%FF&b=%41&%63=%zz&d&%FF=1')]).toEqual(['a', 'c', '%FF']);
});

test('cost grows with the length', async () => {
  const read = (text: string) => [parseQuery(text), findMalformedNames(text)];
  for (const unit of ['%FF&', '%zz=%zz&', 'a=%FF&', '%', '+%FF', '=%FF'])
    expect(await measureGrowth((size) => unit.repeat(size), read, 1000), unit).toBeLessThan(maxLinearGrowth);
});
