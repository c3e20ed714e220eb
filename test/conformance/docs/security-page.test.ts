/** Every guarantee in docs/security.md names an existing test. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { suites } from '../../stress/suites.ts';

const root = path.join(import.meta.dirname, '../../..');
const page = readFileSync(path.join(root, 'docs/security.md'), 'utf8');

/** The cells of each row under a heading row that begins with "Guarantee": all but the table of limits. */
const rows = page
  .replace(/<!-- GENERATED.*?<!-- End/s, '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Guarantee'))
  .map((line) => line.split('|').slice(1, -1));

/** Names in backticks. A file without a folder is in the folder of the one before it. */
function testsIn(cell: string): string[] {
  let folder = '';
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => {
    if (name.includes('/')) folder = path.dirname(name);
    return name.includes('/') ? name : path.join(folder, name);
  });
}

describe.each(rows)('%s', (_guarantee, tests = '', suite = '') => {
  test('names tests that exist', () => {
    const named = testsIn(tests);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  test('names a suite that exists', () => {
    const named = [...suite.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(suites.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  });
});
