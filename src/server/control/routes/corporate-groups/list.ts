import { CorporateGroupSchema } from '../../../../contract/schemas/corporate-group.ts';
import { toCorporateGroupView } from '../../../directory/corporate-groups.ts';
import type { CorporateGroup } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { buildListQuery, createTextFilter, readSortedPage, type SortColumns } from '../../sorted-pages.ts';

const columns: SortColumns<CorporateGroup> = {
  corporateGroupId: ({ corporateGroupId }) => corporateGroupId,
  corporateGroupName: ({ corporateGroupName }) => corporateGroupName,
  organizationId: ({ organizationId }) => organizationId,
};

export default defineRoute({
  capability: 'read',
  id: 'control.corporate-groups',
  title: 'List corporate groups',
  description: 'With the ids of their businesses. The list of the interface has an exact filter only.',
  method: 'GET',
  path: '/corporate-groups',
  audit: { kind: 'read', targets: {} },
  request: { query: buildListQuery(columns, 'the id or name') },
  response: { page: CorporateGroupSchema, counted: true },
  errors: [],

  async handle({ query }, { store, range }) {
    const hasText = createTextFilter(query.search);
    const page = await readSortedPage({
      range,
      query,
      fetch: (part) => store.corporateGroups.list(part),
      countRows: () => store.corporateGroups.count(),
      keyOf: ({ corporateGroupId }) => corporateGroupId,
      isMatch: ({ corporateGroupId, corporateGroupName }) => hasText([corporateGroupId, corporateGroupName]),
      columns,
    });
    return { ...page, items: page.items.map((group) => toCorporateGroupView(store, group)) };
  },
});
