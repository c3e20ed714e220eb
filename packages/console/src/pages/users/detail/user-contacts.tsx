/** The contacts of a user, which are also its second factors once they are verified. */
import { Badge, Group, List } from '@mantine/core';
import { PageSection } from '../../../components/section.tsx';
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
      <List listStyleType="none">
        {contacts.map((contact) => (
          <List.Item key={contact.id}>
            <Group gap="xs">
              {formatContact(contact)}
              <Badge color={contact.verified ? 'green' : 'gray'}>
                {contact.verified ? 'Verified' : 'Not verified'}
              </Badge>
              {contact.credential ? <Badge color="gray">Main</Badge> : undefined}
              {contact.default ? <Badge color="gray">Default</Badge> : undefined}
              {contact.tags.map((tag) => (
                <Badge key={tag} color="gray">
                  {tag}
                </Badge>
              ))}
              {/* Edit replaces a main contact. */}
              {contact.credential ? undefined : (
                <RemoveFactor user={user} factorId={contact.id} address={formatContact(contact)} />
              )}
            </Group>
          </List.Item>
        ))}
      </List>
    </PageSection>
  );
}

function formatContact(contact: ShownUser['contacts'][number]): string {
  if ('email' in contact && typeof contact.email === 'string') return contact.email;
  const { mobile } = contact as { readonly mobile?: unknown };
  if (typeof mobile !== 'object' || mobile === null) return contact.id;
  const { regionCode, areaCode, phoneNumber } = mobile as Readonly<Record<string, unknown>>;
  return `+${regionCode} ${areaCode} ${phoneNumber}`;
}
