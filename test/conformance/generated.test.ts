import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedFiles } from '../../scripts/generate/files.ts';
import { readSource, root } from './source-files.ts';

const generated = await generatedFiles(root);

describe('generated files', () => {
  test('there are some', () => {
    expect([...generated.keys()]).toEqual(
      expect.arrayContaining(['src/contract/manifest.ts', 'docs/openapi.json', 'docs/errors.md']),
    );
  });

  test.each([...generated])('%s is what `npm run generate` makes', (file, content) => {
    expect(existsSync(path.join(root, file))).toBe(true);
    expect(readSource(file) === content, `${file} is stale: run npm run generate`).toBe(true);
  });

  test('are made the same twice', async () => {
    expect([...(await generatedFiles(root))]).toEqual([...generated]);
  });
});
