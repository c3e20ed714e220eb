import * as z from 'zod';
import { GroupReference } from '../../../../contract/schemas/group.ts';
import { optionalText, PageQuery } from '../../../../contract/schemas/primitives.ts';
import { requireGroup } from '../../../directory/groups.ts';
import { readFilteredPage } from '../../../store/pages.ts';
import type { Range } from '../../../store/store.ts';
import { type Membership, membershipKey } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { addNames, nameFieldsOf } from '../../name-fields.ts';
import { createTextFilter, SearchText } from '../../sorted-pages.ts';

const MemberItem = z.strictObject({
  kind: z.enum(['user', 'business', 'businessUser', 'service']),
  userId: optionalText('alice'),
  businessId: optionalText('example-shop', 'For kind businessUser: the business on whose behalf the user is a member'),
  serviceId: optionalText('billing-service'),
  ...nameFieldsOf('userId', 'businessId'),
});

type MemberIds = Pick<z.input<typeof MemberItem>, 'kind' | 'userId' | 'businessId' | 'serviceId'>;

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

function toMemberItem({ kind, memberId, businessId }: Membership): MemberIds {
  switch (kind) {
    case 'user':
      return { kind, userId: memberId };
    case 'business':
      return { kind, businessId: memberId };
    case 'service':
      return { kind, serviceId: memberId };
    case 'businessUser':
      return { kind, userId: memberId, businessId };
  }
}
