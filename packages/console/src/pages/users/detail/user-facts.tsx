/** Names, business and lock of a user. */
import { Alert } from '@mantine/core';
import { ObjectFacts } from '../../../components/object-facts.tsx';
import { ObjectLink } from '../../../components/object-link.tsx';
import { formatTime } from '../../../components/server-time.tsx';
import type { ShownUser } from '../shown-user.ts';

export function UserFacts({ user }: { readonly user: ShownUser }) {
  const { userId, identities, legacyLogons, businessId, businessName, customerId, lead, createdAt } = user;
  return (
    <>
      {user.locked ? (
        <Alert color="red" variant="light" title="Locked">
          {user.lockReason === undefined ? 'No reason was given.' : <bdi>{user.lockReason}</bdi>}
        </Alert>
      ) : undefined}
      <ObjectFacts
        label="User"
        facts={{
          Id: userId,
          'Other login names': identities.join(', '),
          'Mainframe logons': legacyLogons.join(', '),
          Business: businessId === undefined ? undefined : <BusinessLink id={businessId} name={businessName} />,
          Customer: customerId === undefined ? undefined : <ObjectLink page="/customers" id={String(customerId)} />,
          Lead: lead ? 'Yes' : undefined,
          Created: formatTime(createdAt),
        }}
      />
    </>
  );
}

function BusinessLink({ id, name }: { readonly id: string; readonly name: string | undefined }) {
  return (
    <>
      <ObjectLink page="/businesses" id={id} />
      {name === undefined ? undefined : ` (${name})`}
    </>
  );
}
