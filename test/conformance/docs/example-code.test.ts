/** The code in docs/any-language.md is in the examples, which the end-to-end tests run. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSource, root } from '../source-files.ts';

/** Folder of the examples, by the language of a code block. */
const folders = { python: 'examples/python', go: 'examples/go', java: 'examples/java', bash: 'examples/curl' } as const;

type Language = keyof typeof folders;

interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

function listCodeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({ language, code }));
}

const isLanguage = (name: string): name is Language => Object.hasOwn(folders, name);

function isInExamples({ language, code }: CodeBlock): boolean {
  if (!isLanguage(language)) return false;
  const folder = folders[language];
  const files = readdirSync(path.join(root, folder)).filter((name) => /\.(py|go|java|sh)$/.test(name));
  return files.some((name) => readSource(path.posix.join(folder, name)).includes(`\n${code}`));
}

describe('docs/any-language.md', () => {
  const blocks = listCodeBlocks(readSource('docs/any-language.md'));

  test('has code of every language', () => {
    expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(Object.keys(folders)));
  });

  test.each(blocks)('shows code of the examples: $code', (block) => {
    expect(isInExamples(block)).toBe(true);
  });
});

test('finds a block that differs from the examples', () => {
  const [block] = listCodeBlocks(
    '```python\n    def sandbox(self, seed):\n        return Sandbox(self.url, seed)\n```\n',
  );
  expect(block && isInExamples(block)).toBe(true);
  expect(isInExamples({ language: 'python', code: '    def sandbox(self, seed):\n        return None\n' })).toBe(false);
  expect(isInExamples({ language: 'text', code: '' })).toBe(false);
});
