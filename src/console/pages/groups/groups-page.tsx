/** Groups: who has which roles, and from where. */
import { usePage } from '../../api/use-page.ts';
import { GroupDetail } from './detail/group-detail.tsx';
import { GroupList } from './group-list.tsx';

export default function GroupsPage() {
  const { rest } = usePage();
  if (rest !== undefined) return <GroupDetail key={rest} reference={rest} />;
  return <GroupList />;
}
