/** GET /_iam/state/diff */
import * as z from 'zod';
import { defineRoute } from '../../define.ts';
import { SnapshotReference } from './state-schemas.ts';

const keys = z.array(z.string()).readonly();
const StateDifference = z.strictObject({
  from: z.string(),
  to: z.string(),
  tables: z
    .array(
      z.strictObject({
        table: z.string(),
        added: keys.describe('Keys of rows that exist only in the second state'),
        removed: keys.describe('Keys of rows that exist only in the first state'),
        changed: z
          .array(
            z.strictObject({
              key: z.string(),
              fields: z
                .array(
                  z.strictObject({ field: z.string(), before: z.unknown().optional(), after: z.unknown().optional() }),
                )
                .readonly(),
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
  id: 'control.state-diff',
  title: 'Compare two states',
  description: 'Each state is the name of a snapshot, or now, seed or empty.',
  method: 'GET',
  path: '/state/diff',
  audit: { kind: 'read', targets: {} },
  status: [200, 400, 401, 403, 404, 422, 500],
  request: {
    query: {
      from: SnapshotReference.default('seed').describe('First state; default seed'),
      to: SnapshotReference.default('now').describe('Second state; default now'),
    },
  },
  response: { status: 200, body: StateDifference },
  errors: ['SNAPSHOT_NOT_FOUND'],

  async handle({ query: { from, to } }, { state }) {
    const tables = await state.diff(from, to);
    return { from, to, tables };
  },
});
