import * as z from 'zod';
import { definition } from '../../../../contract/entities.ts';
import { maxSnapshots } from '../../../snapshots/snapshots.ts';
import { defineRoute } from '../../define.ts';
import { SnapshotItem, SnapshotName } from './state-schemas.ts';

export default defineRoute({
  capability: 'maintain',
  exclusive: true,
  id: 'control.snapshot-save',
  title: 'Save a snapshot of the state',
  description: `Stored in memory until the server stops. Snapshots share unchanged rows with the store. The limit is ${maxSnapshots} snapshots.`,
  method: 'POST',
  path: '/state/snapshots',
  audit: { kind: 'administration', isChange: true, targets: { body: ['name'] } },
  request: {
    body: z.strictObject({
      name: SnapshotName.meta(definition('snapshot', 'name')),
      replace: z.boolean().default(false).describe('Replace an existing snapshot of the same name'),
    }),
  },
  response: { status: 201, body: SnapshotItem },
  errors: ['SNAPSHOT_EXISTS', 'TOO_MANY_SNAPSHOTS'],

  handle: ({ body: { name, replace } }, { state }) => state.saveSnapshot(name, replace),
});
