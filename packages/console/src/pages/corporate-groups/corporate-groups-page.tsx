/** Corporate groups: businesses that belong together. They give no roles. */

import { usePage } from '../../api/use-page.ts';
import { ObjectList } from '../../components/object-list.tsx';
import { PermittedArea } from '../../components/permitted-area.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { Subject } from '../../components/subject.tsx';
import { formatCount } from '../../components/texts/format-count.ts';
import type { CorporateGroupRecord } from '../organizations/corporate-groups.ts';
import { bulkCorporateGroups } from './bulk-corporate-groups.tsx';
import { CorporateGroupPage } from './corporate-group-page.tsx';
import { CreateCorporateGroup } from './create-corporate-group.tsx';

export default function CorporateGroupsPage() {
  const { rest } = usePage();
  return (
    <PermittedArea operation="GET /_iam/corporate-groups" content="Corporate groups" title="Corporate groups">
      {rest === undefined ? <CorporateGroupList /> : <CorporateGroupPage key={rest} corporateGroupId={rest} />}
    </PermittedArea>
  );
}

const columns: RowColumn<CorporateGroupRecord>[] = [
  {
    title: 'Corporate group',
    width: 'minmax(14rem, 2fr)',
    sort: 'corporateGroupName',
    render: ({ corporateGroupId, corporateGroupName }) => (
      <Subject kind="corporateGroup" id={corporateGroupId} name={corporateGroupName} isPlain />
    ),
  },
  {
    title: 'Organization',
    width: 'minmax(8rem, 1fr)',
    sort: 'organizationId',
    phone: 'detail',
    render: ({ organizationId }) => (organizationId === undefined ? undefined : <bdi>{organizationId}</bdi>),
  },
  {
    title: 'Businesses',
    width: '8rem',
    phone: 'detail',
    render: ({ businesses }) => formatCount(businesses.length, 'business', 'businesses'),
  },
];

function CorporateGroupList() {
  return (
    <ObjectList
      title="Corporate groups"
      actions={<CreateCorporateGroup />}
      searchLabel="Name or id"
      columns={columns}
      bulk={bulkCorporateGroups}
      noun="corporate-groups"
      command="corporate-groups search"
      keyOf={({ corporateGroupId }) => corporateGroupId}
      read={({ control }, query, signal) => control.GET('/corporate-groups', { params: { query }, signal })}
      createCommand="corporate-groups create --corporate-group-name holding --business acme,globex"
      emptyText="A corporate group names businesses that belong together. It gives no roles."
      searchText="The search looks in names and ids."
    />
  );
}
