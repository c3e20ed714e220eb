import type * as z from 'zod';
import { singleLine } from '../../../../contract/schemas/primitives.ts';
import { customerKey } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';
import { addNames } from '../../name-fields.ts';
import { buildListQuery, createTextFilter, readSortedPage, type SortColumns } from '../../sorted-pages.ts';
import { CustomerItem, toCustomerItem } from './customer-item.ts';

type Customer = z.input<typeof CustomerItem>;

const columns: SortColumns<Customer> = {
  customerId: ({ customerId }) => customerKey(customerId),
  name: ({ name }) => name,
  document: ({ document }) => document,
  createdAt: ({ createdAt }) => createdAt,
};

/** What identifies a customer besides its number. */
function namesOf({ name, document, userId, businessId }: Customer): readonly (string | undefined)[] {
  return [name, document, userId, businessId];
}

export default defineRoute({
  capability: 'read',
  id: 'control.customers',
  title: 'List customers',
  description: 'Users and businesses.',
  method: 'GET',
  path: '/customers',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...buildListQuery(columns, 'the number, name or document, or in the id of the user or business'),
      name: singleLine(
        200,
        'Only customers with exactly this name or document, or of the user or business with this id',
      )
        .optional()
        .meta({ examples: ['Example Shop'] }),
    },
  },
  response: { page: CustomerItem, counted: true },
  errors: [],

  async handle({ query }, { store, range }) {
    const { name, search } = query;
    const hasText = createTextFilter(search);
    const page = await readSortedPage({
      range,
      query,
      fetch: async (part) =>
        Promise.all((await store.customers.list(part)).map((customer) => toCustomerItem(store, customer))),
      countRows: () => store.customers.count(),
      keyOf: ({ customerId }) => customerKey(customerId),
      isMatch: (customer) =>
        (name === undefined || namesOf(customer).includes(name)) &&
        hasText([String(customer.customerId), ...namesOf(customer)]),
      columns,
    });
    return { ...page, items: await addNames(store, page.items, 'userId') };
  },
});
