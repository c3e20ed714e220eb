/** All customers, with a search in numbers, names, documents and ids. */
import type { paths } from '#control-api';
import { useConsole } from '../../api/console-context.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { CreateBusiness } from '../businesses/create-business.tsx';
import { CreateUserCustomer } from './create-user-customer.tsx';

export type CustomerRecord = paths['/customers']['get']['responses'][200]['content']['application/json'][number];

const columns: RowColumn<CustomerRecord>[] = [
  { title: 'Number', width: '7rem', sort: 'customerId', render: ({ customerId }) => customerId },
  { title: 'Name', width: 'minmax(12rem, 2fr)', sort: 'name', render: ({ name }) => <bdi>{name}</bdi> },
  { title: 'Document', width: 'minmax(8rem, 1fr)', sort: 'document', render: ({ document }) => <bdi>{document}</bdi> },
  { title: 'Kind', width: '7rem', render: ({ businessId }) => (businessId === undefined ? 'User' : 'Business') },
  { title: 'Id', width: 'minmax(10rem, 2fr)', render: ({ businessId, userId }) => businessId ?? userId },
];

export function CustomerList() {
  const { control } = useConsole();
  return (
    <ObjectList<CustomerRecord>
      title="Customers"
      actions={
        <>
          <CreateBusiness page="/customers" />
          <CreateUserCustomer />
        </>
      }
      searchLabel="Number, name, document or id"
      columns={columns}
      noun="customers"
      path="/_iam/customers"
      keyOf={({ customerId }) => String(customerId)}
      read={({ search, sort }, query, signal) =>
        control.GET('/customers', { params: { query: { ...query, search, sort: sort as 'name' | undefined } }, signal })
      }
      renderEmpty={(search) => (
        <EmptyState
          title={search === undefined ? 'No customers yet' : 'No customer matches'}
          command='iam customers create-user alice --document 12345 --name "Alice Example"'
        >
          {search === undefined
            ? 'Create a business, or make a user a customer.'
            : 'The search looks in numbers, names, documents and ids. Remove the search to see all customers.'}
        </EmptyState>
      )}
    />
  );
}
