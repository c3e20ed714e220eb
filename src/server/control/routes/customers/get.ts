import { reference } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { customerKey } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { addNames } from '../../name-fields.ts';
import { CustomerItem, toCustomerItem } from './customer-item.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.customer',
  title: 'Show a customer',
  description: 'Returns the customer with this number: a user or a business.',
  method: 'GET',
  path: '/customers/{id}',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: {
    params: {
      id: Id.meta({ description: 'Number of the customer', examples: ['1001'], ...reference('customer', ['id']) }),
    },
  },
  response: { status: 200, body: CustomerItem },
  errors: ['CUSTOMER_NOT_FOUND'],

  async handle({ params }, { store }) {
    const customer = /^[1-9]\d{0,11}$/.test(params.id)
      ? await store.customers.get(customerKey(Number(params.id)))
      : undefined;
    if (!customer) throw apiError('CUSTOMER_NOT_FOUND');
    const [item] = await addNames(store, [await toCustomerItem(store, customer)], 'userId');
    return item ?? customer;
  },
});
