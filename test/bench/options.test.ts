import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../bench/options.ts';

const names = ['get', 'cli'];

describe('the options of the benchmarks', () => {
  test('are all benchmarks by default', () => {
    const defaults = { only: names, store: 'file', json: false, check: false };
    expect(parseOptions([], names)).toMatchObject(defaults);
    expect(parseOptions(['--store', 'postgres'], names).store).toBe('postgres');
  });

  test('leave out optional benchmarks, unless they are named', () => {
    expect(parseOptions([], names, ['cli']).only).toEqual(['get']);
    expect(parseOptions(['--only', 'cli'], names, ['cli']).only).toEqual(['cli']);
  });

  test('accept several benchmarks', () => {
    expect(parseOptions(['--only', 'cli', '--only', 'get'], names).only).toEqual(['cli', 'get']);
  });

  test.each([
    [['--only', 'nope'], 'unknown benchmark nope'],
    [['cli'], "Unexpected argument 'cli'"],
    [['--nope'], '--nope'],
    [['--store', 'memory'], '--store is one of file, postgres'],
  ])('%j is rejected with a reason', (args, reason) => {
    expect(() => parseOptions(args, names)).toThrow(reason);
  });
});
