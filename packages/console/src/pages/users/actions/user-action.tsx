/** A button that opens a confirmation or a form, and sends one write about a user. */
import { WriteAction, type WriteActionProps } from '../../../components/write-action.tsx';
import { useUsersChanged } from '../data/use-users.ts';

export function UserAction(props: Omit<WriteActionProps, 'onChanged'>) {
  const usersChanged = useUsersChanged();
  return <WriteAction {...props} onChanged={usersChanged} />;
}
