/** The words of the code and the pages: terms of the field, without private words and personification. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './source-files.ts';

/** Each rejected word with what to write instead. */
const rejectedWords: readonly (readonly [RegExp, string])[] = [
  [/\b(whoever|nobody|somebody)\b/i, 'the caller, the user, no caller; `unknown` in test data'],
  [/\b(he|him|his|himself)\b/i, 'it, the user, they'],
  [/\b(hold(s|ing)?|held)[ -]back\b/i, 'throttle'],
  [/\bsecond[ -]?proofs?\b/i, 'second factor'],
  // Except as a value of the setting chosen-ids.
  [/\bproven\b(?!['"`])/i, 'verified, authenticated'],
  [/\bmerely named\b/i, 'identified'],
  [/\bworlds?\b/i, 'app context, harness, environment'],
  [/\bfault\(/, 'apiError()'],
  [/\blineage\b/i, 'generation'],
  [/\berrands?\b/i, 'maintenance task'],
  [/\bpump\b/i, 'flush loop'],
  [/\bnowhere\b/i, 'in no place; noop for a sink that drops its input'],
  [/\banew\b/i, 'again'],
  [/\bpresented\b/i, 'sent; credentials'],
  [/\bchronicle\b/i, 'oracle, log'],
  [/\bplanted\b/i, 'seeded'],
  [/\btorture\b/i, 'stress'],
  [/\bledger\b/i, 'resume log'],
  [/\bappender\b/i, 'append file'],
  [/\bsurroundings\b/i, 'runtime, context'],
  [/\b(told|tells)\b/i, 'reported, returns, says'],
  [/\b(forgotten|forgets)\b/i, 'cleared, deletes'],
  [/\bas good as\b/i, 'almost'],
  [/\btaken along\b/i, 'also deleted, also copied'],
  [/\blet in\b/i, 'admitted, accepted'],
  [/\b\w+Wish(es)?\b/i, '...Request, ...Options'],
  [/\b[a-z]\w*Tools\b(?!:)/, '...Deps'],
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
  const words = [
    ...['whoever', 'he', 'held back', 'second proof', 'proven', 'merely named', 'world', 'fault(', 'lineage', 'errand'],
    ...[
      'pump',
      'nowhere',
      'anew',
      'presented',
      'chronicle',
      'planted',
      'torture',
      'ledger',
      'appender',
      'surroundings',
    ],
    ...['told', 'forgets', 'as good as', 'taken along', 'let in', 'LoginWish', 'loginTools'],
  ];
  expect(words.map((word) => findWords('sample', word).length)).toEqual(rejectedWords.map(() => 1));
});

function findWords(file: string, text: string): string[] {
  return rejectedWords.flatMap(([pattern, instead]) => {
    const match = pattern.exec(text);
    return match ? [`${file}: \`${match[0]}\`; use: ${instead}`] : [];
  });
}
