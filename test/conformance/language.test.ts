/** The words of the code and the pages: terms of the field, without private words and personification. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './source-files.ts';

/** Each rejected word with the term to use instead. */
const rejectedWords: readonly (readonly [RegExp, string])[] = [
  [/\b(whoever|nobody|somebody)\b/i, 'the caller, the user, or `unknown` in test data'],
  [/\b(he|him|his|himself)\b/i, 'it, the user, they'],
  [/\b(hold(s|ing)?|held)[ -]back\b/i, 'throttle'],
  [/\bsecond[ -]?proofs?\b|\bproven\b/i, 'second factor; verified, authenticated'],
  [/\bmerely named\b/i, 'identified client'],
  [/\bworlds?\b/i, 'app context, harness, environment'],
  [/\bfault\(/, 'apiError()'],
  [
    /\b(lineage|errands?|pump|nowhere|anew|presented|chronicle|planted|torture|ledger|appender|surroundings)\b/i,
    'see CONTRIBUTING',
  ],
  [/\b(told|tells|forgotten|forgets)\b/i, 'reported, returns; cleared, deletes'],
  [/\bas good as\b|\btaken along\b|\blet in\b/i, 'a plain description'],
  [/\b\w+Wish(es)?\b|\b[a-z]\w*Tools\b(?!:)/, '...Request, ...Options; Deps'],
];

/** This file contains the words as its data. */
const here = 'test/conformance/language.test.ts';
const roots = [
  'src',
  'packages',
  'docs',
  'test',
  'scripts',
  'bench',
  'examples',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
];

test('no file uses a rejected word, and no file is named by one', () => {
  const files = execFileSync('git', ['ls-files', '--', ...roots], { cwd: root, encoding: 'utf8' }).split('\n');
  const found = files
    .filter((file) => /\.(ts|mjs|js|md|json|py|yaml)$/.test(file) && file !== here)
    .flatMap((file) => findWords(file, `${file}\n${readFileSync(join(root, file), 'utf8')}`));
  expect(files.length).toBeGreaterThan(1000);
  expect(found).toEqual([]);
});

test('each pattern finds its word', () => {
  const text = 'whoever he held back second proof merely named world fault( torture told let in LoginWish loginTools';
  expect(findWords('sample', text)).toHaveLength(rejectedWords.length);
});

function findWords(file: string, text: string): string[] {
  return rejectedWords.flatMap(([pattern, instead]) => {
    const match = pattern.exec(text);
    return match ? [`${file}: \`${match[0]}\`; use: ${instead}`] : [];
  });
}
