import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { documentSchema } from '../../../src/cli/plan/schema.ts';

test('the published schema is the one that documents are checked by', async () => {
  const published = await readFile('docs/provisioning.schema.json', 'utf8');
  expect(JSON.parse(published)).toEqual(documentSchema);
});
