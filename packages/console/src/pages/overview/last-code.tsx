/** The code that was sent last. */
import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CopyTextButton } from '../../components/copy-text-button.tsx';
import { PermittedArea } from '../../components/permitted-area.tsx';
import { RelativeTime, useServerNow } from '../../components/server-time.tsx';
import { useLatestMessages } from '../../components/top-bar/use-latest-messages.ts';
import { Panel } from './panel.tsx';

export function LastCode() {
  return (
    <Panel title="Last code" icon="inbox" link={{ to: '/inbox', label: 'Inbox' }}>
      <PermittedArea operation="GET /_iam/inbox" content="messages and their codes">
        <Code />
      </PermittedArea>
    </Panel>
  );
}

function Code() {
  const message = useLatestMessages().find(({ code }) => code !== undefined);
  const now = useServerNow();
  if (message?.code === undefined) return <Text c="dimmed">No code was sent yet. It appears here at once.</Text>;
  const { id, to, purpose, code, createdAt, expiresAt } = message;
  const isExpired = expiresAt !== undefined && now !== undefined && Date.parse(expiresAt) <= now;
  return (
    <>
      <Group gap="sm">
        <Text size="xl" fw={600} ff="monospace" {...(isExpired ? { c: 'dimmed', td: 'line-through' } : {})}>
          {code}
        </Text>
        {isExpired ? undefined : <CopyTextButton text={code} label="Copy" />}
      </Group>
      <Text style={{ overflowWrap: 'anywhere' }}>
        <Anchor component={Link} to="/inbox/$" params={{ _splat: id } as never} underline="always" inherit>
          {to}
        </Anchor>
        , {purpose}
      </Text>
      <Text c="dimmed">
        Sent <RelativeTime at={createdAt} />
        {expiresAt === undefined ? undefined : (
          <>
            , {isExpired ? 'expired' : 'expires'} <RelativeTime at={expiresAt} />
          </>
        )}
      </Text>
    </>
  );
}
