import * as z from 'zod';
import { exampleText } from '../../../../contract/schemas/primitives.ts';
import { defineRoute } from '../../define.ts';
import { FieldDifferenceItem } from '../../field-difference.ts';
import { ComparedStates } from './state-schemas.ts';

const keys = z.array(z.string()).readonly();
const StateDifference = z.strictObject({
  from: exampleText('seed'),
  to: exampleText('now'),
  tables: z
    .array(
      z.strictObject({
        table: exampleText('groups'),
        added: keys.meta({
          description: 'Keys of rows that exist only in the second state',
          examples: [['64b0c0ffee00000000000002']],
        }),
        removed: keys.meta({
          description: 'Keys of rows that exist only in the first state',
          examples: [['64b0c0ffee00000000000003']],
        }),
        changed: z
          .array(
            z.strictObject({
              key: exampleText('64b0c0ffee00000000000001'),
              fields: z.array(FieldDifferenceItem).readonly(),
            }),
          )
          .readonly(),
      }),
    )
    .readonly()
    .describe(
      'Tables that differ: keys of added and removed rows, and fields of changed rows; without the values of secrets',
    ),
});

export default defineRoute({
  capability: 'maintain',
  large: true,
  // It shows which hashes differ, so an import of a guess and a comparison would tell whether it is right.
  hashes: true,
  id: 'control.state-diff',
  title: 'Compare two states',
  description: 'Each state is the name of a snapshot, or now, seed or empty.',
  method: 'GET',
  path: '/state/diff',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...ComparedStates,
    },
  },
  response: { status: 200, body: StateDifference },
  errors: ['SNAPSHOT_NOT_FOUND'],

  async handle({ query: { from, to } }, { state }) {
    const tables = await state.diff(from, to);
    return { from, to, tables };
  },
});
