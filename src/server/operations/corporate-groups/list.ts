import { reference } from '../../../contract/entities.ts';
import { CorporateGroupSchema } from '../../../contract/schemas/corporate-group.ts';
import { PageQuery, singleLine } from '../../../contract/schemas/primitives.ts';
import { toCorporateGroupView } from '../../directory/corporate-groups.ts';
import { toPage } from '../../store/pages.ts';
import type { Range, Reader } from '../../store/store.ts';
import type { CorporateGroup } from '../../store/tables.ts';
import { defineOperation } from '../define.ts';

export default defineOperation({
  id: 'corporate-groups.list',
  title: 'List corporate groups',
  description: 'Returns corporate groups, ordered by id.',
  method: 'GET',
  path: '/corporate-groups',
  auth: 'caller',
  roles:
    'CLI-AUTH-IDENTIFIED and CLI-1STPARTY and AUTH-BASIC and (ADMIN or IAM_ADMIN_MAINTENANCE or IAM_ADMIN_READ_ONLY)',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: {
    query: {
      ...PageQuery,
      name: singleLine(100, 'Only the corporate group with exactly this name')
        .meta(reference('corporateGroup', ['name']))
        .optional()
        .meta({ examples: ['Example Holding'] }),
    },
  },
  response: { page: CorporateGroupSchema },
  errors: [],
  command: 'corporate-groups list',
  cliExamples: [{ title: 'Find a corporate group by name', command: '--name holding' }],

  async handle({ query }, { store, range }) {
    const rows = await listCandidates(store, query.name, { ...range, limit: range.limit + 1 });
    const page = toPage(rows, range.limit, (group) => group.corporateGroupId);
    return { ...page, items: page.items.map((group) => toCorporateGroupView(store, group)) };
  },
});

async function listCandidates(
  store: Reader,
  name: string | undefined,
  part: Range,
): Promise<readonly CorporateGroup[]> {
  if (name === undefined) return store.corporateGroups.list(part);
  const group = await store.corporateGroups.getBy('corporateGroupName', name);
  return group && (part.after === undefined || group.corporateGroupId > part.after) ? [group] : [];
}
