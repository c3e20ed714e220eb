/** Who there is to log in as, for a list that a login fills. */
import { Group } from '@mantine/core';
import { useFirstUsers } from '../../api/lists/use-first-users.ts';
import { Subject } from '../subject.tsx';

export function FirstUsers() {
  const users = useFirstUsers() ?? [];
  if (users.length === 0) return undefined;
  return (
    <Group gap="xs" justify="center">
      Users to log in as:
      {users.map(({ userId, userName }) => (
        <Subject key={userId} kind="user" id={userId} name={userName} />
      ))}
    </Group>
  );
}
