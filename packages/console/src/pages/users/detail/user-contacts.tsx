/** The contacts of a user, which are also its second factors once they are verified. */
import { Badge, Group, Stack } from '@mantine/core';
import { PageSection } from '../../../components/section.tsx';
import { EditFactor } from '../actions/edit-factor.tsx';
import { AddFactor, RemoveFactor } from '../actions/factor-actions.tsx';
import { type ShownUser, toMobileText, useMainContacts } from '../shown-user.ts';

export function ContactSection({ user }: { readonly user: ShownUser }) {
  const { contacts } = user;
  const main = useMainContacts(user.userId);
  return (
    <PageSection
      title="Contacts and factors"
      actions={<AddFactor user={user} />}
      emptyText={contacts.length === 0 ? 'No contacts. Without one, no code can be sent to the user.' : undefined}
    >
      <Stack component="ul" gap="sm" p={0} m={0}>
        {contacts.map((contact) => (
          <ContactItem key={contact.id} user={user} contact={contact} address={formatContact(contact, main)} />
        ))}
      </Stack>
    </PageSection>
  );
}

interface ContactItemProps {
  readonly user: ShownUser;
  readonly contact: ShownUser['contacts'][number];
  readonly address: string;
}

function ContactItem({ user, contact, address }: ContactItemProps) {
  const marks = [contact.credential ? 'Main' : undefined, contact.default ? 'Default' : undefined, ...contact.tags];
  return (
    <Group component="li" justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
      <div>
        <bdi style={{ overflowWrap: 'anywhere' }}>{address}</bdi>
        <Group gap={4}>
          <Badge color={contact.verified ? 'green' : 'orange'}>{contact.verified ? 'Verified' : 'Not verified'}</Badge>
          {marks.map((mark) =>
            mark === undefined ? undefined : (
              <Badge key={mark} color="gray">
                {mark}
              </Badge>
            ),
          )}
        </Group>
      </div>
      {/* The edit of the user replaces a main contact. */}
      {contact.credential ? undefined : (
        <Group gap={4} wrap="nowrap">
          <EditFactor user={user} factor={contact} address={address} />
          <RemoveFactor user={user} factorId={contact.id} address={address} />
        </Group>
      )}
    </Group>
  );
}

/** A main contact in full, if the caller may read it. */
function formatContact(contact: ShownUser['contacts'][number], main: ReturnType<typeof useMainContacts>): string {
  const { email, mobile } = contact.credential && main ? { email: main.userEmail, mobile: main.userMobile } : contact;
  if (contact.contactType === 'EMAIL') return email ?? contact.id;
  return mobile === undefined ? contact.id : toMobileText(mobile);
}
