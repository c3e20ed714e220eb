/** The XML subset: what it parses, and that it rejects everything else in bounded time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseXml, walkElements } from '../../../src/server/federation/xml.ts';
import { measureCost } from '../../security/measure-cost.ts';

test('parses elements, attributes and text', () => {
  const root = parseXml(`<?xml version="1.0"?>
    <p:a xmlns:p="urn:p" one='1 &lt; 2' p:two = "&quot;&#65;&#x42;"><b/>text &amp; more<c >inner</c></p:a >  `);
  expect(root).toMatchObject({ name: 'a', text: 'text & more', attributes: { one: '1 < 2', two: '"AB' } });
  expect(root.children).toMatchObject([
    { name: 'b', text: '', children: [] },
    { name: 'c', text: 'inner' },
  ]);
  expect([...walkElements(root)].map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

test('text survives a round trip', () => {
  const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const root = parseXml(`<a b="${escaped(text)}">${escaped(text)}</a>`);
      expect([root.text, root.attributes.b]).toEqual([text, text]);
    }),
  );
});

test.each([
  '',
  'text',
  '<a>',
  '</a>',
  '<a></b>',
  '<a/><b/>',
  '<a/>text',
  'text<a/>',
  '<a><!-- --></a>',
  '<!DOCTYPE a><a/>',
  '<a><![CDATA[x]]></a>',
  '<a><?x y?></a>',
  '<?x y?><a/>',
  '<a b=c/>',
  '<a b/>',
  '<a b="<"/>',
  '<a b="1" b="2"/>',
  '<a x:b="1" y:b="2"/>',
  '<a>&e;</a>',
  '<a>&</a>',
  '<a>&#xFFFFFFF;</a>',
  '<a>&#x110000;</a>',
  '<a b="&e;"/>',
  '</a b="1">',
  '< a/>',
  '<a:b:c/>',
  '<1/>',
  '<a></a/>',
])('rejects %j', (text) => {
  expect(() => parseXml(text)).toThrow();
});

test('rejects deep nesting', () => {
  expect(() => parseXml('<a>'.repeat(33) + '</a>'.repeat(33))).toThrow();
  expect(() => parseXml('<a>'.repeat(31) + '</a>'.repeat(31))).not.toThrow();
});

describe('rejects long malicious input in bounded time', () => {
  const long = 150_000;
  test.each([
    ['blanks in a tag', `<a${' '.repeat(long)}`],
    ['blanks before the end', `<a b="c"${' '.repeat(long)}!`],
    ['many attributes', `<a${' b="c"'.repeat(long / 6)}!`],
    ['a long name', `<${'a'.repeat(long)}!`],
    ['many colons', `<${'a:'.repeat(long / 2)}>`],
    ['an attribute that does not end', `<a b="${'c'.repeat(long)}`],
    ['many openings', '<'.repeat(long)],
    ['many ampersands', `<a>${'&'.repeat(long)}</a>`],
    ['blanks before a declaration', `${' '.repeat(long)}<?xml`],
    ['blanks around equals', `<a b${' '.repeat(long / 2)}=${' '.repeat(long / 2)}!`],
  ])('%s', async (_, text) => {
    const reject = () => expect(() => parseXml(text)).toThrow();
    expect(await measureCost(reject, { enough: 1000 })).toBeLessThan(1000);
  });
});
