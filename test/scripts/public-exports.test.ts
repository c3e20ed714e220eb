/** The listing of the public API contains every export of the package, with whole declarations. */
import { expect, test } from 'vitest';
import { createCodeReader, listExports } from '../../scripts/generate/public-exports.ts';
import * as library from '../../src/testing/index.ts';
import { root } from '../conformance/source-files.ts';

const listed = listExports('src/testing/index.ts', createCodeReader(root));

test('lists every function and class that the library exports', () => {
  const values = [...listed].filter(([, declaration]) => /^export (async )?(function|class|const)\b/.test(declaration));
  expect(values.map(([name]) => name)).toEqual(Object.keys(library).sort());
});

test('cuts each declaration at its end, without bodies of functions', () => {
  for (const [name, declaration] of listed) {
    expect([name, declaration]).toEqual([name, expect.stringMatching(/[;}]$/)]);
    expect(declaration.match(/[({[]/g)?.length).toBe(declaration.match(/[)}\]]/g)?.length);
    expect(declaration).not.toMatch(/\breturn\b|\bprivate\b|#/);
  }
});

test('reads the code without comments', () => {
  expect([...listed.values()].join('\n')).not.toMatch(/\/\*|^\s*\/\//m);
});

test('rejects an export without a declaration', () => {
  expect(() => listExports('a.ts', () => 'export { missing };\n')).toThrow('a.ts has no declaration of missing');
});
