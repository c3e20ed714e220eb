/** The contacts of a user, which are also its second factors once they are verified. */
import { Badge, Group, Stack } from '@mantine/core';
import { PageSection } from '../../../components/section.tsx';
import { EditFactor } from '../actions/edit-factor.tsx';
import { AddFactor, RemoveFactor } from '../actions/factor-actions.tsx';
import type { ShownUser } from '../shown-user.ts';

export function ContactSection({ user }: { readonly user: ShownUser }) {
  const { contacts } = user;
  return (
    <PageSection
      title="Contacts and factors"
      actions={<AddFactor user={user} />}
      emptyText={contacts.length === 0 ? 'No contacts. Without one, no code can be sent to the user.' : undefined}
    >
      <Stack component="ul" gap="sm" p={0} m={0}>
        {contacts.map((contact) => (
          <ContactItem key={contact.id} user={user} contact={contact} />
        ))}
      </Stack>
    </PageSection>
  );
}

interface ContactItemProps {
  readonly user: ShownUser;
  readonly contact: ShownUser['contacts'][number];
}

function ContactItem({ user, contact }: ContactItemProps) {
  const address = formatContact(contact);
  const marks = [contact.credential ? 'Main' : undefined, contact.default ? 'Default' : undefined, ...contact.tags];
  return (
    <Group component="li" justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
      <div>
        {address}
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

function formatContact(contact: ShownUser['contacts'][number]): string {
  if ('email' in contact && typeof contact.email === 'string') return contact.email;
  const { mobile } = contact as { readonly mobile?: unknown };
  if (typeof mobile !== 'object' || mobile === null) return contact.id;
  const { regionCode, areaCode, phoneNumber } = mobile as Readonly<Record<string, unknown>>;
  return `+${regionCode} ${areaCode} ${phoneNumber}`;
}
