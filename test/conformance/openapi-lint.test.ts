/** Checks both OpenAPI documents with the recommended rules of Redocly and the rules for examples. */
import path from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { documents, serviceDocument } from './openapi-documents.ts';
import { root } from './source-files.ts';

/** Accepted problems, with the reason. */
const acceptedProblems = [
  // The operation has no input to reject. `default` documents the errors of HTTP itself.
  'operation-4xx-response #/paths/~1keys/get/responses',
];

const config = await createConfig({
  extends: ['recommended'],
  rules: {
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'no-unused-components': 'error',
    'operation-operationId-unique': 'error',
  },
});

async function problemsIn(source: string, file: string): Promise<string[]> {
  const problems = await lintFromString({ source, absoluteRef: path.join(root, file), config });
  return problems.map(({ ruleId, location, message }) => {
    const known = `${ruleId} ${location[0]?.pointer}`;
    return acceptedProblems.includes(known) ? known : `${known}: ${message}`;
  });
}

describe.each(documents)('$file', ({ file, source }) => {
  test('has no errors or warnings except the accepted ones', async () => {
    const expected = file === serviceDocument.file ? acceptedProblems : [];
    expect(await problemsIn(source, file)).toEqual(expected);
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
