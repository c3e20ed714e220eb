/** Names, business and lock of a user. */
import { Alert } from '@mantine/core';
import { ObjectFacts } from '../../../components/object-facts.tsx';
import { ServerTime } from '../../../components/server-time.tsx';
import { NamedSubject, Subject } from '../../../components/subject.tsx';
import type { ShownUser } from '../shown-user.ts';

export function UserFacts({ user }: { readonly user: ShownUser }) {
  const { identities, legacyLogons, businessId, businessName, customerId, lead, createdAt } = user;
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
          'Other login names': identities.join(', '),
          'Mainframe logons': legacyLogons.join(', '),
          Business:
            businessId === undefined ? undefined : <Subject kind="business" id={businessId} name={businessName} />,
          Customer: customerId === undefined ? undefined : <NamedSubject kind="customer" id={String(customerId)} />,
          Lead: lead ? 'Yes' : undefined,
          Created: <ServerTime at={createdAt} />,
        }}
      />
    </>
  );
}
