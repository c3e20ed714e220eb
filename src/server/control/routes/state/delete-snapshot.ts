import { reference } from '../../../../contract/entities.ts';
import { defineRoute } from '../../define.ts';
import { SnapshotName } from './state-schemas.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.snapshot-delete',
  title: 'Delete a snapshot',
  description: 'The state of the server does not change.',
  method: 'DELETE',
  path: '/state/snapshots/{name}',
  audit: { kind: 'administration', isChange: true, targets: { path: ['name'] } },
  request: { params: { name: SnapshotName.meta(reference('snapshot', ['name'])) } },
  response: { status: 204 },
  errors: ['SNAPSHOT_NOT_FOUND'],

  async handle({ params: { name } }, { state }) {
    state.snapshots.delete(name);
  },
});
