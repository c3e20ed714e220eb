import * as z from 'zod';
import { GroupReference } from '../../../../contract/schemas/group.ts';
import { optionalText, PageQuery } from '../../../../contract/schemas/primitives.ts';
import { requireGroup } from '../../../directory/groups.ts';
import { toPage } from '../../../store/pages.ts';
import { type Membership, membershipKey } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { addNames, nameFieldsOf } from '../../name-fields.ts';

const MemberItem = z.strictObject({
  kind: z.enum(['user', 'business', 'businessUser', 'service']),
  userId: optionalText('alice'),
  businessId: optionalText('example-shop', 'For kind businessUser: the business on whose behalf the user is a member'),
  serviceId: optionalText('billing-service'),
  ...nameFieldsOf('userId', 'businessId'),
});

type MemberIds = Pick<z.input<typeof MemberItem>, 'kind' | 'userId' | 'businessId' | 'serviceId'>;

export default defineRoute({
  capability: 'read',
  id: 'control.group-members',
  title: 'List members of a group',
  description: 'Direct members only, sorted by kind and id.',
  method: 'GET',
  path: '/groups/{id}/members',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: { params: { id: GroupReference }, query: PageQuery },
  response: { page: MemberItem },
  errors: ['GROUP_NOT_FOUND'],
  openapiExamples: { response: { kind: 'user', userId: 'alice' } },

  async handle({ params }, { store, range }) {
    const { groupId } = await requireGroup(store, params.id);
    const rows = await store.memberships.find('group', groupId, { ...range, limit: range.limit + 1 });
    const page = toPage(rows, range.limit, membershipKey);
    return { ...page, items: await addNames(store, page.items.map(toMemberItem), 'userId', 'businessId') };
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
