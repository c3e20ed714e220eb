/** All businesses, with a search in ids, names and documents. */
import type { paths } from '#control-api';
import { useConsole } from '../../api/console-context.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { CreateBusiness } from './create-business.tsx';

type ListedBusiness = paths['/businesses']['get']['responses'][200]['content']['application/json'][number];

const columns: RowColumn<ListedBusiness>[] = [
  {
    title: 'Name',
    width: 'minmax(12rem, 2fr)',
    sort: 'businessName',
    render: ({ businessName }) => <bdi>{businessName}</bdi>,
  },
  { title: 'Id', width: 'minmax(10rem, 2fr)', sort: 'businessId', render: ({ businessId }) => businessId },
  { title: 'Document', width: 'minmax(8rem, 1fr)', sort: 'document', render: ({ document }) => <bdi>{document}</bdi> },
  { title: 'Customer', width: '7rem', render: ({ customerId }) => customerId },
  {
    title: 'Corporate group',
    width: 'minmax(10rem, 1fr)',
    render: ({ corporateGroupId }) => corporateGroupId,
  },
];

export function BusinessList() {
  const { control } = useConsole();
  return (
    <ObjectList<ListedBusiness>
      title="Businesses"
      actions={<CreateBusiness page="/businesses" />}
      searchLabel="Name, id or document"
      columns={columns}
      noun="businesses"
      path="/_iam/businesses"
      keyOf={({ businessId }) => businessId}
      read={({ search, sort }, query, signal) =>
        control.GET('/businesses', {
          params: { query: { ...query, search, sort: sort as 'businessName' | undefined } },
          signal,
        })
      }
      renderEmpty={(search) => (
        <EmptyState
          title={search === undefined ? 'No businesses yet' : 'No business matches'}
          command="iam customers create-business --business-id acme --business-name Acme --document 12345"
        >
          {search === undefined
            ? 'Create a business, or apply a seed with businesses. Its users have the roles of its groups.'
            : 'The search looks in names, ids and documents. Remove the search to see all businesses.'}
        </EmptyState>
      )}
    />
  );
}
