import * as z from 'zod';
import { exampleText, PageQuery } from '../../../../contract/schemas/primitives.ts';
import { toPage } from '../../../store/pages.ts';
import { membershipKey } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { memberItemFields, toMemberItem } from './member-item.ts';

const MembershipItem = z.strictObject({ groupId: exampleText('64b0c0ffee00000000000001'), ...memberItemFields });

export default defineRoute({
  capability: 'read',
  id: 'control.memberships',
  title: 'List the members of all groups',
  description: 'Direct members only, sorted by group, kind and id. For tools that compare or export all groups.',
  method: 'GET',
  path: '/memberships',
  audit: { kind: 'read', targets: {} },
  request: { query: PageQuery },
  response: { page: MembershipItem },
  errors: [],
  openapiExamples: { response: { groupId: '64b0c0ffee00000000000001', kind: 'user', userId: 'alice' } },

  async handle(_request, { store, range: { after, limit } }) {
    const rows = await store.memberships.list({ after, limit: limit + 1 });
    const { items, ...page } = toPage(rows, limit, membershipKey);
    return { ...page, items: items.map((row) => ({ groupId: row.groupId, ...toMemberItem(row) })) };
  },
});
