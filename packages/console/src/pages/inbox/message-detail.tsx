/** One message with its text. */
import { Paper, Stack, Text } from '@mantine/core';
import { CopyTextButton } from '../../components/copy-text-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ServerTime } from '../../components/server-time.tsx';
import { type InboxMessage, MessageState } from './message-columns.tsx';

interface MessageDetailProps {
  /** Undefined if the list does not have it. */
  readonly message: InboxMessage | undefined;
}

export function MessageDetail({ message }: MessageDetailProps) {
  if (message) return <MessageContent message={message} />;
  return (
    <EmptyState icon="inbox" title="This message is not in the list">
      A filter leaves it out, or the inbox was cleared.
    </EmptyState>
  );
}

function MessageContent({ message }: { readonly message: InboxMessage }) {
  const { to, channel, subject, purpose, code, text, createdAt, expiresAt, failure, supersededBy } = message;
  return (
    <Stack gap="md">
      <Paper withBorder p="md" component="section" aria-label="Message as it was sent">
        {subject === undefined ? undefined : <Text fw={600}>{subject}</Text>}
        <Text size="xs" c="dimmed">
          to {to}
        </Text>
        <Text mt="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {text}
        </Text>
      </Paper>
      {code === undefined ? undefined : <CopyTextButton text={code} label={`Copy the code ${code}`} size="sm" />}
      <ObjectFacts
        label="Message"
        facts={{
          To: to,
          Channel: channel,
          Purpose: purpose,
          Sent: <ServerTime at={createdAt} />,
          Expires: expiresAt === undefined ? undefined : <ServerTime at={expiresAt} />,
          State: <MessageState message={message} isWithoutExpiry />,
          Failure: failure,
          'Replaced by': supersededBy,
        }}
      />
      <Equivalents
        command={`inbox code ${quotePositional(to)}`}
        call={({ control }) => control.GET('/inbox', { params: { query: { to, purpose, limit: 1 } } })}
      />
    </Stack>
  );
}
