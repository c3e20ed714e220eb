/** The depth of YAML texts is bounded by what the parser reads, whatever they look like. */
import { expect, test } from 'vitest';
import { parseSingleYaml } from '../../src/lib/yaml-text.ts';

const nested: Readonly<Record<string, (levels: number) => string>> = {
  'lists in brackets': (levels) => '['.repeat(levels) + ']'.repeat(levels),
  'maps in brackets': (levels) => '{a: '.repeat(levels) + '}'.repeat(levels),
  'brackets that comments seem to close': (levels) => '[\n#]\n'.repeat(levels) + ']'.repeat(levels),
  'brackets that texts seem to close': (levels) => `["]",`.repeat(levels) + ']'.repeat(levels),
  'brackets behind a quote in a text': (levels) => `['"',`.repeat(levels) + ']'.repeat(levels),
  'lists in one line': (levels) => `${'- '.repeat(levels)}x`,
  'lists in lines': (levels) => Array.from({ length: levels }, (_, at) => `${' '.repeat(at)}-`).join('\n'),
  'maps in lines': (levels) => Array.from({ length: levels }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
};

test.each(Object.entries(nested))('%s may have 200 levels, and are rejected with their place', (_, build) => {
  expect(parseSingleYaml(build(200)).problems).toEqual([]);
  for (const levels of [203, 2_000]) {
    const { document, problems } = parseSingleYaml(build(levels));
    const place = { line: expect.any(Number), column: expect.any(Number) };
    expect({ document, problems }).toEqual({ problems: [{ reason: 'nested deeper than 200 levels', ...place }] });
  }
  expect(parseSingleYaml(build(20_000).slice(0, 100_000)).problems).toMatchObject([
    { reason: expect.stringContaining('deeper') },
  ]);
});
