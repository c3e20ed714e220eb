/** GET /_iam/state/diff */
import * as z from 'zod';
import { defineRoute } from '../define.ts';
import { SnapshotReference } from '../state-schemas.ts';

const keys = z.array(z.string()).readonly();
const StateDifference = z.strictObject({
  from: z.string(),
  to: z.string(),
  tables: z
    .array(
      z.strictObject({
        table: z.string(),
        added: keys.describe('Keys of rows that only the second state has'),
        removed: keys.describe('Keys of rows that only the first state has'),
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
    .describe('Those that differ: keys of rows added and removed, and fields of rows changed; of secrets no value'),
});

export default defineRoute({
  capability: 'maintain',
  id: 'control.state-diff',
  title: 'Compares two states',
  description: 'Each is a snapshot by its name, or now, seed or empty.',
  method: 'GET',
  path: '/state/diff',
  audit: { kind: 'read', targets: {} },
  status: [200, 400, 401, 403, 404, 422, 500],
  request: {
    query: {
      from: SnapshotReference.default('seed').describe('The first state; seed where it is not given'),
      to: SnapshotReference.default('now').describe('The second state; now where it is not given'),
    },
  },
  response: { status: 200, body: StateDifference },
  errors: ['SNAPSHOT_NOT_FOUND'],

  async handle({ query: { from, to } }, { state }) {
    const tables = await state.diff(from, to);
    return { from, to, tables };
  },
});
