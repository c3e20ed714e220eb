/** Both API documents before the rules that Redocly recommends, and before those about examples. */
import path from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { documents } from './openapi-documents.ts';
import { readSource, root } from './source-files.ts';

/** What is meant as it is, with the reason. */
const acceptedProblems = [
  // It takes no parameters and asks for nothing: there is nothing to refuse. `default` has what HTTP may bring about.
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

describe.each(documents)('$file', ({ file }) => {
  test('has no faults and no warnings but those that are meant', async () => {
    const expected = file === 'docs/openapi.json' ? acceptedProblems : [];
    expect(await problemsIn(readSource(file), file)).toEqual(expected);
  });
});

test('a wrong example is found', async () => {
  const media = { schema: { type: 'string', pattern: '^[A-Z]+$' }, example: 'deploy' };
  const source = JSON.stringify({
    openapi: '3.1.0',
    paths: { '/roles': { get: { responses: { 200: { content: { 'application/json': media } } } } } },
  });
  expect((await problemsIn(source, 'docs/wrong.json')).join('\n')).toContain('no-invalid-media-type-examples');
});
