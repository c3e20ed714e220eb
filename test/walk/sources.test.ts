/** Rules that hold for every source file. */
import { describe, expect, test } from 'vitest';
import { codeOf, read, root, sourceFiles } from './sources.ts';

const files = sourceFiles('src');

/** Files that may touch what is injected everywhere else. */
const entries = /^src\/(server\/clock|server\/main|cli\/main|cli\/environment)\.ts$/;

const ambient = [
  ['the time', /\bDate\.now\b|\bnew Date\(\s*\)/],
  ['chance', /\bMath\.random\b/],
  ['the environment', /\bprocess\.env\b/],
  ['the exit of the process', /\bprocess\.exit\s*\(/],
] as const;

describe('every source file', () => {
  test.each(ambient)('is given %s and does not take it', (_what, pattern) => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !entries.test(file) && pattern.test(codeOf(file)))).toEqual([]);
  });

  test('is at most 250 lines long, unless it is generated', () => {
    const long = files.filter((file) => {
      const text = read(file);
      return !text.startsWith('// GENERATED') && text.split('\n').length > 251;
    });
    expect(long).toEqual([]);
  });

  test('says what it is, as an operation does by its declaration', () => {
    expect(files.filter((file) => !isOperation(file) && !/^(\s*\/\*\*|\/\/ GENERATED)/m.test(read(file)))).toEqual([]);
  });

  test('has a name in kebab-case', () => {
    expect(files.filter((file) => !/^[a-z0-9/-]+(\.d)?\.ts$/.test(file))).toEqual([]);
  });

  test('gives a reason with every suppression', () => {
    const bare = files.filter((file) => /(biome-ignore [\w/]+\s*$|@ts-expect-error\s*$|@ts-ignore)/m.test(read(file)));
    expect(bare).toEqual([]);
  });
});

/** The declaration of an operation says itself what it is. */
function isOperation(file: string): boolean {
  return file.startsWith('src/server/operations/') && file.split('/').length > 4;
}

test('the walk starts at the root of the project', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({ name: 'iam-standin' });
  expect(root).not.toBe('');
});
