import * as z from 'zod';
import { GroupReference } from '../../../../contract/schemas/group.ts';
import { PageQuery } from '../../../../contract/schemas/primitives.ts';
import { requireGroup } from '../../../directory/groups.ts';
import { readFilteredPage } from '../../../store/pages.ts';
import type { Range } from '../../../store/store.ts';
import { type Membership, membershipKey } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { addNames, nameFieldsOf } from '../../name-fields.ts';
import { createTextFilter, SearchText } from '../../sorted-pages.ts';
import { memberItemFields, toMemberItem } from './member-item.ts';

const MemberItem = z.strictObject({ ...memberItemFields, ...nameFieldsOf('userId', 'businessId') });

interface MemberRow {
  readonly item: z.input<typeof MemberItem>;
  readonly key: string;
}

export default defineRoute({
  capability: 'read',
  id: 'control.group-members',
  title: 'List members of a group',
  description: 'Direct members only, sorted by kind and id.',
  method: 'GET',
  path: '/groups/{id}/members',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: {
    params: { id: GroupReference },
    query: {
      ...PageQuery,
      search: SearchText.meta({ description: 'Only members with this text in an id or a name (case-insensitive)' }),
    },
  },
  response: { page: MemberItem },
  errors: ['GROUP_NOT_FOUND'],
  openapiExamples: { response: { kind: 'user', userId: 'alice' } },

  async handle({ params, query }, { store, range }) {
    const { groupId } = await requireGroup(store, params.id);
    const hasText = createTextFilter(query.search);
    const fetch = async (part: Range) => {
      const rows = await store.memberships.find('group', groupId, part);
      const items = await addNames(store, rows.map(toMemberItem), 'userId', 'businessId');
      return items.map((item, at) => ({ item, key: membershipKey(rows[at] as Membership) }));
    };
    const isMatch = ({ item: { userId, userName, businessId, businessName, serviceId } }: MemberRow) =>
      hasText([userId, userName, businessId, businessName, serviceId]);
    const page = await readFilteredPage<MemberRow>(range, fetch, ({ key }) => key, isMatch);
    return { ...page, items: page.items.map(({ item }) => item) };
  },
});
