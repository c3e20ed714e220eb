/** All corporate groups, in the order of the interface, or the one with a name. */
import { useConsole } from '../../api/console-context.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { type CorporateGroupRecord, corporateGroupsPath } from '../organizations/use-corporate-groups.ts';
import { CreateCorporateGroup } from './create-corporate-group.tsx';

const columns: RowColumn<CorporateGroupRecord>[] = [
  { title: 'Name', width: 'minmax(12rem, 2fr)', render: ({ corporateGroupName }) => <bdi>{corporateGroupName}</bdi> },
  { title: 'Id', width: 'minmax(14rem, 1fr)', render: ({ corporateGroupId }) => corporateGroupId },
  { title: 'Organization', width: 'minmax(8rem, 1fr)', render: ({ organizationId }) => <bdi>{organizationId}</bdi> },
  { title: 'Businesses', width: '7rem', render: ({ businesses }) => businesses.length.toLocaleString('en') },
];

export function CorporateGroupList() {
  const { service } = useConsole();
  return (
    <ObjectList<CorporateGroupRecord>
      title="Corporate groups"
      actions={<CreateCorporateGroup />}
      searchLabel="Exact name"
      searchName="name"
      columns={columns}
      noun="corporate-groups"
      path={corporateGroupsPath}
      keyOf={({ corporateGroupId }) => corporateGroupId}
      read={({ search: name }, query, signal) =>
        service.GET('/corporate-groups', {
          params: { query: { ...query, ...(name === undefined ? {} : { name }) } },
          signal,
        })
      }
      renderEmpty={(search) => (
        <EmptyState
          title={search === undefined ? 'No corporate groups yet' : 'No corporate group has this name'}
          command="iam corporate-groups create --corporate-group-name holding --business acme,globex"
        >
          {search === undefined
            ? 'A corporate group names businesses that belong together. It gives no roles.'
            : 'The interface finds corporate groups by their exact name only. Remove the name to see all.'}
        </EmptyState>
      )}
    />
  );
}
