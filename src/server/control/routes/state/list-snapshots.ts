import { PageQuery } from '../../../../contract/schemas/primitives.ts';
import { toPage } from '../../../store/pages.ts';
import { defineRoute } from '../../define.ts';
import { SnapshotItem } from './state-schemas.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.snapshots',
  title: 'List snapshots',
  description: 'Sorted by name. Snapshots are in memory: a restart deletes them.',
  method: 'GET',
  path: '/state/snapshots',
  audit: { kind: 'read', targets: {} },
  request: { query: PageQuery },
  response: { page: SnapshotItem },
  errors: [],

  async handle(_input, { state, range: { after = '', limit } }) {
    const rest = state.snapshots.list().filter(({ name }) => name > after);
    return toPage(rest.slice(0, limit + 1), limit, ({ name }) => name);
  },
});
