/** What the build does to every text of a page. */
import { expect, test } from 'vitest';
import { jsx } from '../src/jsx-runtime.ts';

const childrenOf = (children: unknown) => (jsx('p', { children }) as { props: { children: unknown } }).props.children;

test('texts show hidden characters as escapes, and domains of addresses in Unicode', () => {
  expect(childrenOf('a\u202eb')).toBe(String.raw`a\u202eb`);
  expect(childrenOf(['to ', 'jürgen@xn--bcher-kva.de'])).toEqual(['to ', 'jürgen@bücher.de']);
  // Letters of two scripts, and no address.
  for (const text of ['a@xn--l-7sba6dbr.com', 'xn--bcher-kva.de']) expect(childrenOf(text)).toBe(text);
  expect(jsx('p', { title: 'a@xn--bcher-kva.de' })).toMatchObject({ props: { title: 'a@bücher.de' } });
});
