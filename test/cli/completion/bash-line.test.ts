import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBashCandidates, parseBashLine } from '../../../src/cli/completion/bash-line.ts';
import { rounds } from '../../effort.ts';
import { breaks, listBashCompletions } from './complete.ts';

const read = (line: string) => parseBashLine(line, breaks);

describe('a line of bash', () => {
  test.each([
    ['iam groups get ', ['iam', 'groups', 'get'], ''],
    ['  iam  groups', ['iam'], 'groups'],
    ['iam "two words" a\\ b \'it is\' x', ['iam', 'two words', 'a b', 'it is'], 'x'],
    ['iam "a\\"b\\c" \'d\\\'', ['iam', 'a"b\\c'], 'd\\'],
    ['iam a"b c"d', ['iam'], 'ab cd'],
    ['iam "" ', ['iam', ''], ''],
    ['iam --role=A:b', ['iam'], '--role=A:b'],
    ['iam "open one', ['iam'], 'open one'],
    ['cd x && iam groups', ['iam'], 'groups'],
    ['cd x; iam groups', ['iam'], 'groups'],
    ['iam get > out 2>/dev/null x', ['iam', 'get'], 'x'],
    ['iam $(touch x) `y` $HOME ~', ['`y`', '$HOME'], '~'],
  ])('%j is parsed without expansion', (line, words, typed) => {
    expect(read(line)).toMatchObject({ words, typed, isRedirectTarget: false });
  });

  test.each(['iam a > ', 'iam a >', 'iam a 2>x', 'iam a < in'])('%j expects a file', async (line) => {
    expect(read(line).isRedirectTarget).toBe(true);
    expect(await listBashCompletions(line)).toEqual([]);
  });

  test.each([
    ['iam ops:pr', 'ops:prod', 'prod'],
    ['iam --role=', '--role=A', 'A'],
    ['iam --role=A:x', '--role=A:x y', 'x\\ y'],
    ['iam "ops:', 'ops:prod', 'ops:prod'],
    ['iam a@', 'a@b', 'b'],
    ['iam my\\ ', 'my group', 'my\\ group'],
    ['iam "a"b', 'abc', 'abc'],
    ['iam a:"b', 'a:b c', 'b c'],
    ["iam 'it", "it's", "it'\\''s"],
    ['iam "', 'a!b', undefined],
    ['iam x', 'y', undefined],
  ])('%j is completed with %j by the text that readline replaces', (line, value, text) => {
    expect(formatBashCandidates(read(line), [{ value }])).toEqual(text === undefined ? [] : [text]);
  });

  test.each([
    ['unquoted', '', ''],
    ['in double quotes', '"', '"'],
    ['in single quotes', "'", "'"],
  ])('inserts exactly the candidate, %s', (_how, open, close) => {
    const names = fc.string({ unit: fc.constantFrom(...'ab $`"\'\\;*?[]{}()<>|&!#~=:@%^,-é/'), minLength: 1 });
    fc.assert(
      fc.property(names, (name) => {
        const texts = formatBashCandidates(read(`iam ${open}`), [{ value: name }]);
        fc.pre(texts.length === 1);
        expect(read(`iam ${open}${texts[0]}${close} `).words).toEqual(['iam', name]);
      }),
      { seed: 20_260_301, numRuns: rounds(500) },
    );
  });

  test('is completed from the typed part', async () => {
    expect(await listBashCompletions('iam groups add-')).toEqual(['add-dependency', 'add-role']);
    expect(await listBashCompletions('iam group us')).toEqual(['users']);
    expect(await listBashCompletions('iam groups list --output=js')).toEqual(['json', 'jsonl']);
    expect(await listBashCompletions('iam grou')).toEqual(['groups']);
    expect(await listBashCompletions('iam group')).toEqual(['groups']);
    expect(await listBashCompletions('iam api-keys')).toEqual(['api-keys']);
  });
});
