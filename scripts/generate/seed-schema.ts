/** Generates docs/seed.schema.json: the JSON Schema of seed documents, for editors and generators. */
import * as z from 'zod';
import { SeedDocument } from '../../src/server/seed/schema.ts';

/** Renders the schema. The server checks the rest at its start (weak passwords, mutually exclusive keys). */
export function seedSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(SeedDocument, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      markSensitive(jsonSchema);
      withoutReferences(jsonSchema);
    },
  });
  const head = {
    $schema,
    $id: 'urn:iam-standin:schema:seed',
    title: 'Seed document',
    description: 'Initial data of a server: see --seed.',
  };
  return `${JSON.stringify({ ...head, ...schema }, undefined, 2)}\n`;
}

/** Converts the keyword `sensitive` to the extension `x-sensitive`, as in the API documents. */
function markSensitive(schema: Record<string, unknown>): void {
  if (schema.sensitive === undefined) return;
  delete schema.sensitive;
  schema['x-sensitive'] = true;
}

/** Removes keywords that only the command line or the API documents use: validators in strict mode reject unknown keywords. */
function withoutReferences(schema: Record<string, unknown>): void {
  for (const key of ['x-reference', 'x-defines', 'x-argument', 'x-label', 'x-only-for', 'examples']) delete schema[key];
}
