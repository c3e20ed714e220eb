/** docs/seed.schema.json: the JSON Schema of seed documents, for editors and for programs that make some. */
import * as z from 'zod';
import { SeedDocument } from '../../src/server/seed/schema.ts';

/** The text of the schema. What it can't say (weak passwords, keys that exclude one another) is told at the start of a server. */
export function seedSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(SeedDocument, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      markSensitive(jsonSchema);
      withoutReferences(jsonSchema);
    },
  });
  const head = { $schema, title: 'Seed document', description: 'What a server has at its start: see --seed.' };
  return `${JSON.stringify({ ...head, ...schema }, undefined, 2)}\n`;
}

/** The keyword `sensitive` becomes the extension that the API documents have. */
function markSensitive(schema: Record<string, unknown>): void {
  if (schema.sensitive === undefined) return;
  delete schema.sensitive;
  schema['x-sensitive'] = true;
}

/** Validators in strict mode reject keywords that they do not know, and only the command line reads these. */
function withoutReferences(schema: Record<string, unknown>): void {
  for (const key of ['x-reference', 'x-defines', 'x-argument', 'x-label', 'x-only-for']) delete schema[key];
}
