/** GET /_iam/customers */
import { PageQuery, singleLine } from '../../../../contract/schemas/primitives.ts';
import { readFilteredPage } from '../../../store/pages.ts';
import { customerKey } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { CustomerItem, toCustomerItem } from './customer-item.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.customers',
  title: 'List customers',
  description: 'Users and businesses, sorted by customer id.',
  method: 'GET',
  path: '/customers',
  audit: { kind: 'read', targets: {} },
  status: [200, 206, 400, 401, 403, 500],
  request: {
    query: {
      ...PageQuery,
      name: singleLine(200, 'Only customers with exactly this name')
        .optional()
        .meta({ examples: ['Example Shop'] }),
    },
  },
  response: { page: CustomerItem },
  errors: [],

  async handle({ query: { name } }, { store, range }) {
    return readFilteredPage(
      range,
      async (part) =>
        Promise.all((await store.customers.list(part)).map((customer) => toCustomerItem(store, customer))),
      ({ customerId }) => customerKey(customerId),
      (customer) => name === undefined || customer.name === name,
    );
  },
});
