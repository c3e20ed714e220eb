import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { seedSchema } from '../../../scripts/generate/seed-schema.ts';
import { parseSeed } from '../../../src/server/seed/parse.ts';
import { SeedDocument } from '../../../src/server/seed/schema.ts';

test('the schema contains exactly the keys of a seed', async () => {
  const schema = JSON.parse(seedSchema());
  expect(Object.keys(schema.properties)).toEqual(Object.keys(SeedDocument.shape));
  expect(schema.additionalProperties).toBe(false);
  expect(schema.properties.users.items).toMatchObject({ type: 'object', additionalProperties: false });
  expect(Object.keys(schema.properties.users.items.properties)).toContain('passwordHash');
});

test('a seed can contain $schema', async () => {
  const text = await readFile('data/seed.json', 'utf8');
  const named = { $schema: '../docs/seed.schema.json', ...JSON.parse(text) };
  expect(await parseSeed(JSON.stringify(named), 'seed.json')).toEqual(named);
});
