import { GroupSchema } from '../../../../contract/schemas/group.ts';
import { toGroupViews } from '../../../directory/groups.ts';
import type { Group } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { buildListQuery, createTextFilter, readSortedPage, type SortColumns } from '../../sorted-pages.ts';

const columns: SortColumns<Group> = {
  groupId: ({ groupId }) => groupId,
  groupName: ({ groupName }) => groupName,
  organizationId: ({ organizationId }) => organizationId,
  createdAt: ({ createdAt }) => createdAt,
};

export default defineRoute({
  capability: 'read',
  id: 'control.groups',
  title: 'List groups',
  description: 'With their own roles and their dependencies. The list of the interface has exact filters only.',
  method: 'GET',
  path: '/groups',
  audit: { kind: 'read', targets: {} },
  request: { query: buildListQuery(columns, 'the id, the name or a role of its own') },
  response: { page: GroupSchema, counted: true },
  errors: [],

  async handle({ query }, { store, range }) {
    const { search } = query;
    const hasText = createTextFilter(search);
    const page = await readSortedPage({
      range,
      query,
      fetch: (part) => store.groups.list(part),
      countRows: () => store.groups.count(),
      keyOf: ({ groupId }) => groupId,
      isMatch: ({ groupId, groupName, roles }) => hasText([groupId, groupName, ...roles]),
      columns,
    });
    return { ...page, items: await toGroupViews(store, page.items) };
  },
});
