/** Names, business and lock of a user. */
import { Alert, Table } from '@mantine/core';
import { formatTime } from '../../../components/server-time.tsx';
import type { ShownUser } from '../data/use-users.ts';

export function UserFacts({ user }: { readonly user: ShownUser }) {
  const { userId, identities, legacyLogons, businessId, businessName, customerId, lead, createdAt } = user;
  const rows = [
    ['Id', userId],
    ['Other login names', identities.join(', ')],
    ['Mainframe logons', legacyLogons.join(', ')],
    ['Business', businessName === undefined ? businessId : `${businessName} (${businessId})`],
    ['Customer', customerId],
    ['Lead', lead ? 'Yes' : undefined],
    ['Created', formatTime(createdAt)],
  ] as const;
  return (
    <>
      {user.locked ? (
        <Alert color="red" variant="light" title="Locked">
          {user.lockReason === undefined ? 'No reason was given.' : <bdi>{user.lockReason}</bdi>}
        </Alert>
      ) : undefined}
      <Table>
        <Table.Tbody>
          {rows
            .filter(([, value]) => value !== undefined && value !== '')
            .map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">{name}</Table.Th>
                <Table.Td>
                  <bdi>{value}</bdi>
                </Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </>
  );
}
