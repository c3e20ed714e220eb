import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { documentSchema, reservedResourceNames } from '../../../src/cli/plan/schema.ts';
import * as contract from '../../../src/contract/schemas/primitives.ts';

test('the published schema matches the one used for validation', async () => {
  const published = await readFile('docs/provisioning.schema.json', 'utf8');
  expect(JSON.parse(published)).toEqual(documentSchema);
});

test('reserved names match those of the service', () => {
  expect([...reservedResourceNames].sort()).toEqual([...contract.reservedNames].sort());
});
