/** One message with its text. */
import { Drawer, Paper, Stack, Text } from '@mantine/core';
import { CopyTextButton } from '../../components/copy-text-button.tsx';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ServerTime } from '../../components/server-time.tsx';
import { type InboxMessage, MessageState } from './message-columns.tsx';

interface MessageDrawerProps {
  readonly message: InboxMessage | undefined;
  onClose(): void;
}

export function MessageDrawer({ message, onClose }: MessageDrawerProps) {
  return (
    <Drawer
      opened={message !== undefined}
      onClose={onClose}
      position="right"
      title="Message"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {message === undefined ? undefined : <MessageDetail message={message} />}
    </Drawer>
  );
}

function MessageDetail({ message }: { readonly message: InboxMessage }) {
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
