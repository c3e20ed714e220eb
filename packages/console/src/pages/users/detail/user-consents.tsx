/** What a user lets third-party clients do after logins with a browser. */
import { Group, List, Text } from '@mantine/core';
import { quotePositional } from '../../../components/equivalents.tsx';
import { PageSection } from '../../../components/section.tsx';
import { RelativeTime } from '../../../components/server-time.tsx';
import { Subject } from '../../../components/subject.tsx';
import { WriteAction } from '../../../components/write-action.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';

export function UserConsents({ user }: { readonly user: ShownUser }) {
  const { consents } = user;
  return (
    <PageSection
      title={`Consents (${consents.length})`}
      emptyText={
        consents.length === 0
          ? 'None. A third-party client asks for it when the user logs in with a browser.'
          : undefined
      }
    >
      <List listStyleType="none">
        {consents.map((consent) => (
          <List.Item key={consent.clientId}>
            <Group gap="xs">
              <Subject kind="client" id={consent.clientId} name={consent.clientName} />
              <Text size="sm" c="dimmed">
                {consent.scopes.join(', ')}, <RelativeTime at={consent.at} />
              </Text>
              <RevokeConsent user={user} consent={consent} />
            </Group>
          </List.Item>
        ))}
      </List>
    </PageSection>
  );
}

interface RevokeConsentProps {
  readonly user: ShownUser;
  readonly consent: ShownUser['consents'][number];
}

function RevokeConsent({
  user: { userId, userName },
  consent: { clientId, clientName = clientId },
}: RevokeConsentProps) {
  return (
    <WriteAction
      operation="DELETE /_iam/users/{id}/consents/{clientId}"
      label="Revoke"
      accessibleLabel={`Revoke the consent to ${clientName}`}
      isCompact
      isDangerous
      title={`Revoke the consent of ${userName} to ${clientName}`}
      confirmLabel="Revoke the consent"
      command={`users revoke-consent --yes ${quotePositional(userId, clientId)}`}
      request={({ control }) =>
        control.DELETE('/users/{id}/consents/{clientId}', { params: { path: { id: userId, clientId } } })
      }
      changes={userQueries}
      done="The consent was revoked."
    >
      <Text>The sessions of the user at the client end. The next login with a browser asks again.</Text>
    </WriteAction>
  );
}
