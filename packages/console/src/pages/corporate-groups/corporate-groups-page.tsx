/** Corporate groups: businesses that belong together. They give no roles. */

import { usePage } from '../../api/use-page.ts';
import { ObjectList } from '../../components/object-list.tsx';
import { PermittedArea } from '../../components/permitted-area.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { Subject } from '../../components/subject.tsx';
import type { CorporateGroupRecord } from '../organizations/corporate-groups.ts';
import { CorporateGroupPage } from './corporate-group-page.tsx';
import { CreateCorporateGroup } from './create-corporate-group.tsx';

export default function CorporateGroupsPage() {
  const { rest } = usePage();
  return (
    <PermittedArea operation="corporate-groups.list" content="Corporate groups" title="Corporate groups">
      {rest === undefined ? <CorporateGroupList /> : <CorporateGroupPage key={rest} corporateGroupId={rest} />}
    </PermittedArea>
  );
}

const columns: RowColumn<CorporateGroupRecord>[] = [
  {
    title: 'Corporate group',
    width: 'minmax(14rem, 2fr)',
    render: ({ corporateGroupId, corporateGroupName }) => (
      <Subject kind="corporateGroup" id={corporateGroupId} name={corporateGroupName} isPlain />
    ),
  },
  {
    title: 'Organization',
    width: 'minmax(8rem, 1fr)',
    phone: 'detail',
    render: ({ organizationId }) => <bdi>{organizationId}</bdi>,
  },
  {
    title: 'Businesses',
    width: '7rem',
    align: 'end',
    render: ({ businesses }) => businesses.length.toLocaleString('en'),
  },
];

/** The interface finds them by their whole name only. */
function CorporateGroupList() {
  return (
    <ObjectList
      title="Corporate groups"
      actions={<CreateCorporateGroup />}
      searchLabel="Exact name"
      searchOption="name"
      columns={columns}
      noun="corporate-groups"
      command="corporate-groups list"
      keyOf={({ corporateGroupId }) => corporateGroupId}
      read={({ service }, { search: name, ...page }, signal) =>
        service.GET('/corporate-groups', { params: { query: { ...page, name } }, signal })
      }
      createCommand="corporate-groups create --corporate-group-name holding --business acme,globex"
      empty={{
        title: 'No corporate groups yet',
        text: 'A corporate group names businesses that belong together. It gives no roles.',
      }}
      noMatch={{
        title: 'No corporate group has this name',
        text: 'The interface finds corporate groups by their exact name only. Remove the name to see all.',
      }}
    />
  );
}
