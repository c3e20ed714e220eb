import { reference } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { defineRoute } from '../../define.ts';
import { memberGrantFields, readMemberGrants } from '../../member-grants.ts';
import { BusinessItem, toBusinessItem } from './business-item.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.business',
  title: 'Show a business',
  description:
    'Returns the business with this id, its customer and corporate group, and the groups and effective roles that all its users get.',
  method: 'GET',
  path: '/businesses/{id}',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: { params: { id: Id.meta({ examples: ['example-shop'], ...reference('business', ['id']) }) } },
  response: { status: 200, body: BusinessItem.extend(memberGrantFields) },
  errors: ['BUSINESS_NOT_FOUND'],

  async handle({ params }, { store }) {
    const business = await store.businesses.get(params.id);
    if (!business) throw apiError('BUSINESS_NOT_FOUND');
    const members = [{ kind: 'business', memberId: business.businessId } as const];
    return { ...(await toBusinessItem(store, business)), ...(await readMemberGrants(store, members)) };
  },
});
