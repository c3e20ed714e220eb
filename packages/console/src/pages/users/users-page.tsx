/** Users: who they are, what they may do and why. */
import { usePage } from '../../api/use-page.ts';
import { UserPage } from './detail/user-page.tsx';
import { UserList } from './user-list.tsx';

export default function UsersPage() {
  const { rest } = usePage();
  if (rest !== undefined) return <UserPage key={rest} userId={rest} />;
  return <UserList />;
}
