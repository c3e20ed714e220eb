/** Groups: who has which roles, and from where. */
import { usePage } from '../../api/use-page.ts';
import { RoleLine } from '../../components/object/role-chip.tsx';
import { ObjectList } from '../../components/object-list.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { Subject } from '../../components/subject.tsx';
import type { GroupRecord } from './data/use-groups.ts';
import { GroupDetail } from './detail/group-detail.tsx';
import { bulkGroups } from './edit/bulk-groups.tsx';
import { CreateGroup } from './edit/create-group.tsx';
import { GroupGraphPage } from './graph/group-graph.tsx';
import { GroupViewMenu } from './group-views.tsx';
import { RoleCheck } from './role-path/role-check.tsx';

export default function GroupsPage() {
  const { rest, search } = usePage();
  if (rest !== undefined) return <GroupDetail key={rest} reference={rest} />;
  if (search.view === 'graph') return <GroupGraphPage />;
  if (search.view === 'role') return <RoleCheck />;
  return <GroupList />;
}

const columns: RowColumn<GroupRecord>[] = [
  {
    title: 'Group',
    width: 'minmax(12rem, 2fr)',
    sort: 'groupName',
    render: ({ groupId, groupName }) => <Subject kind="group" id={groupId} name={groupName} isPlain />,
  },
  {
    title: 'Own roles',
    width: 'minmax(10rem, 2fr)',
    phone: 'detail',
    render: ({ roles }) => <RoleLine roles={roles} />,
  },
  {
    title: 'Inherits from',
    width: 'minmax(10rem, 2fr)',
    render: ({ dependencies }) => dependencies.map(({ groupName }) => groupName).join(', '),
  },
  {
    title: 'Organization',
    width: 'minmax(8rem, 1fr)',
    sort: 'organizationId',
    render: ({ organizationId }) => organizationId,
  },
];

function GroupList() {
  return (
    <ObjectList
      title="Groups"
      actions={<CreateGroup />}
      menu={<GroupViewMenu current="list" />}
      searchLabel="Name, id or role"
      columns={columns}
      bulk={bulkGroups}
      noun="groups"
      command="groups search"
      keyOf={({ groupId }) => groupId}
      read={({ control }, query, signal) => control.GET('/groups', { params: { query }, signal })}
      createCommand="groups create --group-name ops --role DEPLOY"
      emptyText="A group gives its roles, and those of the groups that it depends on, to its members."
      searchText="The search looks in names, ids and roles."
    />
  );
}
