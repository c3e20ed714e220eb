/** POST /_iam/state/snapshots */
import * as z from 'zod';
import { maxSnapshots } from '../../state/snapshots.ts';
import { defineRoute } from '../define.ts';
import { SnapshotItem, SnapshotName } from '../state-schemas.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.snapshot-save',
  title: 'Keeps the state under a name',
  description: `In memory, until the server stops. It costs little: rows are shared with the store until they change. No more than ${maxSnapshots} are kept.`,
  method: 'POST',
  path: '/state/snapshots',
  audit: { kind: 'administration', targets: {} },
  status: [201, 400, 401, 403, 412, 422, 500],
  request: {
    body: z.strictObject({
      name: SnapshotName,
      replace: z.boolean().default(false).describe('Take the place of the snapshot that has the name'),
    }),
  },
  response: { status: 201, body: SnapshotItem },
  errors: ['SNAPSHOT_EXISTS', 'TOO_MANY_SNAPSHOTS'],

  handle: ({ body: { name, replace } }, { state }) => state.saveSnapshot(name, replace),
});
