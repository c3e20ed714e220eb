/** Checks both OpenAPI documents with the recommended rules of Redocly and the rules for examples. */
import path from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { documents } from './openapi-documents.ts';
import { root } from './source-files.ts';

const config = await createConfig({
  extends: ['recommended'],
  rules: {
    'info-contact': 'error',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'no-unused-components': 'error',
    'operation-operationId-unique': 'error',
  },
});

async function problemsIn(source: string, file: string): Promise<string[]> {
  const problems = await lintFromString({ source, absoluteRef: path.join(root, file), config });
  return problems.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

describe.each(documents)('$file', ({ file, source }) => {
  test('has no errors or warnings', async () => {
    expect(await problemsIn(source, file)).toEqual([]);
  });
});

test('detects an invalid example', async () => {
  const media = { schema: { type: 'string', pattern: '^[A-Z]+$' }, example: 'deploy' };
  const source = JSON.stringify({
    openapi: '3.1.0',
    paths: { '/roles': { get: { responses: { 200: { content: { 'application/json': media } } } } } },
  });
  expect((await problemsIn(source, 'docs/wrong.json')).join('\n')).toContain('no-invalid-media-type-examples');
});
