import { reference } from '../../../../contract/entities.ts';
import { defineRoute } from '../../define.ts';
import { SnapshotName } from './state-schemas.ts';

export default defineRoute({
  capability: 'maintain',
  exclusive: true,
  id: 'control.snapshot-restore',
  title: 'Restore a snapshot',
  description:
    'Restores all data as saved, including sessions and codes that have ended since. Signing keys remain, and revoked tokens stay revoked, also those that were revoked with all tokens of a client. Failed login counters are cleared.',
  method: 'POST',
  path: '/state/snapshots/{name}/restore',
  audit: { kind: 'administration', isChange: true, targets: { path: ['name'] } },
  request: { params: { name: SnapshotName.meta(reference('snapshot', ['name'])) } },
  response: { status: 204 },
  errors: ['SNAPSHOT_NOT_FOUND'],

  async handle({ params: { name } }, { state }) {
    await state.restoreSnapshot(name);
  },
});
