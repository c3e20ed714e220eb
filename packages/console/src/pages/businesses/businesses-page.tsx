/** Businesses: their customer, their corporate group, and the roles that all their users have. */

import type { ControlData } from '../../api/clients.ts';
import { usePage } from '../../api/use-page.ts';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { Subject } from '../../components/subject.tsx';
import { BusinessPage } from './business-page.tsx';
import { CreateBusiness } from './create-business.tsx';

export default function BusinessesPage() {
  const { rest } = usePage();
  return rest === undefined ? <BusinessList /> : <BusinessPage key={rest} businessId={rest} />;
}

const columns: RowColumn<ControlData<'/businesses'>[number]>[] = [
  {
    title: 'Business',
    width: 'minmax(14rem, 2fr)',
    sort: 'businessName',
    render: ({ businessId, businessName }) => <Subject kind="business" id={businessId} name={businessName} isPlain />,
  },
  {
    title: 'Document',
    width: 'minmax(8rem, 1fr)',
    sort: 'document',
    phone: 'detail',
    render: ({ document }) => <bdi>{document}</bdi>,
  },
  { title: 'Customer', width: '6rem', render: ({ customerId }) => customerId },
  {
    title: 'Corporate group',
    width: 'minmax(12rem, 1fr)',
    phone: 'detail',
    render: ({ corporateGroupId: id, corporateGroupName: name }) =>
      id === undefined ? undefined : <Subject kind="corporateGroup" id={id} name={name} />,
  },
];

function BusinessList() {
  return (
    <ObjectList
      title="Businesses"
      actions={<CreateBusiness page="/businesses" />}
      searchLabel="Name, id or document"
      searchOption="search"
      columns={columns}
      noun="businesses"
      command="businesses list"
      keyOf={({ businessId }) => businessId}
      read={({ control }, query, signal) => control.GET('/businesses', { params: { query }, signal })}
      createCommand="customers create-business --business-id acme --business-name Acme --document 12345"
      emptyText="A business gives the roles of its groups to all its users."
      searchText="The search looks in names, ids and documents."
    />
  );
}
