/** Why a request had its response: the credential, the caller, what the operation requires, and who can give it. */
import { Alert, Anchor, Code, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { HintText } from '../../components/error-panel.tsx';
import { RoleChip } from '../../components/object/role-chip.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ObjectLink } from '../../components/object-link.tsx';
import { ServerTime } from '../../components/server-time.tsx';
import { Subject } from '../../components/subject.tsx';
import { isMended, RequestCures } from './request-cures.tsx';
import type { RequestReasonRecord } from './request-replay.ts';
import type { RequestRecord } from './request-summary.tsx';
import { SendAgain } from './send-again.tsx';

interface ReasonProps {
  readonly reason: RequestReasonRecord;
}

export function RequestReason({ request, reason }: ReasonProps & { readonly request: RequestRecord }) {
  // Only in the memory of this page.
  const [token, setToken] = useState<string | undefined>();
  const [hadCures] = useState(reason.cures.length > 0);
  const [isAccepted, setAccepted] = useState(false);
  const { rejected, errors, requires, rule } = reason;
  const mended = isMended(reason, token);
  const isEarlier = isAccepted || (hadCures && mended);
  return (
    <Stack gap="md" component="section" aria-labelledby="why">
      <Title order={2} size="h5" id="why">
        Why
      </Title>
      {request.fault === undefined ? undefined : <AppliedFault fault={request.fault} status={request.status} />}
      {errors.map(({ code, message, hint }) => (
        <Alert key={`${code} ${message}`} color="red" variant="light" title={code}>
          <Text>{message}</Text>
          {hint === '' || isEarlier ? undefined : <HintText hint={hint} />}
        </Alert>
      ))}
      {rejected || request.fault !== undefined ? undefined : <Text>The request was accepted.</Text>}
      {rule === undefined ? undefined : <Text>Rule: {rule}</Text>}
      <NearestWay reason={reason} isEarlier={isEarlier} />
      <Group gap="xs">
        <RequestCures reason={reason} token={token} onSignIn={setToken} />
        <SendAgain
          request={request}
          reason={reason}
          token={token}
          isPrimary={rejected && mended}
          onAccepted={() => setAccepted(true)}
        />
      </Group>
      {requires === undefined ? undefined : (
        <div>
          <Text size="sm" fw={600} mb={4}>
            The operation requires
          </Text>
          <Code block tabIndex={0} aria-label="The operation requires" style={{ whiteSpace: 'pre-wrap' }}>
            {requires}
          </Code>
        </div>
      )}
      <CallerFacts reason={reason} />
    </Stack>
  );
}

interface AppliedFaultProps {
  /** As in the header X-Iam-Fault. */
  readonly fault: string;
  readonly status: number | undefined;
}

function AppliedFault({ fault, status }: AppliedFaultProps) {
  const isAnswer = status === undefined || fault.split(' ').includes(`status=${status}`);
  return (
    <Alert
      color="orange"
      variant="light"
      title={isAnswer ? 'A fault answered instead of the operation' : 'A fault changed this request'}
    >
      <Group gap="xs">
        <Code>{fault}</Code>
        <Anchor component={Link} to="/faults" size="sm" underline="always">
          Show the faults in force
        </Anchor>
      </Group>
    </Alert>
  );
}

interface NearestWayProps extends ReasonProps {
  /** What refused the request was changed since. */
  readonly isEarlier: boolean;
}

/** The smallest changes that would allow the request: each alternative is sufficient. */
function NearestWay({ reason: { missing, alternatives, forbidden, grantedBy }, isEarlier }: NearestWayProps) {
  if (missing.length === 0 && forbidden.length === 0) return undefined;
  return (
    <Alert
      color={isEarlier ? 'gray' : 'orange'}
      variant="light"
      title={isEarlier ? 'Before it was mended' : 'The nearest way in'}
    >
      <Stack gap="xs">
        <Names
          title={`${isEarlier ? 'Was missing' : 'Missing'}${alternatives.length > 1 ? ', one of' : ''}`}
          values={alternatives.map((names) => names.join(', ')).filter((names) => names !== '')}
        />
        <Names title={isEarlier ? 'Had, and must not have' : 'Must not have'} values={forbidden} />
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
    <ObjectFacts
      label="Caller"
      facts={{
        Credential: credentialState,
        Reason: credential.reason,
        Client: client && (
          <ObjectLink page="/clients" id={client.clientId}>
            <Subject kind="client" id={client.clientId} name={client.appId} isPlain />
          </ObjectLink>
        ),
        Party: client?.party,
        User: user && <UserName user={user} />,
        Session: session && (
          <>
            {session.level}, {session.active ? 'active' : 'ended'}, until <ServerTime at={session.endsAt} />
          </>
        ),
        Logon: logon,
        'Groups now': groups.length === 0 ? 'none' : <GroupNames names={groups} />,
        'Roles then': roles.length === 0 ? 'none' : <Names values={roles} />,
        Scopes: scope.length === 0 ? undefined : <Names values={scope} />,
      }}
    />
  );
}

function UserName({ user: { userId, userName, locked } }: { readonly user: NonNullable<RequestReasonRecord['user']> }) {
  return (
    <>
      <ObjectLink page="/users" id={userId}>
        <Subject kind="user" id={userId} name={userName} isPlain />
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

function Names({ title, values }: { readonly title?: string; readonly values: readonly string[] }) {
  if (values.length === 0) return undefined;
  return (
    <Group gap={4}>
      {title === undefined ? undefined : <Text size="sm">{title}:</Text>}
      {values.map((value) => (
        <RoleChip key={value} role={value} />
      ))}
    </Group>
  );
}
