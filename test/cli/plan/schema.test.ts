import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { documentSchema, reservedResourceNames } from '../../../src/cli/plan/schema.ts';
import * as contract from '../../../src/contract/schemas.ts';

test('the published schema is the one that documents are checked by', async () => {
  const published = await readFile('docs/provisioning.schema.json', 'utf8');
  expect(JSON.parse(published)).toEqual(documentSchema);
});

test('reserved words are those of the service', () => {
  expect([...reservedResourceNames].sort()).toEqual([...contract.reservedNames].sort());
});
