import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtDocs } from '../../scripts/generate/docs.ts';
import { generatedFiles } from '../../scripts/generate/files.ts';
import { readSource, root } from './source-files.ts';

const generated = await generatedFiles(root);

describe('generated files that are committed', () => {
  test('include the manifest and the pages', () => {
    expect([...generated.keys()]).toEqual(
      expect.arrayContaining(['src/contract/server.json', 'docs/openapi.json', 'docs/reference/errors.md']),
    );
  });

  test.each([...generated])('%s is up to date with `npm run generate`', (file, content) => {
    expect(existsSync(path.join(root, file))).toBe(true);
    expect(readSource(file) === content, `${file} is stale: run npm run generate`).toBe(true);
  });

  test('do not include the documents that the build makes', async () => {
    const names = [...(await builtDocs(root)).keys()];
    expect(names.filter((name) => existsSync(path.join(root, 'docs', name)))).toEqual([]);
  });

  test('are deterministic', async () => {
    expect([...(await generatedFiles(root))]).toEqual([...generated]);
  });
});
