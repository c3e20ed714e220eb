/** Customers: businesses and users by contract. */
import type { ControlData } from '../../api/clients.ts';
import { usePage } from '../../api/use-page.ts';
import { ObjectLink } from '../../components/object-link.tsx';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { CreateBusiness } from '../businesses/create-business.tsx';
import { CreateUserCustomer } from './create-user-customer.tsx';
import { CustomerPage } from './customer-page.tsx';

export default function CustomersPage() {
  const { rest } = usePage();
  return rest === undefined ? <CustomerList /> : <CustomerPage key={rest} customerId={rest} />;
}

const columns: RowColumn<ControlData<'/customers'>[number]>[] = [
  { title: 'Customer', width: 'minmax(12rem, 2fr)', sort: 'name', render: ({ name }) => <bdi>{name}</bdi> },
  {
    title: 'Document',
    width: 'minmax(8rem, 1fr)',
    sort: 'document',
    phone: 'detail',
    render: ({ document }) => <bdi>{document}</bdi>,
  },
  {
    title: 'Kind',
    width: 'minmax(8rem, 1fr)',
    phone: 'detail',
    render: ({ businessId, userId, userName }) => (
      <span className="subject">
        {businessId !== undefined ? (
          <ObjectLink page="/businesses" id={businessId} className="subject-name">
            Business
          </ObjectLink>
        ) : userId !== undefined ? (
          <ObjectLink page="/users" id={userId} className="subject-name">
            User <bdi>{userName}</bdi>
          </ObjectLink>
        ) : undefined}
      </span>
    ),
  },
  { title: 'Number', width: '6rem', align: 'end', phone: 'end', render: ({ customerId }) => customerId },
];

function CustomerList() {
  return (
    <ObjectList
      title="Customers"
      actions={
        <>
          <CreateBusiness page="/customers" />
          <CreateUserCustomer />
        </>
      }
      searchLabel="Number, name, document or id"
      searchOption="search"
      columns={columns}
      noun="customers"
      command="customers list"
      keyOf={({ customerId }) => String(customerId)}
      read={({ control }, query, signal) => control.GET('/customers', { params: { query }, signal })}
      createCommand='customers create-user alice --document 12345 --name "Alice Example"'
      emptyText="A customer is a business or a user with a contract."
      searchText="The search looks in numbers, names, documents and ids."
    />
  );
}
