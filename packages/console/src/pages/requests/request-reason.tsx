/** Why a request had its response: the credential, the caller, what the operation requires, and who can give it. */
import { Alert, Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { paths } from '#control-api';
import { formatTime } from '../../components/server-time.tsx';
import { ObjectLink } from '../groups/group-link.tsx';
import { FactTable } from './request-summary.tsx';

export type RequestReasonRecord = paths['/requests/{id}/why']['get']['responses'][200]['content']['application/json'];

interface ReasonProps {
  readonly reason: RequestReasonRecord;
}

export function RequestReason({ reason }: ReasonProps) {
  const { rejected, errors, requires, rule } = reason;
  return (
    <Stack gap="md" component="section" aria-labelledby="why">
      <Title order={2} size="h5" id="why">
        Why
      </Title>
      {errors.map(({ code, message, hint }) => (
        <Alert key={`${code} ${message}`} color="red" variant="light" title={code}>
          <Text>{message}</Text>
          {hint === '' ? undefined : <Text size="sm">{hint}</Text>}
        </Alert>
      ))}
      {rejected ? undefined : <Text>The request was accepted.</Text>}
      {rule === undefined ? undefined : <Text>Rule: {rule}</Text>}
      {requires === undefined ? undefined : (
        <div>
          <Text size="sm" fw={600}>
            The operation requires
          </Text>
          <Code block tabIndex={0} aria-label="The operation requires" style={{ whiteSpace: 'pre-wrap' }}>
            {requires}
          </Code>
        </div>
      )}
      <NearestWay reason={reason} />
      <CallerFacts reason={reason} />
    </Stack>
  );
}

/** The smallest change that would allow the request. */
function NearestWay({ reason: { missing, forbidden, grantedBy } }: ReasonProps) {
  if (missing.length === 0 && forbidden.length === 0) return undefined;
  return (
    <Alert color="orange" variant="light" title="The nearest way in">
      <Stack gap="xs">
        {missing.length === 0 ? undefined : <Facts title="Missing" values={missing} />}
        {forbidden.length === 0 ? undefined : <Facts title="Must not have" values={forbidden} />}
        {grantedBy.map(({ role, groups }) => (
          <Text key={role} size="sm" component="div">
            {groups.length === 0 ? (
              <>
                No group grants <Code>{role}</Code>.
              </>
            ) : (
              <>
                <Code>{role}</Code> is granted by <GroupNames names={groups} />
              </>
            )}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

function CallerFacts({ reason }: ReasonProps) {
  const { credential, client, user, session, logon, groups, roles, scope } = reason;
  const credentialState =
    credential.authMethod === 'none'
      ? 'none'
      : `${credential.authMethod}, ${credential.accepted ? 'accepted' : 'rejected'}`;
  return (
    <FactTable
      label="Caller"
      facts={[
        ['Credential', credentialState],
        ['Reason', credential.reason],
        ['Client', client && <ObjectLink key="client" page="/clients" id={client.clientId} />],
        ['Application', client && `${client.appId}, ${client.party}`],
        ['User', user && <UserName key="user" user={user} />],
        [
          'Session',
          session && `${session.level}, ${session.active ? 'active' : 'ended'}, until ${formatTime(session.endsAt)}`,
        ],
        ['Logon', logon],
        ['Groups', groups.length === 0 ? 'none' : <GroupNames key="groups" names={groups} />],
        ['Roles', roles.length === 0 ? 'none' : <Names key="roles" values={roles} />],
        ['Scopes', scope.length === 0 ? undefined : <Names key="scope" values={scope} />],
      ]}
    />
  );
}

function UserName({ user: { userId, userName, locked } }: { readonly user: NonNullable<RequestReasonRecord['user']> }) {
  return (
    <>
      <ObjectLink page="/users" id={userId}>
        {userName === userId ? userId : `${userName} (${userId})`}
      </ObjectLink>
      {locked ? ' is locked' : undefined}
    </>
  );
}

function GroupNames({ names }: { readonly names: readonly string[] }) {
  return (
    <Group gap="xs" component="span" display="inline-flex">
      {names.map((name) => (
        <ObjectLink key={name} page="/groups" id={name} />
      ))}
    </Group>
  );
}

function Facts({ title, values }: { readonly title: string; readonly values: readonly string[] }): ReactNode {
  return (
    <Group gap="xs">
      <Text size="sm">{title}:</Text>
      <Names values={values} />
    </Group>
  );
}

function Names({ values }: { readonly values: readonly string[] }) {
  return (
    <Group gap={4}>
      {values.map((value) => (
        <Badge key={value} variant="default" tt="none" style={{ maxWidth: '100%' }}>
          {value}
        </Badge>
      ))}
    </Group>
  );
}
