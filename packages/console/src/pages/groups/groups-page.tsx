/** Groups: who has which roles, and from where. */
import { usePage } from '../../api/use-page.ts';
import { GroupDetail } from './detail/group-detail.tsx';
import { GroupGraphPage } from './graph/group-graph.tsx';
import { GroupList } from './group-list.tsx';
import { RoleCheck } from './role-path/role-check.tsx';

export default function GroupsPage() {
  const { rest, search } = usePage();
  if (rest !== undefined) return <GroupDetail key={rest} reference={rest} />;
  if (search.view === 'graph') return <GroupGraphPage />;
  if (search.view === 'role') return <RoleCheck />;
  return <GroupList />;
}
