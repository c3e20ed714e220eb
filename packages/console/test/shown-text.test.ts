/** What the build does to every text of a page, and the short form of ids. */
import { expect, test } from 'vitest';
import { shortenId } from '../src/components/subject-id.ts';
import { jsx } from '../src/jsx-runtime.ts';

const childrenOf = (children: unknown) => (jsx('p', { children }) as { props: { children: unknown } }).props.children;

test('texts show hidden characters by their code points, and domains of addresses in Unicode', () => {
  expect(childrenOf('a\u202eb')).toBe('a⟨U+202E⟩b');
  expect(childrenOf(['to ', 'jürgen@xn--bcher-kva.de'])).toEqual(['to ', 'jürgen@bücher.de']);
  // Letters of two scripts, and no address.
  for (const text of ['a@xn--l-7sba6dbr.com', 'xn--bcher-kva.de']) expect(childrenOf(text)).toBe(text);
  expect(jsx('p', { title: 'a@xn--bcher-kva.de' })).toMatchObject({ props: { title: 'a@bücher.de' } });
});

test('ids of the server are shortened; what people chose is mostly whole', () => {
  expect(['01a2248054540001f3da48f5', 'billing', 'example-shop-1', ''].map(shortenId)).toEqual([
    '01a224…48f5',
    'billing',
    'example-shop-1',
    '',
  ]);
});
